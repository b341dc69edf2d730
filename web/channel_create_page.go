package web

import (
	"crypto/rand"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// createChannel creates a channel, once if the request has an idempotency key. It reports
// true if this request made it.
func createChannel(c echo.Context, store *storage.Store, channel domain.Channel, key string, limit int) (_ domain.Channel, made bool, err error) {
	ctx := c.Request().Context()
	if key != "" {
		channel, made, err = store.CreateChannelOnce(ctx, channel, key, limit)
	} else {
		channel, err = store.CreateChannelWithin(ctx, channel, limit)
		made = err == nil
	}
	return channel, made, err
}

// channelCreatePages create a channel.
type channelCreatePages struct {
	*pages
	store *storage.Store
	// maxChannels is how many channels one user may own.
	maxChannels int
}

func (h *channelCreatePages) routes(r router) {
	get(r, templates.NewChannelPath, h.closed(h.form))
	r.Add(http.MethodPost, templates.NewChannelPath, h.drafting(templates.ChannelDraft, h.create))
}

func (h *channelCreatePages) form(c echo.Context, v visitor) error {
	return renderOnce(c, http.StatusOK, templates.NewChannelPage(h.page(c, v),
		templates.NewChannel{Name: shown(c.QueryParam("name")), Key: rand.Text()}))
}

func (h *channelCreatePages) create(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	name, description, key := form.Get("name"), form.Get("description"), form.Get("key")
	channel, err := domain.NewChannel(name, description, v.User)
	if key != "" {
		err = domain.JoinInvalid(err, checkIdempotencyKey("key", key))
	}
	if err == nil {
		err = h.sessions.takeWrite(c, v)
	}
	if err == nil {
		channel, _, err = createChannel(c, h.store, channel, key, h.maxChannels)
	}
	if err == nil {
		return seeOther(c, templates.ChannelPath(string(channel.Name)))
	}
	refused, ok := formOf(err)
	if !ok {
		return err
	}
	if errors.Is(err, domain.ErrKeyReused) {
		refused.Message = "This form was sent before, with another name or description. Send it again to create this channel."
	}
	// A refused request has made nothing, so that the form gets a new key.
	return again(c, err, templates.NewChannelPage(h.page(c, v), templates.NewChannel{
		Form: refused, Name: shown(name), Description: shown(description), Key: rand.Text()}))
}
