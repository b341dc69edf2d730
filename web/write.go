package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/channel"
	"microblogging/templates"
)

const (
	// lastCookie has a random ID, which each post replaces, and the channel that was posted to last on this device.
	lastCookie = "last"
	// rememberedFor is how long a device remembers the channel, and what was read.
	rememberedFor = 365 * 24 * time.Hour
)

// mostOffered is how many channels of others the form for a post offers. To know whether its reader may post there
// costs up to two reads for each.
const mostOffered = 6

// lastUsed is the channel that was posted to last on this device, if it can be read, with its version.
func (s *server) lastUsed(ctx context.Context, c echo.Context) (domain.Channel, storage.Version, error) {
	_, escaped, _ := strings.Cut(cookieValue(c.Request(), lastCookie), ".")
	typed, err := url.QueryUnescape(escaped)
	name, invalid := domain.ParseChannelName(typed)
	if err != nil || invalid != nil {
		return domain.Channel{}, "", nil
	}
	last, version, err := s.store.Channels.GetVersion(ctx, name.Key().Address(), "")
	if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrGone) {
		err = nil
	}
	return last, version, err
}

// usual are the channel that was posted to last on this device and the channels that the visitor owns.
func (s *server) usual(ctx context.Context, c echo.Context, v visitor) (channels []domain.Channel, err error) {
	var last domain.Channel
	var own storage.Page[domain.Channel]
	err = s.store.Concurrently(ctx, func(ctx context.Context) (err error) {
		last, _, err = s.lastUsed(ctx, c)
		return err
	}, func(ctx context.Context) (err error) {
		own, err = s.store.Channels.ListOwned(ctx, v.User, "", pageSize)
		return err
	})
	return append([]domain.Channel{last}, own.Items...), err
}

// composer is the form for a post in one of these channels, of which the first is the one used last. Each was read for
// this request, so none is offered that is being deleted. Only a post changes the form's key: otherwise the page would
// have another entity tag each time. A script gives each tab a key of its own (static/draft.js).
func (s *server) composer(c echo.Context, v visitor, channels ...domain.Channel) templates.Composer {
	var own, choices []templates.Choice
	seen := map[domain.Incarnation]bool{"": true} // there may be none that was used last
	for i, channel := range channels {
		choice := templates.Choice{Name: channel.Name, Incarnation: channel.Incarnation, First: channel.First, Own: channel.Owner == v.User, Last: i == 0}
		switch {
		case seen[choice.Incarnation]:
		case choice.Own || choice.Last:
			own = append(own, choice)
		case len(choices) < mostOffered:
			choices = append(choices, choice)
		}
		seen[choice.Incarnation] = true
	}
	key := channel.VersionOf(v.Token, cookieValue(c.Request(), lastCookie))
	return templates.Composer{Draft: templates.Draft{Key: string(key)}, Channels: append(own, choices...), Next: ownPath(c)}
}

// permit takes out of the form the channels in which the visitor may not post. It reads the rule of each that is not
// the visitor's own. There may be no form.
func (s *server) permit(ctx context.Context, v visitor, form *templates.Composer) error {
	if form == nil {
		return nil
	}
	var reads []func(context.Context) error
	for i := range form.Channels {
		choice := &form.Channels[i]
		reads = append(reads, func(ctx context.Context) error {
			if choice.Own {
				return nil
			}
			in := domain.Channel{Name: choice.Name, Incarnation: choice.Incarnation, First: choice.First}
			rule, err := s.store.Posts.PostingRule(ctx, in)
			if err != nil {
				return err
			}
			why, err := s.mayNotPost(ctx, in, rule, v.User)
			if why != "" {
				*choice = templates.Choice{}
			}
			return err
		})
	}
	err := s.store.Concurrently(ctx, reads...)
	form.Channels = slices.DeleteFunc(form.Channels, func(choice templates.Choice) bool { return choice.Name == "" })
	return err
}

// write is the form for a post on a page of its own, which offers the channels that are active.
func (s *server) write(c echo.Context, v visitor) (templates.Composer, error) {
	var channels []domain.Channel
	var active storage.Active
	err := s.store.Concurrently(c.Request().Context(), func(ctx context.Context) (err error) {
		channels, err = s.usual(ctx, c, v)
		return err
	}, func(ctx context.Context) (err error) {
		active, err = s.active(ctx, "")
		return err
	})
	view := s.composer(c, v, append(channels, channelsOf(active)...)...)
	if err == nil {
		err = s.permit(c.Request().Context(), v, &view)
	}
	return view, err
}

func channelsOf(active storage.Active) []domain.Channel {
	channels := make([]domain.Channel, len(active.Channels))
	for i, channel := range active.Channels {
		channels[i] = channel.Channel
	}
	return channels
}

// posted answers the form for a post that is published: with the list at the path, or, if a script asks for it, with the
// post as the list shows it.
func (s *server) posted(c echo.Context, v visitor, post templates.Post, named bool, path string) error {
	last := rand.Text() + "." + url.QueryEscape(string(post.In))
	c.SetCookie(s.newCookie(c, lastCookie, last, rememberedFor))
	if c.Request().Header.Get(headerPrefer) != preferRepresentation {
		return s.done(c, nil, "posted", path)
	}
	page := s.page(c, v)
	page.Path = path
	posts := offer([]templates.Post{s.texts.post(post.In, post.Blog, inList)}, v.actor(), "", "")
	c.Response().Header().Set(headerPreferred, preferRepresentation)
	return render(c, http.StatusOK, templates.Posts(page, posts, named))
}

func (s *server) showWrite(c echo.Context, v visitor) error {
	view, err := s.write(c, v)
	view.Next, view.First = "", true
	return show(s, c, v, err, templates.WritePage, view)
}

// writeByForm makes a post in the channel that its author has chosen, or in a new one.
func (s *server) writeByForm(c echo.Context, v visitor, form url.Values) error {
	key := cmp.Or(form.Get("key"), rand.Text())
	draft, draftErr := domain.ParseDraft(draftOf(form))
	var unchosen error
	if !form.Has("channel") && form.Get("name") == "" {
		unchosen = domain.Invalid("channel", "Choose a channel")
	}
	err := domain.JoinInvalid(checkIdempotencyKey("key", key), unchosen, draftErr)
	var in domain.Channel
	var blog domain.Blog
	if err == nil { // before a new channel is made, so that a refusal leaves none
		err = s.takePost(c, v, postBytes(draft))
	}
	if err == nil {
		in, err = s.chosen(c, v, form, key)
	}
	if err == nil {
		blog, _, err = s.store.Posts.Create(c.Request().Context(), storage.NewPost{Channel: in, By: v.User, Key: key, Draft: draft})
	}
	if err == nil {
		return s.posted(c, v, templates.Post{Blog: blog, In: in.Name}, true, cmp.Or(localPath(form.Get("next")), templates.ChannelPath(in.Name)))
	}
	refused, ok := formOf(err, "post")
	if why := templates.MayNotPost(in, err); why != "" {
		refused, ok = templates.Form{Message: why + " Choose another channel."}, true
	}
	if !ok {
		return err
	}
	view, readErr := s.write(c, v)
	if readErr != nil {
		return readErr
	}
	showTexts(form, draft.Fields())
	view.Draft = templates.Draft{Form: refused, Draft: draft, Key: freshKey(key, err)}
	view.New = unchosen == nil && form.Get("channel") == ""
	view.Chosen, view.Name, view.Next = shown(form.Get("channel")), shown(form.Get("name")), localPath(form.Get("next"))
	return again(c, err, templates.WritePage(s.page(c, v), view))
}

// chosen is the channel that a post is for. A new one has the post's key, so a form that is sent twice
// makes one. Only its owner may post there, until they say otherwise.
func (s *server) chosen(c echo.Context, v visitor, form url.Values, key string) (domain.Channel, error) {
	incarnation, name, old := strings.Cut(form.Get("channel"), " ")
	if !old {
		made, _, err := s.makeChannel(c, v, form.Get("name"), domain.About{}, domain.PostersOwner, key)
		return made, err
	}
	return s.listedChannel(c, v, name, incarnation)
}
