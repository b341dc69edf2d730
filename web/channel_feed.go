package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

// feedLength is the number of posts in the feed of a channel.
const feedLength = 50

// channelFeeds serve the latest posts of a channel to feed readers.
type channelFeeds struct {
	views  *channelViews
	shared *sharedPages
	origin func(*http.Request) string
	texts  *texts
}

func (h *channelFeeds) routes(r router) {
	get(r, "/channels/:name/feed.atom", h.serve(atomType, templates.ChannelAtomPath, encodeAtom))
	get(r, "/channels/:name/feed.json", h.serve(jsonFeedType, templates.ChannelJSONFeedPath, encodeJSONFeed))
}

// serve answers in one format. pathOf returns the path of the feed in this format. A feed
// is the same for everyone, whatever cookies they send.
func (h *channelFeeds) serve(mediaType string, pathOf func(name string) string, encode func(feed) ([]byte, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		encoded := func(channel domain.Channel, view *channelView) ([]byte, error) {
			origin := h.origin(c.Request())
			f := h.feed(channel, view.posts.Items, origin)
			f.self = origin + pathOf(string(channel.Name))
			return encode(f)
		}
		if h.views.cache != nil {
			return h.shared.answer(c, mediaType, func() sharedQuery {
				return sharedQuery{view: h.views.feedView(), forAll: true, make: encoded}
			})
		}
		name, err := channelName(c)
		if err != nil {
			return err
		}
		kept, err := h.views.read(c.Request().Context(), name.Key(), h.views.feedView())
		if err != nil {
			return err
		}
		body, err := encoded(kept.Channel, kept.Value)
		if err != nil {
			return err
		}
		return respondFeed(c, mediaType, publicCache, body)
	}
}

func (h *channelFeeds) feed(channel domain.Channel, posts []domain.Blog, origin string) feed {
	name := string(channel.Name)
	f := feed{
		id:       feedID("channel", string(channel.Incarnation)),
		title:    name,
		subtitle: markdown.Words(channel.Description),
		page:     origin + templates.ChannelPath(name),
		updated:  channel.CreatedOn,
		entries:  make([]feedEntry, len(posts)),
	}
	for i, post := range posts {
		updated := later(post.CreatedOn, post.EditedOn)
		f.updated = later(f.updated, updated)
		f.entries[i] = feedEntry{
			id:        feedID("post", string(channel.Incarnation), string(post.ID)),
			url:       origin + templates.BlogPath(name, string(post.ID)),
			title:     post.Title,
			author:    string(post.UserID),
			authorURL: origin + templates.UserPath(string(post.UserID)),
			text:      post.Text,
			html:      h.texts.content(post),
			published: post.CreatedOn,
			updated:   updated,
		}
	}
	return f
}
