package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/channel"
	"microblogging/templates"
)

// showLatest is the newest posts of all channels, next to the channels that are active. What
// anonymous clients see is kept, and shown again while the same channels are active and have the versions
// that they had. The channels are verified for each request, so nothing is shown of one whose
// deletion was accepted before.
func (s *server) showLatest(c echo.Context, v visitor) error {
	after := c.QueryParam("after")
	active, err := s.active(c.Request().Context(), after)
	if err != nil {
		return err
	}
	read := func(ctx context.Context) (templates.Latest, error) {
		latest, err := s.store.Feeds.Latest(ctx, active, pageSize)
		view := templates.Latest{Part: templates.Part{After: after, Next: latest.Next}, Posts: s.texts.feed(latest.Items)}
		for _, channel := range active.Channels[:min(len(active.Channels), pageSize)] {
			shown := templates.ActiveChannel{Name: channel.Name, On: channel.NotedOn}
			ofIt := func(item storage.FeedItem) bool { return item.Channel == channel.Ref() }
			if at := slices.IndexFunc(latest.Items, ofIt); at >= 0 {
				shown.On = latest.Items[at].CreatedOn // and not up to five minutes before
			}
			view.Channels = append(view.Channels, shown)
		}
		return view, err
	}
	if !s.mayShare(c.Request()) {
		shown := s.page(c, v)
		if s.has(c, shown, active.Version, ownView{}) {
			return nil
		}
		view, err := read(c.Request().Context())
		if err != nil {
			return err
		}
		return render(c, http.StatusOK, templates.LatestPage(shown, view))
	}
	return s.sendLatest(c, active, document{mediaType: echo.MIMETextHTMLCharsetUTF8}, func(body *bytes.Buffer) error {
		view, err := read(c.Request().Context())
		if err != nil {
			return err
		}
		return write(c, body, templates.LatestPage(s.page(c, v), view))
	})
}

// sendLatest sends what write writes of the newest posts, which is the same for all anonymous clients.
func (s *server) sendLatest(c echo.Context, active storage.Active, d document, write func(*bytes.Buffer) error) error {
	hit := true
	page, err := channel.ReadCachedAt(c.Request().Context(), s.pages, domain.Channel{}, active.Version, s.sharedAddress(c.Request()),
		func(context.Context, domain.Channel, storage.Version) (*sharedPage, error) {
			hit = false
			return newSharedPage(c, "", d, write)
		})
	s.tellCached(c, cachedPage, hit, err)
	if err != nil {
		return err
	}
	return page.Value.send(c)
}

// active finds the channels of a page of the newest posts. On the first page, it expects those that
// it found there before.
func (s *server) active(ctx context.Context, after string) (storage.Active, error) {
	var expected []domain.ChannelRef
	before := s.activeBefore.Load()
	if after == "" && before != nil {
		expected = *before
	}
	active, err := s.store.Feeds.Active(ctx, after, expected)
	if err == nil && after == "" {
		found := make([]domain.ChannelRef, len(active.Channels))
		for i, channel := range active.Channels {
			found[i] = channel.Ref()
		}
		s.activeBefore.Store(&found)
	}
	return active, err
}

// readLatest is a page of the newest posts, for the API.
func (s *server) readLatest(c echo.Context, _ visitor) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	active, err := s.active(c.Request().Context(), c.QueryParam("after"))
	if err != nil {
		return err
	}
	return s.sendLatest(c, active, document{mediaType: echo.MIMEApplicationJSON, forAll: true}, func(body *bytes.Buffer) error {
		latest, err := s.store.Feeds.Latest(c.Request().Context(), active, limit)
		if err != nil {
			return err
		}
		linkNext(c, latest.Next)
		return json.NewEncoder(body).Encode(newListJSON(latest, newFeedJSON))
	})
}

// listByActivity lists channels with posts for the API, those with the newest post first.
func (s *server) listByActivity(c echo.Context, limit int) error {
	found, err := s.store.Feeds.ByActivity(c.Request().Context(), c.QueryParam("after"), limit)
	return respondList(c, err, found, func(channel storage.ActiveChannel) channelJSON {
		j := newChannelJSON(channel.Channel)
		j.LastBlogOn = apiTime(channel.LastBlogOn)
		return j
	})
}

// home is the feed of a visitor who is signed in, and the newest posts of all for an anonymous client.
func (s *server) home(c echo.Context, v visitor) error {
	if !v.SignedIn() {
		return s.showLatest(c, v)
	}
	ctx, after := c.Request().Context(), c.QueryParam("after")
	feed, err := s.store.Feeds.List(ctx, v.User, after, pageSize)
	view := templates.Feed{Part: templates.Part{After: after, Next: feed.Next}, Posts: s.texts.feed(feed.Items)}
	if len(feed.Items) == 0 && err == nil {
		var subscriptions []domain.Subscription
		subscriptions, err = s.store.Subscriptions.ListAll(ctx, v.User)
		view.Subscriptions = len(subscriptions)
	}
	if err == nil && after == "" {
		view.Composer, err = s.lastUsed(ctx, v.User, feed.Items)
	}
	return show(s, c, v, err, templates.FeedPage, view)
}

// lastUsed is the form for a post in the channel that a user has used last: that of their newest
// post on the first page of their feed, or their own channel that was created last. It is nil if
// there is none, or if they may not post there.
func (s *server) lastUsed(ctx context.Context, user domain.UserName, feed []storage.FeedItem) (*templates.Channel, error) {
	if at := slices.IndexFunc(feed, func(item storage.FeedItem) bool { return item.UserID == user }); at >= 0 {
		if form, err := s.formIn(ctx, user, feed[at].Channel.Key); form != nil || err != nil {
			return form, err
		}
	}
	own, err := s.store.Channels.ListOwned(ctx, user, "", pageSize)
	if err != nil || len(own.Items) == 0 {
		return nil, err
	}
	newest := slices.MaxFunc(own.Items, func(a, b domain.Channel) int { return a.CreatedOn.Compare(b.CreatedOn) })
	return s.formIn(ctx, user, newest.Key())
}

// formIn is the form for a post in a channel, or nil if the user may not post there. It has the
// version of the channel for its key, as the form on the channel's page has: a post changes both.
func (s *server) formIn(ctx context.Context, user domain.UserName, key domain.ChannelKey) (form *templates.Channel, err error) {
	var postingRule storage.PostingRule
	err = s.store.Concurrently(ctx, func(ctx context.Context) error {
		channel, version, err := s.store.Channels.GetVersion(ctx, key.Address(), "")
		form = &templates.Channel{Channel: channel, Draft: templates.Draft{Key: cmp.Or(string(version), rand.Text())}}
		return err
	}, func(ctx context.Context) (err error) {
		postingRule, err = s.store.Posts.PostingRule(ctx, key)
		return err
	})
	switch {
	case errors.Is(err, domain.ErrNotFound), errors.Is(err, domain.ErrGone):
		return nil, nil // it was deleted meanwhile
	case err != nil:
		return nil, err
	}
	why, err := s.mayNotPost(ctx, form.Channel, postingRule, user)
	if err != nil || why != "" {
		return nil, err
	}
	return form, nil
}
