package web

import (
	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

// deletionListAPI lists for programs the deletions that the user asked for.
type deletionListAPI struct {
	store    *storage.Store
	sessions *sessions
}

func (a *deletionListAPI) routes(r router) {
	get(r, "/deletions", a.sessions.closed(a.list))
}

// listedDeletionJSON is a deletion in a list. The whole is at
// /channels/{channel}/deletions/{incarnation}.
type listedDeletionJSON struct {
	Channel     domain.ChannelName   `json:"channel"`
	Incarnation domain.Incarnation   `json:"incarnation"`
	State       domain.DeletionState `json:"state"`
	RowsDeleted int64                `json:"rowsDeleted"`
	RequestedOn apiTime              `json:"requestedOn"`
	FinishedOn  apiTime              `json:"finishedOn"`
}

func newListedDeletionJSON(d domain.Deletion) listedDeletionJSON {
	return listedDeletionJSON{
		Channel: d.Name, Incarnation: d.Channel.Incarnation, State: d.State, RowsDeleted: d.RowsDeleted,
		RequestedOn: apiTime(d.RequestedOn), FinishedOn: apiTime(d.FinishedOn),
	}
}

func (a *deletionListAPI) list(c echo.Context, v visitor) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	page, err := a.store.DeletionsOf(c.Request().Context(), v.User, c.QueryParam("after"), limit)
	if err != nil {
		return err
	}
	return respondList(c, page.Items, page.Next, newListedDeletionJSON)
}
