package feed_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
)

// FuzzParse looks for a file that makes Parse or Draft panic, or return what cannot be
// posted, or return other entries when it is read again. Those would be imported a second
// time.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		f.Fatal("no files to start from: ", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, small := range smallFeeds {
		f.Add([]byte(small))
	}
	f.Add(fmt.Appendf(nil, `{"version":"https://jsonfeed.org/version/1.1","title":"%[1]s","items":[{"title":"%[1]s","content_text":"%s"}]}`,
		strings.Repeat("t", domain.MaxTitle+1), strings.Repeat("ß ", domain.MaxText)))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := read(data)
		if err != nil {
			if !errors.Is(err, feed.ErrNotAFeed) {
				t.Errorf("the error is not that of a file: %v", err)
			}
			return
		}
		for _, p := range got.Posts {
			checkPost(t, p)
		}
		if title, err := domain.ParseTitle(got.Title); err != nil || title != got.Title {
			t.Errorf("the feed's title is %q: %v", got.Title, err)
		}
		if again, err := read(data); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("read as %+v, and again as %+v, %v", got, again, err)
		}
	})
}

// smallFeeds has a feed of each format. They are small, so that a mutation is
// likely to hit something that matters.
var smallFeeds = []string{
	`<rss version="2.0"><channel><title>T</title><item><guid>g</guid><title>A &amp; B</title><description>&lt;p&gt;x&lt;/p&gt;</description><pubDate>Mon, 03 Feb 2014 04:05:06 GMT</pubDate></item><item><link>https://a.example</link></item></channel></rss>`,
	`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item><title>t</title></item></rdf:RDF>`,
	`<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">T</title><entry><id>i</id><updated>2014-02-03T04:05:06Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><pre>x
y</pre></div></content></entry><entry><title type="text">&lt;b&gt;</title><summary>s</summary></entry></feed>`,
	`{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","content_html":"<ul><li>x</ul>","date_published":"2014-02-03T04:05:06Z"},{"id":2,"content_text":"<x>"}]}`,
	`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_html":"<!--markdown-->*x*\u0000","summary":"y"}]}`,
}

func checkPost(t *testing.T, p post) {
	draft, err := domain.ParseDraft(domain.Draft{Title: p.Title, Text: p.Text})
	if err != nil {
		t.Errorf("%+v: %v", p, err)
	}
	if draft.Title != p.Title || draft.Text != p.Text {
		t.Errorf("%+v is stored as %+v", p, draft)
	}
	if err := domain.CheckTime("published", p.Published); err != nil {
		t.Errorf("%+v: %v", p, err)
	}
	kind, id, _ := strings.Cut(p.ID, ":")
	if id == "" || (kind != "id" && kind != "link" && kind != "hash") {
		t.Errorf("%+v has no usable ID", p)
	}
}
