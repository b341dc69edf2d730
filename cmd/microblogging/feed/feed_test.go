package feed_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
)

// A whole is a feed with all its entries.
type whole struct {
	Title   string
	Entries []feed.Entry
	LeftOut int
}

func read(r io.Reader) (whole, error) {
	var entries []feed.Entry
	head, err := feed.Read(r, func(e feed.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err == nil && head.Entries != len(entries) {
		err = fmt.Errorf("%d entries are counted as %d", len(entries), head.Entries)
	}
	return whole{head.Title, entries, head.LeftOut}, err
}

func readFile(t *testing.T, name string) whole {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return readString(t, string(data))
}

func readString(t *testing.T, s string) whole {
	t.Helper()
	got, err := read(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range got.Entries {
		if _, err := domain.NewDraft(e.Title, e.Text); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
	}
	return got
}

func instant(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func compare(t *testing.T, got, want whole) {
	t.Helper()
	if got.Title != want.Title || got.LeftOut != want.LeftOut || len(got.Entries) != len(want.Entries) {
		t.Fatalf("got %q with %d entries and %d left out\nwant %q with %d and %d",
			got.Title, len(got.Entries), got.LeftOut, want.Title, len(want.Entries), want.LeftOut)
	}
	for i := range want.Entries {
		if !reflect.DeepEqual(got.Entries[i], want.Entries[i]) {
			t.Errorf("entry %d:\n got %+v\nwant %+v", i, got.Entries[i], want.Entries[i])
		}
	}
}

func TestFormat(t *testing.T) {
	t.Run("RSS becomes posts", rssBecomesPosts)
	t.Run("Atom becomes posts", atomBecomesPosts)
	t.Run("JSON Feed becomes posts", jsonFeedBecomesPosts)
	t.Run("an old feed in another character set becomes posts", oldFeedBecomesPosts)
	t.Run("a byte order mark does not matter", byteOrderMarkDoesNotMatter)
	t.Run("a file that is not a feed is refused", notAFeedIsRefused)
	t.Run("elements cannot nest without end", nestingIsBounded)
}

func TestEntry(t *testing.T) {
	t.Run("nasty ones become posts or are left out", nastyEntries)
	t.Run("a link is taken from an ID that is one", linkFromID)
	t.Run("what is over the limit is cut and reported", overTheLimitIsCut)
}

func TestEntryID(t *testing.T) {
	t.Run("is the same when the file is read again", idsOfReadingTwice)
	t.Run("of one kind does not collide with another kind", idsOfDifferentKinds)
}

func TestRead(t *testing.T) {
	t.Run("a feed without entries is a feed", feedWithoutEntries)
	t.Run("to inspect a feed finds the same", inspectFindsTheSame)
	t.Run("a failure to read is not blamed on the feed", failureToRead)
}

func rssBecomesPosts(t *testing.T) {
	got := readFile(t, "garden.rss")
	if len(got.Entries) != 4 || got.Entries[2].ID == got.Entries[3].ID {
		t.Fatalf("the same words on two days are two posts: %+v", got.Entries)
	}
	for i := range got.Entries[2:] {
		e := &got.Entries[2+i]
		if !strings.HasPrefix(e.ID, "hash:") {
			t.Errorf("an entry without id and link has the ID %q", e.ID)
		}
		e.ID = "hash"
	}
	compare(t, got, whole{Title: "A Garden & Its Weeds", Entries: []feed.Entry{{
		ID:        "id:garden-1",
		Published: instant("2025-06-03T05:30:00Z"),
		Title:     "Beans & peas",
		Text: "Sown on the **first** day.\n\n- Runner beans\n- Broad beans\n\n" +
			"See [the list](https://seeds.example/list?a=1&b=2).",
	}, {
		ID:        "link:https://garden.example/rain",
		Published: instant("2025-06-02T21:00:00Z"),
		Text:      "Rain at last.\nForty millimetres of it.",
	}, {
		ID:        "hash",
		Published: instant("2025-06-01T06:00:00Z"),
		Text:      "Good morning",
	}, {
		ID:        "hash",
		Published: instant("2025-05-31T06:00:00Z"),
		Text:      "Good morning",
	}}})
}

func atomBecomesPosts(t *testing.T) {
	compare(t, readFile(t, "harbour.atom"), whole{Title: "Harbour log", Entries: []feed.Entry{{
		ID:        "id:urn:example:harbour:1",
		Published: instant("2025-05-01T04:05:06.7654321Z"),
		Title:     "Low & high water",
		Text:      "Low at 4.\n\nHigh at 10.",
	}, {
		ID:        "id:urn:example:harbour:2",
		Published: instant("2025-05-02T00:00:00Z"),
		Title:     "Plain words",
		Text:      "if a \\<b> then\na &amp;amp; b",
	}, {
		ID:        "id:urn:example:harbour:3",
		Published: instant("2025-05-02T12:00:00Z"),
		Title:     "A picture",
		Text:      "Gulls, all of them asleep.",
	}, {
		ID:        "id:urn:example:harbour:4",
		Published: instant("2025-05-04T00:00:00Z"),
		Title:     "Fog",
		Text:      "Horn every *two* minutes.\nNothing & nobody seen.",
	}}})
}

func jsonFeedBecomesPosts(t *testing.T) {
	compare(t, readFile(t, "kitchen.json"), whole{Title: "Kitchen <3", LeftOut: 1, Entries: []feed.Entry{{
		ID:        "id:7",
		Published: instant("2025-04-01T15:00:00Z"),
		Title:     "Salt & <pepper>",
		Text:      "Grind & serve.",
	}, {
		ID:        "id:https://kitchen.example/6",
		Published: instant("2025-03-31T08:00:00Z"),
		Text:      "Whisk \\<gently>:\n\n1 egg\n2 &amp;amp; 3 spoons",
	}, {
		ID:    "id:https://kitchen.example/5",
		Title: "Only a link",
		Text:  "https://kitchen.example/5",
	}, {
		ID:   "id:4",
		Text: "Only a title",
	}}})
}

func oldFeedBecomesPosts(t *testing.T) {
	compare(t, readFile(t, "latin1.rdf"), whole{Title: "Café", Entries: []feed.Entry{{
		ID:    "link:https://cafe.example/1",
		Title: "Déjà vu",
		Text:  "Crème brûlée é",
	}}})
}

func nastyEntries(t *testing.T) {
	compare(t, readFile(t, "nasty.rss"), whole{Title: "Nasty things", LeftOut: 2, Entries: []feed.Entry{{
		ID:    "id:controls",
		Title: "Two lines and List<T>",
		Text:  "bell null\uFFFD escape[31m tab end",
	}, {
		ID:   "id:hidden",
		Text: "seen",
	}, {
		ID:   "id:unclosed",
		Text: "**still [here](https://example.org/x)**",
	}}})
}

func byteOrderMarkDoesNotMatter(t *testing.T) {
	for _, name := range []string{"garden.rss", "harbour.atom", "kitchen.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, readString(t, "\uFEFF"+string(data)), readFile(t, name))
	}
}

func idsOfReadingTwice(t *testing.T) {
	for _, name := range []string{"garden.rss", "harbour.atom", "kitchen.json", "latin1.rdf", "nasty.rss"} {
		compare(t, readFile(t, name), readFile(t, name))
	}
}

// An id that looks like a link or like our hash must not be taken for one.
func idsOfDifferentKinds(t *testing.T) {
	got := readString(t, `<rss><channel>
		<item><guid>https://a.example/</guid><description>x</description></item>
		<item><link>https://a.example/</link><description>x</description></item>
	</channel></rss>`)
	if got.Entries[0].ID == got.Entries[1].ID {
		t.Errorf("both are %q", got.Entries[0].ID)
	}
}

func linkFromID(t *testing.T) {
	got := readString(t, `<rss><channel>
		<item><title>T</title><link>/relative</link><guid>https://a.example/1</guid></item>
	</channel></rss>`)
	if e := got.Entries[0]; e.Title != "T" || e.Text != "https://a.example/1" {
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
		"</channel></rss>")
	want := []feed.Entry{
		{Title: words(24), Text: words(1000)},
		{Title: words(24) + "…", Text: "short", Cut: true},
		{Title: "short", Text: words(1000) + "…", Cut: true},
		{Text: words(1000) + "…", Cut: true},
	}
	for i, e := range got.Entries {
		want[i].ID = e.ID
	}
	compare(t, got, whole{Entries: want})
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
		"invalid UTF-8":  "<rss><channel><item><title>\xff\xfe</title></item></channel></rss>",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(strings.NewReader(content))
			if !errors.Is(err, feed.ErrNotAFeed) {
				t.Errorf("got %+v and the error %v", got, err)
			}
		})
	}
}

// The parser recurses. A few megabytes of such a file would overflow its stack,
// which ends the process.
func nestingIsBounded(t *testing.T) {
	_, err := read(strings.NewReader("<rss><channel><item>" + strings.Repeat("<x:y>", 200_000)))
	if !errors.Is(err, feed.ErrNotAFeed) || !strings.Contains(err.Error(), "nest") {
		t.Errorf("got %v", err)
	}
	many := strings.Repeat("<br>a", 200_000)
	readString(t, `{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","content_html":"`+many+`"}]}`)
	readString(t, `<rss><channel><item><description><![CDATA[`+many+`]]></description></item></channel></rss>`)
}

func feedWithoutEntries(t *testing.T) {
	compare(t, readString(t, `<rss version="2.0"><channel><title>New</title></channel></rss>`), whole{Title: "New"})
}

func failureToRead(t *testing.T) {
	data, err := os.ReadFile("testdata/garden.rss")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("disk on fire")
	half := io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(broken))
	if _, err := read(half); !errors.Is(err, broken) || errors.Is(err, feed.ErrNotAFeed) {
		t.Errorf("got %v", err)
	}
}

func inspectFindsTheSame(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal("no files: ", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		checkInspected(t, data)
		checkInspected(t, data[:len(data)*2/3])
	}
	for _, small := range smallFeeds {
		checkInspected(t, []byte(small))
	}
	stopped := errors.New("stopped")
	if _, err := feed.Inspect(strings.NewReader(smallFeeds[0]), func() error { return stopped }); !errors.Is(err, stopped) {
		t.Errorf("what visit fails with is lost: %v", err)
	}
}
