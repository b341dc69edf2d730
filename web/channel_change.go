package web

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
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
	if err == nil {
		postingRule, err = s.store.Posts.PostingRule(c.Request().Context(), channel)
	}
	body := newChannelJSON(channel)
	body.Posting = string(postingRule.Posters)
	if err == nil {
		// If-Match compares the incarnation; the rest is a hash of what is shown, such as the description.
		sum := sha256.Sum256(fmt.Append(nil, body))
		c.Response().Header().Set(headerETag, `"`+string(channel.Incarnation)+"-"+base64.RawURLEncoding.EncodeToString(sum[:9])+`"`)
	}
	return respond(c, err, status, body)
}

// makeChannel creates a channel, once if the request has an idempotency key. It reports
// true if this request made it.
func (s *server) makeChannel(
	c echo.Context, v visitor, name string, about domain.About, posters domain.Posters, key string,
) (channel domain.Channel, made bool, err error) {
	channel, err = domain.NewChannel(name, about, v.User)
	if err == nil {
		err = s.takeText(c, v, rowBytes+textBytes(about.Fields()))
	}
	if err == nil {
		channel, made, err = s.store.Channels.Create(c.Request().Context(), channel, posters, key, s.MaxChannelsPerOwner)
	}
	return channel, made, err
}

func (s *server) createChannel(c echo.Context, v visitor) error {
	var name string
	var about domain.About
	posters := domain.PostersOpen
	key, keyErr := idempotencyKey(c.Request().Header)
	if err := domain.JoinInvalid(keyErr, readFields(c, append(jsonFields(about.Fields()), required("name", &name), postersField(&posters))...)); err != nil {
		return err
	}
	channel, made, err := s.makeChannel(c, v, name, about, posters, key)
	if err == nil {
		c.Response().Header().Set(echo.HeaderLocation, apiChannelPath(channel.Name))
	}
	return s.respondChannel(c, err, madeStatus(made), channel)
}

func (s *server) newChannelForm(c echo.Context, v visitor) error {
	asked := domain.Channel{Name: domain.ChannelName(shown(c.QueryParam("name")))}
	posting := templates.PostingForm{Posters: domain.PostersOwner}
	return renderOnce(c, templates.NewChannelPage(s.page(c, v), templates.NewChannel{Channel: asked, Posting: posting, Key: rand.Text()}))
}

// createChannelByForm creates a channel, and then puts the members on its list: until then, its owner alone may post. A
// form that is sent again puts them there again.
func (s *server) createChannelByForm(c echo.Context, v visitor, form url.Values) error {
	name, about, key := form.Get("name"), aboutOf(form), cmp.Or(form.Get("key"), rand.Text())
	posters, members, err := s.postingOf(c, v, form)
	err = domain.JoinInvalid(checkIdempotencyKey("key", key), err)
	var channel domain.Channel
	if err == nil {
		channel, _, err = s.makeChannel(c, v, name, about, posters, key)
	}
	if err == nil && len(members) > 0 {
		err = s.store.Posts.ChangeRule(c.Request().Context(), channel, v.User, func(now *domain.Posting) error {
			for _, member := range members {
				now.Members = domain.WithAccount(now.Members, member)
			}
			return nil
		})
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
		Form: refused, Key: freshKey(key, err), Posting: typedPosting(form, nil, nil),
		Channel: domain.Channel{Name: domain.ChannelName(shown(name)), About: about},
	}))
}

// postingOf reads the choice of a form for a new channel, and the members that it names. Names count only for a channel
// of members.
func (s *server) postingOf(c echo.Context, v visitor, form url.Values) (domain.Posters, []domain.User, error) {
	if !form.Has("posting") {
		return domain.PostersOwner, nil, nil
	}
	posters, err := parsePosters(form.Get("posting"))
	if err != nil || posters != domain.PostersMembers {
		return posters, nil, err
	}
	members, err := s.accounts(c.Request().Context(), v, form, "add-member")
	if err == nil && len(members) > storage.MaxMembers {
		err = domain.Invalid("add-member", "%s", tooManyMembers(len(members)))
	}
	return posters, members, err
}
