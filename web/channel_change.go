package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

type channelJSON struct {
	Name  domain.ChannelName `json:"name"`
	Owner domain.UserName    `json:"owner"`
	domain.About
	CreatedOn apiTime             `json:"createdOn"`
	State     domain.ChannelState `json:"state"`
	// LastBlogOn is the hour of the newest post, if the channels are listed by it.
	LastBlogOn apiTime `json:"lastBlogOn,omitzero"`
	// Posting says who may post, if the channel is read alone.
	Posting string `json:"posting,omitempty"`
}

func newChannelJSON(c domain.Channel) channelJSON {
	return channelJSON{Name: c.Name, Owner: c.Owner, About: c.About, CreatedOn: apiTime(c.CreatedOn), State: c.State}
}

// aboutOf is what a form says about a channel.
func aboutOf(form url.Values) (about domain.About) {
	readTexts(form, about.Fields())
	return about
}

// respondChannel answers with one channel. Who may post to it is in its partition, and a list
// does not say it.
func (s *server) respondChannel(c echo.Context, err error, status int, channel domain.Channel) error {
	var postingRule storage.PostingRule
	if err == nil && status != http.StatusCreated { // a channel that was just made is open to all
		postingRule, err = s.store.Posts.PostingRule(c.Request().Context(), channel.Key())
	}
	body := newChannelJSON(channel)
	body.Posting = postingRule.In(channel.Ref()).Word()
	if err == nil {
		// If-Match compares the incarnation; the rest is a hash of what is shown, such as the description.
		sum := sha256.Sum256(fmt.Append(nil, body))
		c.Response().Header().Set(headerETag, `"`+string(channel.Incarnation)+"-"+base64.RawURLEncoding.EncodeToString(sum[:9])+`"`)
	}
	return respond(c, err, status, body)
}

// makeChannel creates a channel, once if the request has an idempotency key. It reports
// true if this request made it.
func (s *server) makeChannel(c echo.Context, v visitor, name string, about domain.About, key string) (channel domain.Channel, made bool, err error) {
	channel, err = domain.NewChannel(name, about, v.User)
	if err == nil {
		err = s.takeText(c, v, rowBytes+textBytes(about.Fields()))
	}
	if err == nil {
		channel, made, err = s.store.Channels.Create(c.Request().Context(), channel, key, s.MaxChannelsPerOwner)
	}
	return channel, made, err
}

func (s *server) createChannel(c echo.Context, v visitor) error {
	var name string
	var about domain.About
	key, keyErr := idempotencyKey(c.Request().Header)
	if err := domain.JoinInvalid(keyErr, readFields(c, append(jsonFields(about.Fields()), required("name", &name))...)); err != nil {
		return err
	}
	channel, made, err := s.makeChannel(c, v, name, about, key)
	if err == nil {
		c.Response().Header().Set(echo.HeaderLocation, apiChannelPath(channel.Name))
	}
	return s.respondChannel(c, err, madeStatus(made), channel)
}

func (s *server) newChannelForm(c echo.Context, v visitor) error {
	asked := domain.Channel{Name: domain.ChannelName(shown(c.QueryParam("name")))}
	return renderOnce(c, templates.NewChannelPage(s.page(c, v), templates.NewChannel{Channel: asked, Key: rand.Text()}))
}

func (s *server) createChannelByForm(c echo.Context, v visitor, form url.Values) error {
	name, about, key := form.Get("name"), aboutOf(form), cmp.Or(form.Get("key"), rand.Text())
	err := checkIdempotencyKey("key", key)
	var channel domain.Channel
	if err == nil {
		channel, _, err = s.makeChannel(c, v, name, about, key)
	}
	if err == nil {
		return seeOther(c, templates.ChannelPath(channel.Name))
	}
	refused, ok := formOf(err, "channel")
	showTexts(form, about.Fields())
	if !ok {
		return err
	}
	return again(c, err, templates.NewChannelPage(s.page(c, v), templates.NewChannel{
		Form: refused, Key: freshKey(key, err),
		Channel: domain.Channel{Name: domain.ChannelName(shown(name)), About: about},
	}))
}

func (s *server) editChannelForm(c echo.Context, v visitor) error {
	at, err := address(c, nil)
	if err != nil {
		return err
	}
	var channel domain.Channel
	var postingRule storage.PostingRule
	err = s.store.Concurrently(c.Request().Context(), func(context.Context) (err error) {
		channel, err = own(s.shownChannel)(c, v, at)
		return err
	}, func(ctx context.Context) (err error) {
		postingRule, err = s.store.Posts.PostingRule(ctx, at.Key)
		return err
	})
	return show(s, c, v, err, templates.EditChannelPage, templates.EditChannel{Channel: channel, Base: templates.Pack(channel.Fields()), PostingRule: postingRule.In(channel.Ref())})
}

func (s *server) editChannel(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	var base, saved domain.About
	if !templates.Unpack(form.Get("base"), base.Fields()) {
		return withoutVersion()
	}
	if err := hasTexts(form, base.Fields()); err != nil {
		return err
	}
	typed := aboutOf(form)
	parsed, invalid := domain.ParseAbout(typed) // Update returns the error
	if invalid == nil {
		if err := s.takeText(c, v, textBytes(parsed.Fields())); err != nil {
			return err
		}
	}
	_, err := s.store.Channels.Update(c.Request().Context(), in.Ref(), v.User, func(about *domain.About) error {
		saved = *about
		if saved != base && saved != parsed {
			return domain.ErrConflict
		}
		*about = typed
		return nil
	})
	refused, ok := formOf(err, "channel")
	if errors.Is(err, domain.ErrConflict) && !replacedNow(err) {
		refused, ok = savedMeanwhile(saved.Fields(), parsed.Fields()), true
		base = saved
	}
	if !ok {
		return s.done(c, err, "saved", templates.ChannelPath(in.Name))
	}
	showTexts(form, in.Fields())
	postingRule, readErr := s.store.Posts.PostingRule(c.Request().Context(), in.Key())
	if readErr != nil {
		return readErr
	}
	return again(c, err, templates.EditChannelPage(s.page(c, v),
		templates.EditChannel{Form: refused, Channel: in, Base: templates.Pack(base.Fields()), PostingRule: postingRule.In(in.Ref())}))
}

// savedMeanwhile says what others have saved since the form was opened, where that is not what was typed.
func savedMeanwhile(saved, typed []domain.Field) templates.Form {
	message := ""
	for i, field := range saved {
		if *field.Text != *typed[i].Text {
			message += "Another " + field.Name + " was saved meanwhile: “" + *field.Text + "”. "
		}
	}
	return templates.Form{Message: message + "Yours is below. To replace the other with it, save again."}
}
