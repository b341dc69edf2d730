package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

func (h *channelPages) newForm(c echo.Context, v visitor) error {
	return render(c, http.StatusOK, templates.NewChannelPage(h.page(c, v),
		templates.NewChannel{Name: shown(c.QueryParam("name"))}))
}

func (h *channelPages) create(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	name, description := form.Get("name"), form.Get("description")
	channel, err := domain.NewChannel(name, description, v.User)
	if err == nil {
		channel, err = h.store.CreateChannel(c.Request().Context(), channel)
	}
	if err == nil {
		return seeOther(c, templates.ChannelPath(string(channel.Name)))
	}
	refused, ok := formOf(err)
	if !ok {
		return err
	}
	return again(c, err, templates.NewChannelPage(h.page(c, v),
		templates.NewChannel{Form: refused, Name: shown(name), Description: shown(description)}))
}
