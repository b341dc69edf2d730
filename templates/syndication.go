package templates

import (
	"context"
	"strings"

	"github.com/a-h/templ"
)

// What stands in feeds is read elsewhere: it is HTML that stands alone, without
// a style or a page around it, and its links are whole.

// PostContent is a post's text as HTML.
func PostContent(text string) string { return string(appendProse(nil, text)) }

// maxHeadline is how many characters of a text make a headline.
const maxHeadline = 60

// Headline is a post's title, or else the first words of its text.
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

// firstRunes is the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// DigestHeadline names the digest of a day, and says how much there is in it.
func DigestHeadline(day string, channels []DigestChannel) string {
	posts := 0
	for _, channel := range channels {
		posts += channel.Total
	}
	return dayInWords(day) + ": " + counted(posts, "post") + " in " + counted(len(channels), "channel")
}

// DigestContent lists the posts of a day by channel as HTML. The origin makes
// the links whole: it is a scheme and a host.
func DigestContent(origin string, channels []DigestChannel) string {
	return content(digestContent(origin, channels))
}

// credit says who wrote a post, and how many vote for it.
func credit(p Post) string {
	if p.Rating > 0 {
		return p.Author + ", " + votes(p.Rating)
	}
	return p.Author
}

// content renders what cannot fail: it neither reads anything nor can be
// cancelled.
func content(c templ.Component) string {
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		panic(err)
	}
	return b.String()
}
