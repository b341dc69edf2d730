package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

type channelCreator interface {
	CreateChannelWithin(ctx context.Context, channel domain.Channel, limit int) (domain.Channel, error)
}

// channelCreatePages create a channel.
type channelCreatePages struct {
	*pages
	store channelCreator
	// maxChannels is how many channels one user may own.
	maxChannels int
}

func (h *channelCreatePages) routes(r router) {
	get(r, templates.NewChannelPath, h.closed(h.form))
	r.Add(http.MethodPost, templates.NewChannelPath, h.closed(h.create))
}

func (h *channelCreatePages) form(c echo.Context, v visitor) error {
	return render(c, http.StatusOK, templates.NewChannelPage(h.page(c, v),
		templates.NewChannel{Name: shown(c.QueryParam("name"))}))
}

func (h *channelCreatePages) create(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	name, description := form.Get("name"), form.Get("description")
	channel, err := domain.NewChannel(name, description, v.User)
	if err == nil {
		err = h.sessions.takeWrite(c, v)
	}
	if err == nil {
		channel, err = h.store.CreateChannelWithin(c.Request().Context(), channel, h.maxChannels)
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
