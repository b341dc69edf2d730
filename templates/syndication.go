package templates

import "strings"

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
	b := append([]byte(dayInWords(day)), ": "...)
	b = appendCount(b, posts, "post")
	b = append(b, " in "...)
	return string(appendCount(b, len(channels), "channel"))
}

// DigestContent lists the posts of a day by channel as HTML. The origin makes
// the links whole: it is a scheme and a host.
func DigestContent(origin string, channels []DigestChannel) string {
	var b []byte
	for i := range channels {
		b = appendDigestChannel(b, origin, &channels[i])
	}
	return string(b)
}

func appendDigestChannel(b []byte, origin string, c *DigestChannel) []byte {
	b = append(b, `<h2 dir="auto">`...)
	b = appendAnchor(b, origin+ChannelPath(c.Name), c.Name)
	b = append(b, "</h2>"...)
	if c.cut() {
		b = append(append(b, "<p>The "...), count(int64(len(c.Posts)))...)
		b = append(append(b, " most popular of "...), count(int64(c.Total))...)
		b = append(b, " posts.</p>"...)
	}
	b = append(b, "<ul>"...)
	for i := range c.Posts {
		post := &c.Posts[i]
		b = append(b, `<li dir="auto">`...)
		b = appendAnchor(b, origin+BlogPath(c.Name, post.ID), Headline(post.Title, post.Text))
		b = append(b, " by "...)
		b = appendEscaped(b, post.Author)
		if post.Rating > 0 {
			b = append(b, ", "...)
			b = appendVotes(b, post.Rating)
		}
		b = append(b, "</li>"...)
	}
	return append(b, "</ul>"...)
}

func appendAnchor(b []byte, url, text string) []byte {
	b = append(b, `<a href="`...)
	b = appendEscaped(b, url)
	b = append(b, `">`...)
	b = appendEscaped(b, text)
	return append(b, "</a>"...)
}
