package web

import (
	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// deletionEventsRoute is the only route whose response outlasts requestTimeout: once it
// has begun, it lasts as long as its reader stays, up to watchLifetime.
const deletionEventsRoute = "/channels/:name/deletions/:incarnation/events"

// besideDeletion is namedDeletion for a visitor whose session is read meanwhile.
func besideDeletion(c echo.Context, store *storage.Store, who awaited) (visitor, domain.Deletion, error) {
	return readFor(who, func(v visitor) (domain.Deletion, error) { return namedDeletion(c, store, v) })
}

// namedDeletion reads the deletion that the path names. For anybody but the user who
// asked for the deletion it returns domain.ErrForbidden.
func namedDeletion(c echo.Context, store *storage.Store, v visitor) (domain.Deletion, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.Deletion{}, err
	}
	i, err := incarnation(c)
	if err != nil {
		return domain.Deletion{}, err
	}
	return store.Deletion(c.Request().Context(), domain.ChannelRef{Key: name.Key(), Incarnation: i}, v.User)
}

func deletionOf(d domain.Deletion) templates.Deletion {
	trace := make([]templates.TracedStep, len(d.Trace))
	for i, r := range d.Trace {
		trace[i] = templates.TracedStep{
			Step: string(r.Step), Worker: r.Worker, Delivery: r.Delivery, Began: r.Began, Ended: r.Ended,
			Rows: r.Rows, Result: string(r.Result), Count: r.Count,
		}
	}
	return templates.Deletion{
		Channel:     string(d.Name),
		Incarnation: string(d.Channel.Incarnation),
		State:       string(d.State),
		Step:        string(d.Step),
		RowsDeleted: d.RowsDeleted,
		Attempts:    d.Attempts,
		RequestedOn: d.RequestedOn,
		FinishedOn:  d.FinishedOn,

		WaitingSince: d.WaitingSince,
		Trace:        trace,
	}
}
