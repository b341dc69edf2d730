package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

// feedLength is the number of posts in the feed of a channel.
const feedLength = 50

type channelFeedStore interface {
	channelReader
	Blogs(ctx context.Context, ref domain.ChannelRef, q storage.BlogQuery) (storage.BlogPage, error)
}

// channelFeeds serve the latest posts of a channel to feed readers.
type channelFeeds struct {
	store  channelFeedStore
	origin func(*http.Request) string
	texts  *texts
}

func (h *channelFeeds) routes(r router) {
	get(r, "/channels/:name/feed.atom", h.serve(atomType, templates.ChannelAtomPath, encodeAtom))
	get(r, "/channels/:name/feed.json", h.serve(jsonFeedType, templates.ChannelJSONFeedPath, encodeJSONFeed))
}

// serve answers in one format. pathOf returns the path of the feed in this format.
func (h *channelFeeds) serve(mediaType string, pathOf func(name string) string, encode func(feed) ([]byte, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		channel, err := pathChannel(c, h.store)
		if err != nil {
			return err
		}
		posts, err := h.store.Blogs(c.Request().Context(), channel.Ref(), storage.BlogQuery{Limit: feedLength})
		if err != nil {
			return err
		}
		origin := h.origin(c.Request())
		f := h.feed(channel, posts.Items, origin)
		f.self = origin + pathOf(string(channel.Name))
		body, err := encode(f)
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
