package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
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
func (s *server) explainFeed(c echo.Context, v visitor) error {
	channel, err := s.channelAt(c, named(c))
	return show(s, c, v, err, templates.ChannelFeedPage, templates.ChannelFeed{Channel: channel.Name, Posts: feedLength})
}

func (s *server) atomFeed(c echo.Context, v visitor) error {
	return s.channelFeed(c, v, atomType, templates.ChannelAtomPath, encodeAtom)
}

func (s *server) jsonFeed(c echo.Context, v visitor) error {
	return s.channelFeed(c, v, jsonFeedType, templates.ChannelJSONFeedPath, encodeJSONFeed)
}

// channelFeed serves the latest posts of a channel to feed readers, in one format. pathOf
// returns the path of the feed in this format. A feed is the same for everyone.
func (s *server) channelFeed(c echo.Context, v visitor, mediaType string, pathOf func(domain.ChannelName) string, encode func(io.Writer, feed) error) error {
	return s.answer(c, v, document{
		mediaType: mediaType,
		forAll:    true,
		view:      "feed",
		read: func(ctx context.Context, channel domain.Channel, _ storage.Version) (*channelView, error) {
			posts, err := s.store.Blogs(ctx, channel.Ref(), storage.BlogQuery{Limit: feedLength})
			return &channelView{posts: posts}, err
		},
		write: func(body *bytes.Buffer, _ visitor, shown storage.Kept[*channelView], _ ownView) error {
			origin := s.origin(c.Request())
			f := s.feedOf(shown.Channel, shown.Value.posts.Items, origin)
			f.FeedURL = origin + pathOf(shown.Channel.Name)
			return encode(body, f)
		},
	})
}

func (s *server) feedOf(channel domain.Channel, posts []domain.Blog, origin string) feed {
	name := channel.Name
	f := feed{
		id:          feedID("channel", string(channel.Incarnation)),
		updated:     channel.CreatedOn,
		Version:     jsonFeedVersion,
		Title:       string(name),
		HomePageURL: origin + templates.ChannelPath(name),
		Description: markdown.Words(channel.Description),
		Items:       make([]feedItem, len(posts)),
	}
	for i, post := range posts {
		updated := later(post.CreatedOn, post.EditedOn)
		f.updated = later(f.updated, updated)
		f.Items[i] = feedItem{
			ID:            feedID("post", string(channel.Incarnation), string(post.ID)),
			URL:           origin + templates.BlogPath(name, post.ID),
			Title:         post.Title,
			ContentHTML:   s.texts.content(post),
			ContentText:   post.Text,
			DatePublished: feedTime(post.CreatedOn),
			DateModified:  feedTime(updated),
			Authors:       []feedAuthor{{string(post.UserID), origin + templates.UserPath(post.UserID)}},
		}
	}
	return f
}

const jsonFeedVersion = "https://jsonfeed.org/version/1.1"

// A feed is one in the format of [jsonFeedVersion], with what Atom needs besides. All addresses
// are absolute, because a feed reader shows a feed away from its site.
type feed struct {
	id      string
	updated time.Time

	Version     string `json:"version"`
	Title       string `json:"title"`
	HomePageURL string `json:"home_page_url"`
	// FeedURL is the feed's own address.
	FeedURL     string     `json:"feed_url"`
	Description string     `json:"description,omitempty"`
	Items       []feedItem `json:"items"`
}

type feedItem struct {
	ID  string `json:"id"`
	URL string `json:"url"`
	// Title is left out if a post has none, as the format asks of microblogs.
	Title string `json:"title,omitempty"`
	// ContentHTML has the same content as ContentText, or more.
	ContentHTML   string       `json:"content_html"`
	ContentText   string       `json:"content_text"`
	DatePublished string       `json:"date_published"`
	DateModified  string       `json:"date_modified"`
	Authors       []feedAuthor `json:"authors"`
}

type feedAuthor struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
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

// feedTime formats a time as RFC 3339, which both formats require.
func feedTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// atomDocument is a feed in the Atom format (RFC 4287). encoding/xml replaces characters
// that XML cannot hold with U+FFFD.
type atomDocument struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Subtitle string      `xml:"subtitle,omitempty"`
	Updated  string      `xml:"updated"`
	Links    []atomLink  `xml:"link"`
	Entries  []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Published string      `xml:"published"`
	Updated   string      `xml:"updated"`
	Author    string      `xml:"author>name"`
	AuthorURI string      `xml:"author>uri,omitempty"`
	Link      atomLink    `xml:"link"`
	Content   atomContent `xml:"content"`
}

// atomContent is HTML, escaped as text of the XML document.
type atomContent struct {
	Type string `xml:"type,attr"`
	HTML string `xml:",chardata"`
}

func encodeAtom(w io.Writer, f feed) error {
	doc := atomDocument{
		ID:       f.id,
		Title:    f.Title,
		Subtitle: f.Description,
		Updated:  feedTime(f.updated),
		Links: []atomLink{
			{Rel: "self", Type: "application/atom+xml", Href: f.FeedURL},
			{Rel: "alternate", Type: "text/html", Href: f.HomePageURL},
		},
		Entries: make([]atomEntry, len(f.Items)),
	}
	for i, item := range f.Items {
		doc.Entries[i] = atomEntry{
			ID:        item.ID,
			Title:     templates.Headline(item.Title, item.ContentText),
			Published: item.DatePublished,
			Updated:   item.DateModified,
			Author:    item.Authors[0].Name,
			AuthorURI: item.Authors[0].URL,
			Link:      atomLink{Rel: "alternate", Type: "text/html", Href: item.URL},
			Content:   atomContent{Type: "html", HTML: item.ContentHTML},
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return xml.NewEncoder(w).Encode(doc)
}

func encodeJSONFeed(w io.Writer, f feed) error { return json.NewEncoder(w).Encode(f) }
