package web

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

type channelJSON struct {
	Name        domain.ChannelName  `json:"name"`
	Owner       domain.UserName     `json:"owner"`
	Description string              `json:"description"`
	CreatedOn   apiTime             `json:"createdOn"`
	State       domain.ChannelState `json:"state"`
}

func newChannelJSON(c domain.Channel) channelJSON {
	return channelJSON{c.Name, c.Owner, c.Description, apiTime(c.CreatedOn), c.State}
}

func respondChannel(c echo.Context, err error, status int, channel domain.Channel) error {
	if err == nil {
		c.Response().Header().Set(headerETag, channelETag(channel))
	}
	return respond(c, err, status, newChannelJSON(channel))
}

// makeChannel creates a channel, once if the request has an idempotency key. It reports
// true if this request made it.
func (s *server) makeChannel(ctx context.Context, v visitor, name, description, key string) (channel domain.Channel, made bool, err error) {
	channel, err = domain.NewChannel(name, description, v.User)
	switch {
	case err != nil:
	case key != "":
		channel, made, err = s.store.CreateChannelOnce(ctx, channel, key, s.MaxChannelsPerOwner)
	default:
		channel, err = s.store.CreateChannelWithin(ctx, channel, s.MaxChannelsPerOwner)
		made = err == nil
	}
	return channel, made, err
}

func (s *server) createChannel(c echo.Context, v visitor) error {
	var name string
	var description *string
	key, keyErr := idempotencyKey(c.Request().Header)
	if err := domain.JoinInvalid(keyErr, readFields(c, required("name", &name), optional("description", &description))); err != nil {
		return err
	}
	channel, made, err := s.makeChannel(c.Request().Context(), v, name, orEmpty(description), key)
	if err == nil {
		c.Response().Header().Set(echo.HeaderLocation, apiChannelPath(channel.Name))
	}
	return respondChannel(c, err, madeStatus(made), channel)
}

func (s *server) newChannelForm(c echo.Context, v visitor) error {
	asked := domain.Channel{Name: domain.ChannelName(shown(c.QueryParam("name")))}
	return renderOnce(c, templates.NewChannelPage(s.page(c, v), templates.NewChannel{Channel: asked, Key: rand.Text()}))
}

func (s *server) createChannelByForm(c echo.Context, v visitor, form url.Values) error {
	name, description, key := form.Get("name"), form.Get("description"), keyOr(form.Get("key"))
	err := checkIdempotencyKey("key", key)
	var channel domain.Channel
	if err == nil {
		channel, _, err = s.makeChannel(c.Request().Context(), v, name, description, key)
	}
	if err == nil {
		return seeOther(c, templates.ChannelPath(channel.Name))
	}
	refused, ok := formOf(err, "channel")
	if !ok {
		return err
	}
	// A refused request has made nothing, so that the form gets a new key.
	return again(c, err, templates.NewChannelPage(s.page(c, v), templates.NewChannel{
		Form: refused, Key: rand.Text(),
		Channel: domain.Channel{Name: domain.ChannelName(shown(name)), Description: shown(description)},
	}))
}

// describe changes the description of the channel at an address.
func (s *server) describe(c echo.Context, v visitor, at target, description string) (changed domain.Channel, err error) {
	err = s.inChannel(c, at, func(ctx context.Context, channel domain.Channel) (err error) {
		changed, err = s.store.Describe(ctx, channel.Ref(), v.User, description)
		return err
	})
	return changed, err
}

func (s *server) describeChannel(c echo.Context, v visitor) error {
	var description string
	if err := readFields(c, required("description", &description)); err != nil {
		return err
	}
	channel, err := s.describe(c, v, apiTarget(c), description)
	return respondChannel(c, err, http.StatusOK, channel)
}

func (s *server) editChannelForm(c echo.Context, v visitor) error {
	channel, err := s.ownedChannel(c, v)
	return show(s, c, v, err, templates.EditChannelPage, templates.EditChannel{Channel: channel})
}

func (s *server) editChannel(c echo.Context, v visitor, form url.Values) error {
	description := form.Get("description")
	_, err := s.describe(c, v, pageTarget(c, form), description)
	refused, ok := formOf(err, "channel")
	channel, read := c.Get(channelKey).(domain.Channel)
	if !ok || !read {
		return s.done(c, err, "saved", templates.ChannelPath(channel.Name))
	}
	channel.Description = shown(description)
	return again(c, err, templates.EditChannelPage(s.page(c, v), templates.EditChannel{Form: refused, Channel: channel}))
}
