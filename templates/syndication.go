package templates

import (
	"context"
	"strings"

	"github.com/a-h/templ"
)

// PostContent is a post's text as HTML for a feed. Feed readers show HTML without
// our style sheet and on another site, so links in feeds have a scheme and a host.
func PostContent(text string) string { return string(appendProse(nil, text)) }

// maxHeadline is the greatest number of characters of a text in a headline.
const maxHeadline = 60

// Headline is a post's title in a feed. If the post has none, it is the first words
// of its text.
func Headline(title, text string) string {
	if title != "" {
		return title
	}
	words := strings.Join(strings.Fields(text), " ")
	headline := firstRunes(words, maxHeadline)
	if headline == words {
		return headline
	}
	if end := strings.LastIndexByte(headline, ' '); end > 0 {
		headline = headline[:end]
	}
	return headline + "…"
}

// firstRunes is the first n code points of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// DigestHeadline is the title of a day's digest in a feed. It says how many posts
// there are.
func DigestHeadline(day string, channels []DigestChannel) string {
	posts := 0
	for _, channel := range channels {
		posts += channel.Total
	}
	return dayInWords(day) + ": " + counted(posts, "post") + " in " + counted(len(channels), "channel")
}

// DigestContent lists the posts of a day by channel as HTML for a feed. The origin,
// a scheme and a host, goes before each path.
func DigestContent(origin string, channels []DigestChannel) string {
	return content(digestContent(origin, channels))
}

// credit says who wrote a post and how many people vote for it.
func credit(p Post) string {
	if p.Rating > 0 {
		return p.Author + ", " + votes(p.Rating)
	}
	return p.Author
}

// content renders a component to a string.
func content(c templ.Component) string {
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		panic(err) // a Builder accepts every write, and nothing cancels the context
	}
	return b.String()
}
