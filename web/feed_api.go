package web

import (
	"github.com/labstack/echo/v4"

	"microblogging/storage"
)

// followingOf reads what the visitor subscribes to while the session is read. A stranger
// subscribes to nothing.
func followingOf(c echo.Context, store *storage.Store, who awaited) (visitor, storage.Following, error) {
	return readFor(who, func(v visitor) (storage.Following, error) {
		if !v.SignedIn() {
			return storage.Following{}, nil
		}
		return store.Following(c.Request().Context(), v.User)
	})
}

// feedAPI lists the posts of all channels that the caller subscribes to.
type feedAPI struct {
	store    *storage.Store
	sessions *sessions
}

func (a *feedAPI) routes(r router) {
	get(r, "/feed", a.sessions.closedBeside(a.list))
}

func (a *feedAPI) list(c echo.Context, who awaited) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	_, following, err := followingOf(c, a.store, who)
	if err != nil {
		return err
	}
	page, err := a.store.FeedOf(c.Request().Context(), following, c.QueryParam("after"), limit)
	if err != nil {
		return err
	}
	return respondList(c, page.Items, page.Next, func(item storage.FeedItem) blogJSON {
		return newBlogJSON(item.Name, item.Blog)
	})
}
