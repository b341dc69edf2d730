package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// readUser reads the account that a path names, and concurrently calls also with its name. An unknown
// user is domain.ErrNotFound, and one whose account is being deleted is domain.ErrGone.
func (s *server) readUser(c echo.Context, also func(context.Context, domain.UserName) error) (user domain.User, err error) {
	name, err := domain.ParseUserName(pathParam(c, "user"))
	if err != nil {
		return user, domain.ErrNotFound // no user can have this name
	}
	err = s.store.Concurrently(c.Request().Context(),
		func(ctx context.Context) (err error) { user, err = s.store.Accounts.Get(ctx, name); return err },
		func(ctx context.Context) error { return also(ctx, name) })
	if user.Closed {
		return domain.User{}, explain(domain.ErrGone, "This account is closed", "An operator of this site has closed it. Nothing of it is shown.")
	}
	if user.Leaves() {
		return domain.User{}, explain(domain.ErrGone, "This account is being deleted", "Nothing of it is shown. Its user may still be able to undo the deletion.")
	}
	return user, err
}

// showUser shows to everybody since when a user has an account, and what they wrote or own.
func (s *server) showUser(c echo.Context, v visitor) (err error) {
	view := templates.User{Owns: c.QueryParam("show") == "channels", Part: templates.Part{After: c.QueryParam("after")}}
	view.User, err = s.readUser(c, func(ctx context.Context, name domain.UserName) error {
		if view.Owns {
			channels, err := s.store.Channels.ListOwned(ctx, name, view.After, pageSize)
			view.Channels, view.Next = channels.Items, channels.Next
			return err
		}
		posts, err := s.store.Feeds.BlogsBy(ctx, name, view.After, pageSize)
		if view.Next = posts.Next; err == nil {
			view.Posts, err = s.posts(c, v, posts.Items, inList)
		}
		return err
	})
	return show(s, c, v, err, templates.UserPage, view)
}

// userJSON is an account, as everybody may see it.
type userJSON struct {
	Name      domain.UserName `json:"name"`
	CreatedOn apiTime         `json:"createdOn"`
}

func (s *server) describeUser(c echo.Context, _ visitor) error {
	user, err := s.readUser(c, func(context.Context, domain.UserName) error { return nil })
	return respond(c, err, http.StatusOK, userJSON{user.Name, apiTime(user.CreatedOn)})
}

// listUsers lists people by part of their name, or accounts for an operator.
func (s *server) listUsers(c echo.Context, v visitor) error {
	if order, given := c.QueryParams()["order"]; given {
		if order[0] != "created" {
			return domain.Invalid("order", `must be "created", or be left out`)
		}
		if !v.SignedIn() {
			return domain.ErrNotSignedIn
		}
		return forOperators(s.listAccounts)(c, v)
	}
	limit, limitErr := queryLimit(c, "contains")
	text, err := queryContains(c)
	if err == nil && text == "" {
		err = domain.Invalid("contains", "must not be empty")
	}
	if err := domain.JoinInvalid(limitErr, err); err != nil {
		return err
	}
	found, err := s.store.Accounts.List(c.Request().Context(), text, c.QueryParam("after"), limit)
	return respondList(c, err, found, func(name domain.UserName) map[string]domain.UserName {
		return map[string]domain.UserName{"name": name}
	})
}

func (s *server) listWritten(c echo.Context, v visitor) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	var written listJSON[blogJSON]
	_, err = s.readUser(c, func(ctx context.Context, name domain.UserName) (err error) {
		written, err = s.postsJSON(c, v, limit, func(limit int) (storage.Page[storage.FeedItem], error) {
			return s.store.Feeds.BlogsBy(ctx, name, c.QueryParam("after"), limit)
		})
		return err
	})
	return respond(c, err, http.StatusOK, written)
}
