package feed_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
)

// A whole is a feed with the posts of all its entries.
type whole struct {
	Title, Source string
	Posts         []post
	LeftOut       int
}

// A post is what an entry becomes.
type post struct {
	ID          string
	Published   time.Time
	Misdated    bool
	Title, Text string
	Lost        feed.Loss
}

func read(document []byte) (whole, error) {
	read, err := feed.Parse(slices.Clone(document)) // Parse may change it
	got := whole{Title: read.Title, Source: read.Source}
	converter := feed.NewConverter()
	for _, e := range read.Entries {
		draft, lost := converter.Draft(e)
		if e.LeftOut != "" || draft.Text == "" {
			got.LeftOut++
			continue
		}
		got.Posts = append(got.Posts, post{e.Key.ID, e.Published, e.Misdated, draft.Title, draft.Text, lost})
	}
	return got, err
}

// fatal is a test, or a check of rapid.
type fatal interface {
	Helper()
	Fatal(...any)
}

// ok ends the test if there is an error.
func ok(t fatal, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) whole {
	t.Helper()
	return readString(t, content(t, name))
}

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	ok(t, err)
	return string(data)
}

func readString(t *testing.T, s string) whole {
	t.Helper()
	got, err := read([]byte(s))
	ok(t, err)
	for _, p := range got.Posts {
		if _, err := domain.ParseDraft(domain.Draft{Title: p.Title, Text: p.Text}); err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
	}
	return got
}

func compare(t *testing.T, got, want whole) {
	t.Helper()
	if got.Title != want.Title || got.LeftOut != want.LeftOut || len(got.Posts) != len(want.Posts) {
		t.Fatalf("got %q with %d posts and %d left out\nwant %q with %d and %d",
			got.Title, len(got.Posts), got.LeftOut, want.Title, len(want.Posts), want.LeftOut)
	}
	for i := range want.Posts {
		if got.Posts[i] != want.Posts[i] {
			t.Errorf("entry %d:\n got %+v\nwant %+v", i, got.Posts[i], want.Posts[i])
		}
	}
}

func TestFormat(t *testing.T) {
	t.Run("each file of testdata becomes the posts that testdata/posts has", filesBecomePosts)
	t.Run("a byte order mark does not matter", byteOrderMarkDoesNotMatter)
	t.Run("a file that is not a feed is refused", notAFeedIsRefused)
	t.Run("elements cannot nest without end", nestingIsBounded)
	t.Run("entries are read around a channel, and in the next one", entriesAnywhere)
	t.Run("an item that is never closed is read", unclosedItem)
	t.Run("an Atom entry document is one post, and so is an item with an XHTML body, or of a podcast, or with wrong characters", entryDocument)
	t.Run("blank lines of WordPress's editor begin paragraphs, and media have their words once", oddFormats)
	t.Run("one wrong member of a JSON Feed leaves the others", wrongMember)
	t.Run("that breaks off at any byte is refused", brokenOffIsRefused)
	t.Run("that is compressed is named", compressedIsNamed)
	t.Run("of XML 1.1, and with a ]]> in a text, is read", oddXML)
}

func TestEntry(t *testing.T) {
	t.Run("a link is taken from an ID that is one", linkFromID)
	t.Run("what is over the limit is cut and reported", overTheLimitIsCut)
	t.Run("a text that is cut ends with its media and a link to its source", cutEndsWithLink)
}

// If that is meant to change, run it with MICROBLOGGING_TEST_POSTS=write, which writes testdata/posts. An entry with
// another key would be imported a second time, unless the former one is among its former keys.
func filesBecomePosts(t *testing.T) {
	want, err := os.ReadFile("testdata/posts")
	ok(t, err)
	names, err := filepath.Glob("testdata/*.*")
	ok(t, err)
	var got strings.Builder
	for _, name := range names {
		read := readFile(t, filepath.Base(name))
		fmt.Fprintf(&got, "%s: %q, of %s, %d left out\n", filepath.Base(name), read.Title, read.Source, read.LeftOut)
		for _, p := range read.Posts {
			fmt.Fprintf(&got, "\t%s of %s (misdated %t, lost %+v): %q\n\t\t%q\n", p.ID, p.Published.Format(time.RFC3339Nano), p.Misdated, p.Lost, p.Title, p.Text)
		}
	}
	if got.String() != string(want) {
		if os.Getenv("MICROBLOGGING_TEST_POSTS") == "write" {
			ok(t, os.WriteFile("testdata/posts", []byte(got.String()), 0o600))
		}
		t.Errorf("a file of testdata became something else:\n%s", difference(string(want), got.String()))
	}
}

// difference has the lines of two texts that only one of them has, each with the file that it is of.
func difference(want, got string) string {
	var b strings.Builder
	for _, of := range []struct{ sign, text, other string }{{"-", want, got}, {"+", got, want}} {
		other, file := strings.Split(of.other, "\n"), ""
		for line := range strings.Lines(of.text) {
			if !strings.HasPrefix(line, "\t") {
				file, _, _ = strings.Cut(line, ":")
			}
			if !slices.Contains(other, strings.TrimSuffix(line, "\n")) {
				fmt.Fprintf(&b, "%s %s: %s", of.sign, file, line)
			}
		}
	}
	return cmp.Or(b.String(), "the same lines in another order")
}

func byteOrderMarkDoesNotMatter(t *testing.T) {
	for _, name := range []string{"garden.rss", "harbour.atom", "kitchen.json"} {
		compare(t, readString(t, "\uFEFF"+content(t, name)), readFile(t, name))
	}
}

func TestEntryID(t *testing.T) {
	ids := func(head, items string) (ids []string) {
		for _, p := range readString(t, "<rss><channel>"+head+items+"</channel></rss>").Posts {
			ids = append(ids, p.ID)
		}
		return ids
	}
	const link = "<link>https://a.example/</link>"
	t.Run("of one kind is not one of another kind", func(t *testing.T) {
		if got := ids(link, "<item><guid>https://a.example/</guid><title>x</title></item><item>"+link+"<title>x</title></item>"); got[0] == got[1] {
			t.Errorf("both are %q", got[0])
		}
	})
	t.Run("is not shared by entries with different contents", func(t *testing.T) {
		const x, y = "<item><guid>1</guid><title>x</title></item>", "<item><guid>1</guid><title>y</title></item>"
		got, more := ids(link, x+y+x), ids(link, "<item><guid>1</guid><title>new</title></item>"+x+y)
		if len(got) != 2 || got[0] == got[1] || !slices.Equal(more[1:], got) {
			t.Errorf("they are %q, and %q when there is a new one", got, more)
		}
	})
	t.Run("stays when a site moves", keyStaysWhenASiteMoves)
	t.Run("that is a URL, a URN or a tag depends on no feed", uniqueIDDependsOnNoFeed)
	t.Run("that an earlier program gave is among the former ones", formerKeysAreKept)
	t.Run("is not shared by feeds without a link", func(t *testing.T) {
		const head = "<title>Notes</title><link>/</link>"
		a, b := ids(head, "<item><guid>1</guid><title>a</title></item>"), ids(head, "<item><guid>1</guid><title>b</title></item>")
		if a[0] == b[0] {
			t.Errorf("both are %q", a)
		}
	})
}

// keysOf returns the keys of all entries that are not left out.
func keysOf(t *testing.T, document string) (keys []feed.Key) {
	t.Helper()
	read, err := feed.Parse([]byte(document))
	ok(t, err)
	for _, e := range read.Entries {
		if e.LeftOut == "" {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

func keyStaysWhenASiteMoves(t *testing.T) {
	const of = `<rss><channel>%s<item><guid>1</guid><title>a</title></item><item><guid>SITE/?p=2</guid><title>b</title></item>` +
		`<item><link>SITE/3</link><title>c</title></item><item><title>d</title><description>&lt;a href="SITE/d">x&lt;/a></description></item>` +
		`<item><guid>5</guid><title>e</title></item><item><guid>5</guid><title>f</title></item></channel></rss>`
	for _, head := range []string{"<title>T</title>", "<title>T</title><link>SITE/</link>"} {
		document := fmt.Sprintf(of, head)
		want := keysOf(t, strings.ReplaceAll(document, "SITE", "http://blog.example"))
		if len(want) != 6 {
			t.Fatalf("got %q", want)
		}
		for _, site := range []string{"https://blog.example", "http://www.blog.example", "https://www.blog.example"} {
			if got := keysOf(t, strings.ReplaceAll(document, "SITE", site)); !slices.Equal(got, want) {
				t.Errorf("on %s they are %q, want %q", site, got, want)
			}
		}
	}
	for _, same := range [][2]string{{"http://a.example/1", "https://www.a.example/1/"}, {"http://a.example/", "https://a.example"}} {
		const entry = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>%s</id><title>t</title></entry></feed>`
		if a, b := keysOf(t, fmt.Sprintf(entry, same[0])), keysOf(t, fmt.Sprintf(entry, same[1])); !slices.Equal(a, b) {
			t.Errorf("%q are not the same: %q, %q", same, a, b)
		}
		// Of one file they are one entry only if their contents are the same.
		const two = `<rss><channel><link>https://a.example</link><item><guid>%s</guid><title>t</title></item><item><guid>%s</guid><title>%s</title></item></channel></rss>`
		if one, both := keysOf(t, fmt.Sprintf(two, same[0], same[1], "t")), keysOf(t, fmt.Sprintf(two, same[0], same[1], "u")); len(one) != 1 || len(both) != 2 || both[0] == both[1] {
			t.Errorf("%q in one file: %q, %q", same, one, both)
		}
	}
}

func uniqueIDDependsOnNoFeed(t *testing.T) {
	const of = `<rss><channel><title>%s</title><link>%s</link><item><guid>%s</guid><title>t</title></item></channel></rss>`
	for id, want := range map[string]bool{
		"https://a.example/1": true, "http://a.example": true, "urn:uuid:1": true, "tag:a.example,2020:1": true,
		"1": false, "post:1": false, "/1": false, "https:1": false, "": false,
	} {
		a, b := keysOf(t, fmt.Sprintf(of, "A", "https://a.example", id)), keysOf(t, fmt.Sprintf(of, "B", "https://b.example", id))
		if alone := slices.Equal(a, b); alone != want {
			t.Errorf("%q: %q and %q", id, a, b)
		}
		if none := keysOf(t, fmt.Sprintf(of, "A", "", id)); slices.Equal(a, none) != want {
			t.Errorf("%q in a feed without a link: %q and %q", id, a, none)
		}
	}
}

// testdata/former has the sources of feeds and the ids of entries that the program of commit 0064adec gave them.
func formerKeysAreKept(t *testing.T) {
	former := map[string][]feed.Key{}
	for line := range strings.Lines(content(t, "former")) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		former[fields[0]] = append(former[fields[0]], feed.Key{Source: fields[1], ID: fields[2]})
	}
	for name, keys := range former {
		for _, scheme := range []string{"https://", "http://"} {
			read, err := feed.Parse([]byte(strings.ReplaceAll(content(t, name), "https://", scheme)))
			ok(t, err)
			for _, key := range keys {
				// A hash of the content, with its addresses, is another one after a move.
				hashed := strings.Contains(key.ID, " ") || strings.HasPrefix(key.ID, "hash:")
				has := func(e feed.Entry) bool { return slices.Contains(append(e.Former, e.Key), key) }
				if !slices.ContainsFunc(read.Entries, has) && (scheme == "https://" || !hashed) {
					t.Errorf("%s with %s: no entry has the key %q", name, scheme, key)
				}
			}
		}
	}
}

func linkFromID(t *testing.T) {
	got := readString(t, `<rss><channel>
		<item><title>T</title><link>/relative</link><guid>https://a.example/1</guid></item>
	</channel></rss>`)
	if e := got.Posts[0]; e.Title != "T" || e.Text != "https://a.example/1" {
		t.Errorf("got %+v", e)
	}
}

func overTheLimitIsCut(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	item := func(title, text string) string {
		return "<item><title>" + title + "</title><description>" + text + "</description></item>"
	}
	// 24 words have 119 characters, and 1,000 have 4,999: the ellipsis still fits.
	got := readString(t, "<rss><channel>"+
		item(words(24), words(1000))+
		item(words(30), "short")+
		item("short", words(1001))+
		item(words(2000), "")+
		item("long", "&lt;p&gt;"+words(5000)+"&lt;/p&gt;")+
		"</channel></rss>")
	want := []post{
		{Title: words(24), Text: words(1000)},
		{Title: words(24) + "…", Text: "short", Lost: feed.Loss{Cut: true}},
		{Title: "short", Text: words(1000) + "…", Lost: feed.Loss{Cut: true}},
		{Text: words(1000) + "…", Lost: feed.Loss{Cut: true}},
		{Title: "long", Text: words(1000) + "…", Lost: feed.Loss{Cut: true}},
	}
	for i, e := range got.Posts {
		want[i].ID = e.ID
	}
	compare(t, got, whole{Posts: want})
}

func cutEndsWithLink(t *testing.T) {
	got := readString(t, "<rss><channel><item><link>https://a.example/1</link><description>&lt;pre&gt;"+strings.Repeat("code\n\n", 2000)+
		`&lt;/pre&gt;</description><enclosure url="https://a.example/1.mp3" type="audio/mpeg"/></item></channel></rss>`)
	const end = "…\n```\n\n[audio](https://a.example/1.mp3)\n\n[Read on](https://a.example/1)"
	if p := got.Posts[0]; !p.Lost.Cut || !strings.HasSuffix(p.Text, end) {
		t.Errorf("it ends with %q, want %q", p.Text[len(p.Text)-120:], end)
	}
}

func notAFeedIsRefused(t *testing.T) {
	for name, content := range map[string]string{
		"empty":          "",
		"blank":          " \n\t",
		"only a mark":    "\uFEFF",
		"prose":          "Dear diary,",
		"a page":         "<!DOCTYPE html><html><body><p>Hello</p></body></html>",
		"other XML":      `<?xml version="1.0"?><opml version="2.0"><body/></opml>`,
		"other JSON":     `{"name":"microblogging","version":"1.0.0"}`,
		"a JSON list":    `[1,2,3]`,
		"broken JSON":    `{"version":"https://jsonfeed.org/version/1","items":[`,
		"wrong types":    `{"version":"https://jsonfeed.org/version/1","items":"none"}`,
		"truncated RSS":  `<rss version="2.0"><channel><item><title>Hel`,
		"truncated Atom": `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>x</id>`,
		"a picture":      "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read([]byte(content))
			if !errors.Is(err, feed.ErrNotAFeed) {
				t.Errorf("got %+v and the error %v", got, err)
			}
		})
	}
}

// The parser recurses. A few megabytes of such a file would overflow its stack,
// which ends the process.
func nestingIsBounded(t *testing.T) {
	_, err := read([]byte("<rss><channel><item>" + strings.Repeat("<x:y>", 200_000)))
	if !errors.Is(err, feed.ErrNotAFeed) || !strings.Contains(err.Error(), "nest") {
		t.Errorf("got %v", err)
	}
	many := strings.Repeat("<br>a", 200_000)
	readString(t, `{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","content_html":"`+many+`"}]}`)
	readString(t, `<rss><channel><item><description><![CDATA[`+many+`]]></description></item></channel></rss>`)
}

func entryDocument(t *testing.T) {
	for _, text := range []string{
		`<entry xmlns="http://www.w3.org/2005/Atom"><id>urn:1</id><title>T</title><content type="html">&lt;p&gt;Hello &lt;em&gt;you&lt;/em&gt;&lt;/p&gt;</content></entry>`,
		`<rss xmlns:i="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><item><guid>1</guid><i:title>T</i:title><i:subtitle>Hello &lt;em&gt;you&lt;/em&gt;</i:subtitle></item></channel></rss>`,
		`<rss><channel><item><guid>1</guid><title>T&#8;&#x1F;&#0;&#xFFFF;</title><description>Hello &lt;em&gt;you&lt;/em&gt;</description></item></channel></rss>`,
		`<rss><channel><item><guid>1</guid><title>T</title><body xmlns="http://www.w3.org/1999/xhtml"><p>Hello <em>you</em></p></body></item></channel></rss>`,
	} {
		if got := readString(t, text); len(got.Posts) != 1 || got.Posts[0].Title != "T" || got.Posts[0].Text != "Hello *you*" {
			t.Errorf("%s is %+v", text, got)
		}
	}
}

func oddFormats(t *testing.T) {
	got := readString(t, `<rss xmlns:wp="http://wordpress.org/export/1.2/" xmlns:media="http://search.yahoo.com/mrss/"><channel><item><guid>1</guid>
		<encoded xmlns="http://purl.org/rss/1.0/modules/content/">one <b>two</b>

three&lt;pre&gt;a

b&lt;/pre&gt;</encoded><wp:post_type>post</wp:post_type></item>
		<item><guid>2</guid><media:content url="https://a.example/v" medium="video"><media:description>v</media:description><media:thumbnail url="https://a.example/t"/></media:content></item></channel></rss>`)
	const one, two = "one **two**\n\nthree\n\n```\na\n\nb\n```", "[v](https://a.example/v)\n\n![picture](https://a.example/t)"
	if len(got.Posts) != 2 || got.Posts[0].Text != one || got.Posts[1].Text != two {
		t.Errorf("got %+v", got)
	}
}

func entriesAnywhere(t *testing.T) {
	got := readString(t, `<rss><item><guid>1</guid><title>a</title></item>
		<channel><title>One</title><item><guid>2</guid><title>b</title></item></channel>
		<channel><item><guid>3</guid><title>c</title></item></channel></rss>`)
	if len(got.Posts) != 3 || got.Title != "One" {
		t.Errorf("got %+v, want One with 3", got)
	}
}

// A decoder that is not strict takes the end of an outer element for the end of those
// in it.
func unclosedItem(t *testing.T) {
	for _, file := range []string{
		`<rss><channel><link>http://x</link><title>T</title><item><guid>1</guid><title>a</channel></rss>`,
		`<rss><channel><link>http://x</link><title>T</title><item><guid>1</guid><title>a</title></channel></rss>`,
		`<rss><channel><link>http://x</link><title>T</title><item><guid>1</guid><title>a</item></channel></rss>`,
		`<rss><channel><link>http://x</link><title>T</title><item><guid>1</guid><title>a</rss>`,
		`<x:rss xmlns:x="urn:x"><channel><link>http://x</link><title>T</title><item><guid>1</guid><title>a</title></channel></x:rss>`,
	} {
		got, err := read([]byte(file))
		if err != nil || len(got.Posts) != 1 || got.Posts[0].ID != "id:1" || got.Posts[0].Text != "a" || got.Title != "T" {
			t.Errorf("%s: got %+v, %v", file, got, err)
		}
	}
}

func wrongMember(t *testing.T) {
	const right = `"id":"1","url":"https://a.example/","title":"T","content_html":"<p>x</p>","date_published":"2024-01-02T03:04:05Z"`
	for _, wrong := range []string{
		`"author":"Jane"`, `"authors":{}`, `"tags":"a"`, `"attachments":{"url":1}`, `"title":5`, `"content_text":["y"]`,
		`"summary":{}`, `"image":false`, `"date_modified":1`, `"external_url":[]`, `"language":0`,
	} {
		head := `{"version":"https://jsonfeed.org/version/1.1","title":"F","feed_url":"https://a.example/feed",`
		for _, document := range []string{
			head + `"items":[{` + right + `,` + wrong + `}]}`,
			head + wrong + `,"items":[{` + right + `}]}`,
		} {
			got := readString(t, document)
			if len(got.Posts) != 1 || got.Posts[0].ID != "id:1" || got.Posts[0].Text != "x" || got.Posts[0].Published.IsZero() {
				t.Errorf("%s: got %+v", document, got)
			}
		}
	}
}

func brokenOffIsRefused(t *testing.T) {
	names, err := filepath.Glob("testdata/*.*")
	ok(t, err)
	for _, name := range names {
		document := strings.TrimSpace(content(t, filepath.Base(name)))
		for at := range len(document) {
			if got, err := read([]byte(document[:at])); !errors.Is(err, feed.ErrNotAFeed) || len(got.Posts) > 0 {
				t.Errorf("%s up to byte %d: got %d posts, %v", name, at, len(got.Posts), err)
			}
		}
	}
}

func compressedIsNamed(t *testing.T) {
	var file bytes.Buffer
	w := gzip.NewWriter(&file)
	_, err := w.Write([]byte(content(t, "garden.rss")))
	ok(t, errors.Join(err, w.Close()))
	for document, format := range map[string]string{file.String(): "gzip", "PK\x03\x04": "zip", "BZh9": "bzip2", "\xfd7zXZ\x00": "xz", "\x28\xb5\x2f\xfd": "zstd"} {
		if _, err := read([]byte(document)); !errors.Is(err, feed.ErrNotAFeed) || !strings.Contains(err.Error(), "compressed with "+format) {
			t.Errorf("%s: got %v", format, err)
		}
	}
}

func oddXML(t *testing.T) {
	const item = "<rss><channel><item><description>%s</description></item></channel></rss>"
	for document, want := range map[string]string{
		`<?xml version="1.1" encoding="UTF-8"?>` + fmt.Sprintf(item, "é"):             "é",
		fmt.Sprintf(item, "a ]]&gt; b ]]> c"):                                         `a ]]> b ]]> c`,
		fmt.Sprintf(item, "a ]]> <![CDATA[b ]] ]]> c ]]> d<![CDATA[ <i>e</i>]]>"):     `a ]]> b ]] c ]]> d *e*`,
		fmt.Sprintf(item, "<![CDATA[a <![CDATA[b]]> c ]]>"):                           `a b c`,
		"<rss><channel><item a=']]>'><title>b]]></title></item></channel></rss><!-- ": `b]]>`,
	} {
		if got := readString(t, document); len(got.Posts) != 1 || got.Posts[0].Text != want {
			t.Errorf("%s: got %+v, want %q", document, got.Posts, want)
		}
	}
}
