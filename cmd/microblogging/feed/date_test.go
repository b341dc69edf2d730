package feed_test

import (
	"fmt"
	"testing"
	"time"
)

func TestDate(t *testing.T) {
	t.Run("of Dublin Core's terms is read", termsAreRead)
	t.Run("that cannot be read is told from none", misdated)
}

func termsAreRead(t *testing.T) {
	const rss = `<rss xmlns:t="http://purl.org/dc/terms/"><channel><item><title>a</title>%s</item></channel></rss>`
	const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:t="http://purl.org/dc/terms/"><entry><title>a</title>%s</entry></feed>`
	for _, c := range []struct{ format, dates, want string }{
		{rss, "<t:created>2024-02-29T12:30:15.5+02:00</t:created>", "2024-02-29T10:30:15.5Z"},
		{rss, "<t:modified>2024-03-01</t:modified><t:issued>2024-02</t:issued>", "2024-02-01T00:00:00Z"},
		{rss, "<t:issued>soon</t:issued><t:created>2024</t:created>", "2024-01-01T00:00:00Z"},
		{rss, "<t:created>2023</t:created><t:issued>2024</t:issued>", "2024-01-01T00:00:00Z"},
		{rss, "<pubDate>1 Mar 2024 00:00:00 Z</pubDate><t:issued>2023</t:issued>", "2024-03-01T00:00:00Z"},
		{atom, "<t:date> 2024-02-29T12:30Z </t:date>", "2024-02-29T12:30:00Z"},
		{atom, "<updated>2024-03-01T00:00:00Z</updated><t:issued>2024</t:issued>", "2024-03-01T00:00:00Z"},
	} {
		got := readString(t, fmt.Sprintf(c.format, c.dates))
		if len(got.Posts) != 1 || got.Posts[0].Misdated || got.Posts[0].Published.Format(time.RFC3339Nano) != c.want {
			t.Errorf("%s: got %+v, want %s", c.dates, got.Posts, c.want)
		}
	}
}

func misdated(t *testing.T) {
	for dates, want := range map[string]bool{
		"": false, "<pubDate>1 Mar 2024 00:00:00 Z</pubDate>": false, "<pubDate> </pubDate>": false,
		"<pubDate>someday</pubDate>": true, "<pubDate>Mon, 01 Jan 0000 00:00:00 GMT</pubDate>": true,
		`<issued xmlns="http://purl.org/dc/terms/">soon</issued>`: true,
	} {
		got := readString(t, "<rss><channel><item><title>a</title>"+dates+"</item></channel></rss>")
		if len(got.Posts) != 1 || got.Posts[0].Misdated != want {
			t.Errorf("%s: got %+v, want %v", dates, got.Posts, want)
		}
	}
}
