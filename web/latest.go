package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

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
	keepQuery(c, "after")
	after := c.QueryParam("after")
	composing := v.SignedIn() && after == ""
	var active storage.Active
	var last domain.Channel
	var own ownView
	err := s.store.Concurrently(c.Request().Context(), func(ctx context.Context) (err error) {
		active, err = s.active(ctx, after)
		return err
	}, func(ctx context.Context) (err error) {
		if !composing {
			return nil
		}
		last, own.version, err = s.lastUsed(ctx, c)
		return err
	})
	if err != nil {
		return err
	}
	if composing {
		own.composer = s.composer(c, v, append([]domain.Channel{last}, channelsOf(active)...)...)
	}
	read := func(ctx context.Context) (templates.Latest, error) {
		view := templates.Latest{Part: templates.Part{After: after}}
		if composing {
			view.Composer = &own.composer
		}
		return view, s.store.Concurrently(ctx, func(ctx context.Context) error {
			latest, err := s.store.Feeds.Latest(ctx, active, pageSize)
			if view.Channels, view.Next = listed(active, latest.Items), latest.Next; err == nil {
				view.Posts, err = s.posts(c, v, latest.Items, inList)
			}
			return err
		}, func(ctx context.Context) error { return s.permit(ctx, v, view.Composer) })
	}
	if !s.mayShare(c.Request()) {
		shown := s.page(c, v)
		if s.has(c, shown, active.Version, own) {
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
	page, err := channel.ReadCachedAt(c.Request().Context(), s.pages, domain.Channel{}, active.Version, s.sharedAddress(c),
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
func (s *server) readLatest(c echo.Context, v visitor) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	keepQuery(c, "limit", "after")
	active, err := s.active(c.Request().Context(), c.QueryParam("after"))
	if err != nil {
		return err
	}
	read := func() (listJSON[blogJSON], error) {
		return s.postsJSON(c, v, limit, func(limit int) (storage.Page[storage.FeedItem], error) {
			return s.store.Feeds.Latest(c.Request().Context(), active, limit)
		})
	}
	if v.SignedIn() {
		list, err := read()
		return respond(c, err, http.StatusOK, list)
	}
	return s.sendLatest(c, active, document{mediaType: echo.MIMEApplicationJSON}, func(body *bytes.Buffer) error {
		list, err := read()
		if err != nil {
			return err
		}
		return json.NewEncoder(body).Encode(list)
	})
}

func blogsOf(items []storage.FeedItem) []domain.Blog {
	blogs := make([]domain.Blog, len(items))
	for i, item := range items {
		blogs[i] = item.Blog
	}
	return blogs
}

// posts are posts of several channels, as a visitor sees them.
func (s *server) posts(c echo.Context, v visitor, items []storage.FeedItem, place place) ([]templates.Post, error) {
	voted, err := s.store.Posts.VotedAmong(c.Request().Context(), blogsOf(items), v.User)
	posts := make([]templates.Post, len(items))
	for i, item := range items {
		posts[i] = s.texts.post(item.Name, item.Blog, place)
		posts[i].Voted = voted[item.ID]
	}
	return offer(posts, v.actor(), "", ""), err
}

// postsJSON reads a page of posts of several channels, as a caller sees them.
func (s *server) postsJSON(
	c echo.Context, v visitor, limit int, read func(limit int) (storage.Page[storage.FeedItem], error),
) (list listJSON[blogJSON], err error) {
	found, err := fitting(limit, read, func(found storage.Page[storage.FeedItem]) []domain.Blog { return blogsOf(found.Items) }, bytesInJSON)
	if err != nil {
		return list, err
	}
	voted, err := s.store.Posts.VotedAmong(c.Request().Context(), blogsOf(found.Items), v.User)
	linkNext(c, found.Next)
	return newListJSON(found, func(item storage.FeedItem) blogJSON { return newBlogJSON(item.Name, item.Blog, voted) }), err
}

// readFeed is a page of the caller's feed, for the API.
func (s *server) readFeed(c echo.Context, v visitor) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	list, err := s.postsJSON(c, v, limit, func(limit int) (storage.Page[storage.FeedItem], error) {
		return s.store.Feeds.List(c.Request().Context(), v.User, c.QueryParam("after"), limit)
	})
	return respond(c, err, http.StatusOK, list)
}

// listByActivity lists channels with posts for the API, those with the newest post first.
func (s *server) listByActivity(c echo.Context, limit int) error {
	found, err := s.store.Feeds.ByActivity(c.Request().Context(), c.QueryParam("after"), limit)
	return respondList(c, err, found, func(channel storage.ActiveChannel) channelJSON {
		j := newChannelJSON(channel.Channel)
		j.LastBlogOn = apiTime(channel.LastBlogOn.Truncate(time.Hour))
		return j
	})
}

// home is the feed of a visitor who is signed in, and the newest posts of all for an anonymous client.
func (s *server) home(c echo.Context, v visitor) error {
	if !v.SignedIn() {
		return s.showLatest(c, v)
	}
	after := c.QueryParam("after")
	var feed storage.Page[storage.FeedItem]
	var channels []domain.Channel
	err := s.store.Concurrently(c.Request().Context(), func(ctx context.Context) (err error) {
		feed, err = s.store.Feeds.List(ctx, v.User, after, pageSize)
		return err
	}, func(ctx context.Context) (err error) {
		if after == "" {
			channels, err = s.usual(ctx, c, v)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, item := range feed.Items {
		in := domain.Channel{Name: item.Name, Incarnation: item.Channel.Incarnation}
		if item.Role == domain.RoleOwner {
			in.Owner = v.User
		}
		channels = append(channels, in)
	}
	view := templates.Feed{Part: templates.Part{After: after, Next: feed.Next}, Starts: after == "" && len(feed.Items) == 0}
	var active storage.Active
	ofOthers := func(item storage.FeedItem) bool { return item.Role != domain.RoleOwner }
	if after == "" && feed.Next == "" && !slices.ContainsFunc(feed.Items, ofOthers) { // then channels to subscribe to are offered
		if active, err = s.active(c.Request().Context(), ""); err != nil {
			return err
		}
		view.Newcomer = view.Starts && cookieValue(c.Request(), lastCookie) == "" && len(channels) == 1 // no channel is their own
		channels = append(channels, channelsOf(active)...)
	}
	if after == "" {
		view.Composer = new(s.composer(c, v, channels...))
		view.Composer.First = view.Newcomer
		if before := s.seen(c, time.Now()); !view.Starts { // that is of the feed
			view.Seen = before
		}
	}
	err = s.store.Concurrently(c.Request().Context(), func(ctx context.Context) (err error) {
		if view.Starts {
			feed, err = s.store.Feeds.Latest(ctx, active, pageSize)
			view.Next = feed.Next
		}
		view.Channels = slices.DeleteFunc(listed(active, feed.Items), func(c templates.ListedChannel) bool { return c.Owner == v.User })
		if err == nil {
			view.Posts, err = s.posts(c, v, feed.Items, inList)
		}
		return err
	}, func(ctx context.Context) error { return s.permit(ctx, v, view.Composer) })
	for i := range view.Posts {
		post := &view.Posts[i]
		post.New = !view.Seen.IsZero() && post.CreatedOn.After(view.Seen) && post.UserID != v.User
	}
	return show(s, c, v, err, templates.FeedPage, view)
}

const (
	// seenCookie says until when the feed was read on this device before this visit, and until when in this visit, in
	// seconds. It is written once in noteSeen, since a response that sets a cookie has no entity tag.
	seenCookie = "seen"
	noteSeen   = 5 * time.Minute
	// A visit has ended if the feed was not read for so long.
	visitEnds = 30 * time.Minute
)

// seen is until when the feed was read on this device before this visit. It is zero if that is not known.
func (s *server) seen(c echo.Context, now time.Time) (before time.Time) {
	var visit, last int64
	_, _ = fmt.Sscanf(cookieValue(c.Request(), seenCookie), "%d.%d", &visit, &last) // without a cookie, nothing was read
	idle := now.Sub(time.Unix(last, 0))
	if idle > visitEnds {
		visit = last
	}
	if idle > noteSeen && c.Request().Header.Get("Sec-Fetch-Dest") != "empty" { // a script that asks for news reads nothing
		c.SetCookie(s.newCookie(c, seenCookie, fmt.Sprint(visit, ".", now.Unix()), rememberedFor))
	}
	if visit > 0 {
		before = time.Unix(visit, 0)
	}
	return before
}

// listed are the channels with the newest activity, in the order of the times that are shown. If its newest post is not on
// the page, the time is that of the index, which is up to five minutes before.
func listed(active storage.Active, posts []storage.FeedItem) (channels []templates.ListedChannel) {
	for _, channel := range active.Channels[:min(len(active.Channels), pageSize)] {
		shown := templates.ListedChannel{Channel: channel.Channel, On: channel.NotedOn}
		if at := slices.IndexFunc(posts, func(item storage.FeedItem) bool { return item.Channel == channel.Ref() }); at >= 0 {
			shown.On = posts[at].CreatedOn
		}
		channels = append(channels, shown)
	}
	slices.SortStableFunc(channels, func(a, b templates.ListedChannel) int { return b.On.Compare(a.On) })
	return channels
}
