package templates

import (
	"context"
	"strings"

	"github.com/a-h/templ"

	"microblogging/domain"
)

// maxHeadline is the greatest length of a headline that is made of a text, in characters.
const maxHeadline = 60

// Headline is a post's title in a feed. If the post has none, it is the first words
// of its text.
func Headline(title, text string) string {
	if title != "" {
		return title
	}
	return cut(text, maxHeadline)
}

// A DigestEntry is the digest of a day in a feed. It lists posts by their headlines, and
// may list less than the page of the digest does.
type DigestEntry struct {
	// Origin, a scheme and a host, goes before each path.
	Origin string
	// URL is the page of the digest.
	URL string
	// Day is written like 2026-11-20.
	Day string
	// Posts and Channels count the posts of the day, and the channels with such posts.
	Posts, Channels int
	Listed          []DigestEntryChannel
}

// A DigestEntryChannel is what an entry lists of one channel.
type DigestEntryChannel struct {
	Name domain.ChannelName
	// Posts are the most popular first.
	Posts []Post
	// Total is how many posts the day had. It may be more than len(Posts).
	Total int
}

// Headline is the title of the entry. It says how many posts there are.
func (v DigestEntry) Headline() string {
	return dayInWords(v.Day) + ": " + counted(v.Posts, "post") + " in " + counted(v.Channels, "channel")
}

// Content lists the posts as HTML.
func (v DigestEntry) Content() string { return content(digestContent(v)) }

// unlisted counts the channels of which the entry lists nothing.
func (v DigestEntry) unlisted() int { return v.Channels - len(v.Listed) }

// credit says who wrote a post and how many people vote for it.
func credit(p Post) string {
	if p.Rating > 0 {
		return string(p.UserID) + ", " + votes(p.Rating)
	}
	return string(p.UserID)
}

// content renders a component to a string.
func content(c templ.Component) string {
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		panic(err) // a Builder accepts every write, and nothing cancels the context
	}
	return b.String()
}
