package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

const (
	atomType     = "application/atom+xml; charset=utf-8"
	jsonFeedType = "application/feed+json"
	// feedLength is the number of posts in the feed of a channel.
	feedLength = 50
)

// explainFeed explains the feeds of a channel to people, before they meet XML.
func (s *server) explainFeed(c echo.Context, v visitor, in domain.Channel) error {
	return render(c, http.StatusOK, templates.ChannelFeedPage(s.page(c, v), templates.ChannelFeed{Channel: in.Name, Posts: feedLength}))
}

// channelFeed serves the latest posts of a channel to feed readers, in one format. pathOf
// returns the path of the feed in this format. A feed is the same for everyone.
func (s *server) channelFeed(mediaType string, pathOf func(domain.ChannelName) string, encode func(io.Writer, feed) error) handler {
	return func(c echo.Context, v visitor) error {
		keepQuery(c, "after")
		after := c.QueryParam("after")
		d := document{mediaType: mediaType, forAll: true, view: "feed " + mediaType + " " + after}
		d.read = func(ctx context.Context, channel domain.Channel, _ storage.Version) (*channelView, error) {
			posts, err := fitting(feedLength, func(limit int) (storage.Page[domain.Blog], error) {
				return s.store.Posts.List(ctx, channel.Ref(), storage.BlogQuery{After: after, Limit: limit})
			}, func(page storage.Page[domain.Blog]) []domain.Blog { return page.Items }, func(blog domain.Blog) int {
				var alone bytes.Buffer
				_ = encode(&alone, s.feedOf(channel, []domain.Blog{blog}, s.origin(c.Request()))) // a buffer takes all
				return alone.Len()
			})
			return &channelView{posts: storage.BlogsFound{ListPage: posts}}, err
		}
		d.write = func(body *bytes.Buffer, page templates.Page, shown storage.Kept[*channelView], _ ownView) error {
			f := s.feedOf(shown.Channel, shown.Value.posts.Items, page.Origin)
			f.FeedURL = page.Origin + pathOf(shown.Channel.Name)
			if next := shown.Value.posts.Next; next != "" {
				f.NextURL = f.FeedURL + "?after=" + next
			}
			if after != "" {
				f.FeedURL += "?after=" + after
			}
			return encode(body, f)
		}
		err := s.answer(c, v, d)
		if pending, ok := errors.AsType[*domain.PendingError](err); ok { // for ErrGone, feed readers give up a feed
			return &templates.Refusal{Cause: err, Problem: templates.Problem{
				Status: http.StatusServiceUnavailable, Title: "This channel was deleted", Detail: "That may still be undone.",
				RetryAfter: max(time.Until(pending.Channel.UndoableUntil), time.Second),
			}}
		}
		return err
	}
}

// emptyFeedOf is the feed of a channel before its posts are added, with what its owner wrote as they wrote it.
func emptyFeedOf(channel domain.Channel, origin string) feed {
	return feed{
		ID:          feedID("channel", string(channel.Incarnation)),
		updated:     channel.CreatedOn,
		Version:     jsonFeedVersion,
		Title:       string(channel.Name),
		HomePageURL: origin + templates.ChannelPath(channel.Name),
		Description: channel.Description,
		Items:       []feedItem{},
	}
}

func (s *server) feedOf(channel domain.Channel, posts []domain.Blog, origin string) feed {
	f := emptyFeedOf(channel, origin)
	f.Title, f.Description = s.site.In(f.Title), markdown.Words(f.Description)
	for _, post := range posts {
		f.updated = later(f.updated, later(post.CreatedOn, post.EditedOn))
		item := feedItemOf(channel.Name, post, origin)
		item.ContentHTML = s.texts.content(post)
		f.Items = append(f.Items, item)
	}
	return f
}

// feedItemOf is a post as its author wrote it, without HTML.
func feedItemOf(in domain.ChannelName, post domain.Blog, origin string) feedItem {
	return feedItem{
		ID:            feedID("post", string(post.Channel.Incarnation), string(post.ID)),
		URL:           origin + templates.BlogPath(in, post),
		Title:         post.Title,
		ContentText:   post.Text,
		DatePublished: feedTime(post.CreatedOn),
		DateModified:  feedTime(later(post.CreatedOn, post.EditedOn)),
		Authors:       []feedAuthor{authorOf(post.UserID, origin)},
	}
}

// feedItemOfReply is a reply to the post of an item.
func feedItemOfReply(reply domain.Reply, to feedItem, origin string) feedItem {
	return feedItem{
		ID:            feedID("reply", string(reply.Channel.Incarnation), string(reply.ID)),
		URL:           to.URL + "#" + templates.ReplyAnchor(reply.ID),
		ReplyTo:       to.ID,
		ContentText:   reply.Text,
		DatePublished: feedTime(reply.CreatedOn),
		DateModified:  feedTime(reply.CreatedOn),
		Authors:       []feedAuthor{authorOf(reply.UserID, origin)},
	}
}

func authorOf(name domain.UserName, origin string) feedAuthor {
	if name == domain.DeletedUser {
		return feedAuthor{Name: string(name)}
	}
	return feedAuthor{string(name), origin + templates.UserPath(name)}
}

const jsonFeedVersion = "https://jsonfeed.org/version/1.1"

// A feed is one in the formats of [jsonFeedVersion] and of Atom (RFC 4287). All addresses are
// absolute, because a feed reader shows a feed away from its site. encoding/xml replaces
// characters that XML cannot hold with U+FFFD.
type feed struct {
	XMLName xml.Name `json:"-" xml:"http://www.w3.org/2005/Atom feed"`
	updated time.Time

	ID          string `json:"-" xml:"id"`
	Version     string `json:"version" xml:"-"`
	Title       string `json:"title" xml:"title"`
	HomePageURL string `json:"home_page_url" xml:"-"`
	// FeedURL is the feed's own address.
	FeedURL string `json:"feed_url,omitempty" xml:"-"`
	// NextURL is the address of the feed of older posts, if there are any (RFC 5005, section 3).
	NextURL     string     `json:"next_url,omitempty" xml:"-"`
	Description string     `json:"description,omitempty" xml:"subtitle,omitempty"`
	Updated     string     `json:"-" xml:"updated"`
	Links       []atomLink `json:"-" xml:"link"`
	Items       []feedItem `json:"items" xml:"entry"`
}

type feedItem struct {
	ID  string `json:"id" xml:"id"`
	URL string `json:"url" xml:"-"`
	// Title is left out if a post has none, as the format asks of microblogs. Atom needs one.
	Title     string `json:"title,omitempty" xml:"-"`
	AtomTitle string `json:"-" xml:"title"`
	// ContentHTML has the same content as ContentText, or more.
	ContentHTML string `json:"content_html,omitempty" xml:"-"`
	ContentText string `json:"content_text" xml:"-"`
	// Markdown tells import to take ContentText as it is.
	Markdown *struct{} `json:"_markdown,omitempty" xml:"-"`
	// ReplyTo is the ID of the post that an export's reply answers. It tells import that this is no post.
	ReplyTo       string       `json:"_reply_to,omitempty" xml:"-"`
	DatePublished string       `json:"date_published" xml:"published"`
	DateModified  string       `json:"date_modified" xml:"updated"`
	Authors       []feedAuthor `json:"authors" xml:"author"`
	Link          atomLink     `json:"-" xml:"link"`
	Content       atomContent  `json:"-" xml:"content"`
}

type feedAuthor struct {
	Name string `json:"name" xml:"name"`
	URL  string `json:"url,omitempty" xml:"uri,omitempty"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

// atomContent is HTML, escaped as text of the XML document.
type atomContent struct {
	Type string `xml:"type,attr"`
	HTML string `xml:",chardata"`
}

// feedID returns the id of a feed or an entry, made from the names that identify it.
// The id does not depend on the site's address or on what an entry says. It is a
// version 8 UUID of a hash, as in RFC 9562, appendix B.2.
func feedID(what string, names ...string) string {
	hash := sha256.New()
	_, _ = io.WriteString(hash, "microblogging "+what) // a hash never fails
	for _, name := range names {
		_, _ = io.WriteString(hash, "\x00"+name)
	}
	id := hash.Sum(nil)[:16]
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// feedTime formats a time as RFC 3339, which both formats require. A time in the future becomes the present, because some
// feed readers hide such a post or keep it on top.
func feedTime(t time.Time) string {
	if now := time.Now(); t.After(now) {
		t = domain.Storable(now)
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func encodeAtom(w io.Writer, f feed) error {
	f.Updated = feedTime(f.updated)
	f.Links = []atomLink{{"self", "application/atom+xml", f.FeedURL}, {"alternate", "text/html", f.HomePageURL}}
	if f.NextURL != "" {
		f.Links = append(f.Links, atomLink{"next", "application/atom+xml", f.NextURL})
	}
	for i := range f.Items {
		item := &f.Items[i]
		item.AtomTitle = templates.Headline(item.Title, item.ContentText)
		item.Link = atomLink{"alternate", "text/html", item.URL}
		item.Content = atomContent{"html", item.ContentHTML}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return xml.NewEncoder(w).Encode(f)
}

func encodeJSONFeed(w io.Writer, f feed) error { return json.NewEncoder(w).Encode(f) }
