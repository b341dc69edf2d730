package feed_test

import "testing"

func TestDate(t *testing.T) {
	t.Run("that cannot be read is told from none", misdated)
}

func misdated(t *testing.T) {
	for dates, want := range map[string]bool{
		"": false, "<pubDate>1 Mar 2024 00:00:00 Z</pubDate>": false, "<pubDate> </pubDate>": false,
		"<pubDate>someday</pubDate>": true, "<pubDate>Mon, 01 Jan 0000 00:00:00 GMT</pubDate>": true,
	} {
		got := readString(t, "<rss><channel><item><title>a</title>"+dates+"</item></channel></rss>")
		if len(got.Posts) != 1 || got.Posts[0].Misdated != want {
			t.Errorf("%s: got %+v, want %v", dates, got.Posts, want)
		}
	}
}
