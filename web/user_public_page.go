package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// userPublicPages show to everybody since when a user has an account, and their channels.
type userPublicPages struct {
	*pages
	store *storage.Store
}

func (h *userPublicPages) routes(r router) {
	get(r, "/users/:user", h.openBeside(h.show))
}

func (h *userPublicPages) show(c echo.Context, who awaited) error {
	text, err := pathParam(c, "user")
	if err != nil {
		return err
	}
	name, err := domain.ParseUserName(text)
	if err != nil {
		return domain.ErrNotFound // nobody can have this name
	}
	after := c.QueryParam("after")
	var user domain.User
	var channels storage.ChannelPage
	err = h.store.AtOnce(c.Request().Context(),
		func(ctx context.Context) (err error) {
			user, err = h.store.User(ctx, name)
			return err
		},
		func(ctx context.Context) (err error) {
			if channels, err = h.store.ChannelsOf(ctx, name, after, pageSize); err != nil {
				err = explain(err, "", "", templates.Link{Label: "Back to @" + string(name), URL: templates.UserPath(string(name))})
			}
			return err
		})
	if err != nil {
		return err
	}
	v, err := who.wait()
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.UserPage(h.page(c, v), templates.User{
		Name:      string(user.Name),
		CreatedOn: user.CreatedOn,
		Channels:  channelItems(channels.Items),
		After:     after,
		Next:      channels.Next,
	}))
}
