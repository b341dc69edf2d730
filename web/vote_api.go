package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/storage"
)

const votePath = "/channels/:name/blogs/:id/vote"

// votesAPI gives and takes back the caller's vote for a post.
type votesAPI struct {
	store    *storage.Store
	sessions *sessions
}

func (a *votesAPI) routes(r router) {
	r.Add(http.MethodPut, votePath, a.vote(a.store.Vote))
	r.Add(http.MethodDelete, votePath, a.vote(a.store.Unvote))
}

// vote gives a vote or takes it back. A repeated request changes nothing more.
func (a *votesAPI) vote(cast castVote) echo.HandlerFunc {
	return a.sessions.writing(func(c echo.Context, v visitor) error {
		channel, id, err := pathBlog(c, a.store)
		if err != nil {
			return err
		}
		if err := cast(c.Request().Context(), channel.Ref(), id, v.User); err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	})
}
