package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

type voteStore interface {
	channelReader
	Vote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error
	Unvote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error
}

// votesAPI answers for one's own vote on a post.
type votesAPI struct {
	store    voteStore
	sessions *sessions
}

func (a *votesAPI) routes(r router) {
	r.Add(http.MethodPut, "/channels/:name/blogs/:id/vote", a.cast(a.store.Vote))
	r.Add(http.MethodDelete, "/channels/:name/blogs/:id/vote", a.cast(a.store.Unvote))
}

// cast gives or takes back a vote, whichever change does. Either can be asked for
// again: what counts is whether there is a vote.
func (a *votesAPI) cast(
	change func(context.Context, domain.ChannelRef, domain.BlogID, domain.UserName) error,
) echo.HandlerFunc {
	return a.sessions.closed(func(c echo.Context, v visitor) error {
		channel, id, err := pathBlog(c, a.store)
		if err != nil {
			return err
		}
		if err := change(c.Request().Context(), channel.Ref(), id, v.User); err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	})
}
