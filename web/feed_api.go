package web

import (
	"context"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

type feedReader interface {
	Feed(ctx context.Context, user domain.UserName, after string, limit int) (storage.FeedPage, error)
}

// feedAPI lists the posts of all channels that the caller subscribes to.
type feedAPI struct {
	store    feedReader
	sessions *sessions
}

func (a *feedAPI) routes(r router) {
	get(r, "/feed", a.sessions.closed(a.list))
}

func (a *feedAPI) list(c echo.Context, v visitor) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	page, err := a.store.Feed(c.Request().Context(), v.User, c.QueryParam("after"), limit)
	if err != nil {
		return err
	}
	return respondList(c, page.Items, page.Next, func(item storage.FeedItem) blogJSON {
		return newBlogJSON(item.Name, item.Blog)
	})
}
