package feed_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"microblogging/cmd/microblogging/feed"
)

func TestStream(t *testing.T) {
	t.Run("an entry is visited before the next one is read", entryIsVisitedAtOnce)
	t.Run("memory does not grow with the file", memoryDoesNotGrow)
	t.Run("an entry over the limit is refused", largeEntryIsRefused)
	t.Run("what visit fails with is what Read fails with", visitFails)
	t.Run("entries around a channel and in two channels are all read", entriesAnywhere)
	t.Run("an item that is never closed is read", unclosedItem)
}

// A format makes a feed of any length.
type format struct{ start, entry, between, end string }

// formats have one %d in each entry, for its number, and one %s, for its text.
var formats = map[string]format{
	"JSON": {
		`{"version":"https://jsonfeed.org/version/1.1","items":[`, `{"id":"%d","content_text":"%s"}`, ",", `],"title":"T"}`,
	},
	"Atom": {
		`<feed xmlns="http://www.w3.org/2005/Atom">`,
		`<entry><id>%d</id><content>%s</content></entry>`, "\n", `<title>T</title></feed>`,
	},
	"RSS": {
		`<rss version="2.0"><channel>`,
		`<item><guid>%d</guid><description>%s</description></item>`, "\n", `<title>T</title></channel></rss>`,
	},
	"RDF": {
		`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>T</title></channel>`,
		`<item><link>https://a.example/%d</link><description>%s</description></item>`, "\n", `</rdf:RDF>`,
	},
}

// An endless reader makes a feed while it is read. It counts the entries that it
// has begun to give away.
type endless struct {
	format
	text    string
	entries int
	begun   int
	rest    []byte
	ended   bool
}

func newEndless(f format, text string, entries int) *endless {
	return &endless{format: f, text: text, entries: entries, rest: []byte(f.start)}
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		switch {
		case e.begun < e.entries:
			if e.begun > 0 {
				e.rest = []byte(e.between)
			}
			e.rest = fmt.Append(e.rest, strings.NewReplacer("%d", fmt.Sprint(e.begun), "%s", e.text).Replace(e.entry))
			e.begun++
		case !e.ended:
			e.rest, e.ended = []byte(e.end), true
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func entryIsVisitedAtOnce(t *testing.T) {
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			source := newEndless(f, strings.Repeat("word ", 20_000), 6)
			visited := 0
			got, err := feed.Read(source, func(feed.Entry) error {
				visited++
				if ahead := source.begun - visited; ahead > 2 {
					t.Errorf("at entry %d, %d more were read", visited, ahead)
				}
				return nil
			})
			if err != nil || got.Title != "T" || visited != 6 || got.Entries != 6 {
				t.Errorf("%d entries were visited of %+v, %v", visited, got, err)
			}
		})
	}
}

func memoryDoesNotGrow(t *testing.T) {
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			source := newEndless(f, strings.Repeat("word ", 10_000), 50) // 2.5 MB
			var heap []uint64
			_, err := feed.Read(source, func(feed.Entry) error {
				if source.begun%12 == 0 {
					var m runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&m)
					heap = append(heap, m.HeapAlloc)
				}
				return nil
			})
			if err != nil || len(heap) < 3 {
				t.Fatalf("measured %d, %v", heap, err)
			}
			if last := heap[len(heap)-1]; last > heap[0]+1<<20 {
				t.Errorf("the heap grew from %d to %d bytes", heap[0], last)
			}
		})
	}
}

func largeEntryIsRefused(t *testing.T) {
	for _, name := range []string{"JSON", "RSS"} {
		t.Run(name, func(t *testing.T) {
			f := formats[name]
			visit := func(feed.Entry) error { return nil }
			small := f
			small.entry = strings.Replace(f.entry, "%s", "x", 1)
			small.between += strings.Repeat(" ", 9<<20)
			if _, err := feed.Read(newEndless(small, "", 3), visit); err != nil {
				t.Errorf("three entries with 9 MiB between them: %v", err)
			}
			_, err := feed.Read(newEndless(f, strings.Repeat("x", 17<<20), 1), visit)
			if !errors.Is(err, feed.ErrNotAFeed) || !strings.Contains(err.Error(), "larger than 16 MiB") {
				t.Errorf("an entry of 17 MiB: %v", err)
			}
		})
	}
}

func visitFails(t *testing.T) {
	broken := errors.New("the store is away")
	for name, f := range formats {
		_, err := feed.Read(newEndless(f, "text", 3), func(feed.Entry) error { return broken })
		if !errors.Is(err, broken) || errors.Is(err, feed.ErrNotAFeed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func entriesAnywhere(t *testing.T) {
	got := readString(t, `<rss><item><guid>1</guid><title>a</title></item>
		<channel><title>One</title><item><guid>2</guid><title>b</title></item></channel>
		<channel><item><guid>3</guid><title>c</title></item></channel>
		<item><guid>4</guid><title>d</title></item></rss>`)
	var ids []string
	for _, e := range got.Entries {
		ids = append(ids, e.ID)
	}
	if want := "id:1 id:2 id:3 id:4"; strings.Join(ids, " ") != want || got.Title != "One" {
		t.Errorf("got %q with %v, want One with %s", got.Title, ids, want)
	}
}

// A decoder that is not strict takes the end of an outer element for the end of those
// in it.
func unclosedItem(t *testing.T) {
	for _, file := range []string{
		`<rss><channel><title>T</title><item><guid>1</guid><title>a</channel></rss>`,
		`<rss><channel><title>T</title><item><guid>1</guid><title>a</title></channel></rss>`,
		`<rss><channel><title>T</title><item><guid>1</guid><title>a</item></channel></rss>`,
		`<rss><channel><title>T</title><item><guid>1</guid><title>a</rss>`,
		`<x:rss xmlns:x="urn:x"><channel><title>T</title><item><guid>1</guid><title>a</title></channel></x:rss>`,
	} {
		got, err := read(bytes.NewReader([]byte(file)))
		if err != nil || len(got.Entries) != 1 || got.Entries[0].ID != "id:1" || got.Entries[0].Text != "a" || got.Title != "T" {
			t.Errorf("%s: got %+v, %v", file, got, err)
		}
	}
}
