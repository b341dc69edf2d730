package main

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/drivertest"
)

func TestImportTwoFeeds(t *testing.T) {
	t.Run("with the same entry ids are both imported", feedsWithTheSameIDs)
	t.Run("that say nothing about themselves are told apart by their names", feedsWithoutTitle)
}

func TestImporterFormerKey(t *testing.T) {
	t.Run("an entry that was imported under it is recognised", formerEntryIsRecognised)
	t.Run("an entry of another feed is not taken for it", formerEntryOfAnotherFeed)
	t.Run("is not looked up in a channel that the import created", formerKeysOfNewChannel)
}

func feedsWithTheSameIDs(t *testing.T) {
	data := t.TempDir()
	a, b := writeFeed(t, "a", 3), writeFeed(t, "b", 3)
	for _, c := range []struct{ file, want string }{
		{a, "3 posts added, 0 already there"},
		{b, "3 posts added, 0 already there"},
		{a, "0 posts added, 3 already there"},
		{b, "0 posts added, 3 already there"},
	} {
		expectImport(t, data, c.file, c.want)
	}
}

func feedsWithoutTitle(t *testing.T) {
	data := t.TempDir()
	a, b := writeNamedFeed(t, "a.rss", "", 3), writeNamedFeed(t, "b.rss", "", 3)
	copyOfA := writeNamedFeed(t, "a.rss", "", 3)
	expectImport(t, data, a, "3 posts added, 0 already there")
	expectImport(t, data, b, "3 posts added, 0 already there")
	expectImport(t, data, copyOfA, "0 posts added, 3 already there")
}

func expectImport(t *testing.T, data, file, want string) {
	t.Helper()
	code, out, errs := programWithInput(t, testPassword+"\n", "import", "--data", data, "--create-owner",
		"--channel", "news", "--owner", "ada", file)
	if code != exitOK || !strings.Contains(out, want) {
		t.Errorf("exits with %d, prints %q and says %q, want %q", code, out, errs, want)
	}
}

var formerEntry = feed.Entry{ID: "id:1", Title: "Title", Text: "Text", Published: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)}

func formerEntryIsRecognised(t *testing.T) {
	changed, undated := formerEntry, formerEntry
	changed.Text = "Other text"
	undated.Published = time.Time{}
	plain, marked := undated, undated
	plain.Text, marked.Text = "See this (https://a.example/b).\n\n• One", "See [this](https://a.example/b).\n\n- One"
	for name, c := range map[string]struct {
		was, is feed.Entry
		deleted bool
	}{
		"as it was":                      {was: formerEntry, is: formerEntry},
		"with another text":              {was: formerEntry, is: changed},
		"without a date":                 {was: undated, is: undated},
		"as plain text without a date":   {was: plain, is: marked},
		"so, and its post deleted":       {was: plain, is: marked, deleted: true},
		"though its post is deleted":     {was: formerEntry, is: formerEntry, deleted: true},
		"changed, and its post deleted":  {was: formerEntry, is: changed, deleted: true},
		"though it has lost its date":    {was: formerEntry, is: undated},
		"though it has got another date": {was: undated, is: formerEntry},
	} {
		t.Run(name, func(t *testing.T) {
			to, _ := newTestImporter(t)
			blog := postAsFormerly(t, to, c.was)
			if c.deleted {
				channel, err := to.store.Channel(t.Context(), to.channel.Key)
				if err == nil {
					err = to.store.DeleteBlog(t.Context(), channel, blog.ID, to.owner, domain.Any[domain.Revision]())
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if err := to.postNow(t.Context(), c.is); err != nil {
					t.Fatal(err)
				}
			}
			if to.counts != (importCounts{known: 2}) {
				t.Errorf("got %+v, want that it is known", to.counts)
			}
		})
	}
}

func formerEntryOfAnotherFeed(t *testing.T) {
	for name, change := range map[string]func(*feed.Entry){
		"of another day":                      func(e *feed.Entry) { e.Text, e.Published = "Other", e.Published.Add(time.Hour) },
		"of the same second with other words": func(e *feed.Entry) { e.Text, e.Title = "Other", "Another" },
		"without a date":                      func(e *feed.Entry) { e.Text, e.Published = "Other", time.Time{} },
	} {
		t.Run(name, func(t *testing.T) {
			to, _ := newTestImporter(t)
			postAsFormerly(t, to, formerEntry)
			other := formerEntry
			change(&other)
			for range 2 {
				if err := to.postNow(t.Context(), other); err != nil {
					t.Fatal(err)
				}
			}
			if to.counts != (importCounts{added: 1, known: 1}) {
				t.Errorf("got %+v, want that it is added once", to.counts)
			}
		})
	}
}

func formerKeysOfNewChannel(t *testing.T) {
	to, calls := newTestImporter(t)
	to.fresh = true
	before := calls.Load()
	if err := to.postNow(t.Context(), formerEntry); err != nil || to.counts.added != 1 {
		t.Fatalf("%+v, %v", to.counts, err)
	}
	if n := calls.Load() - before; n != 1 {
		t.Errorf("a new entry in a new channel takes %d calls, want 1", n)
	}
	to.fresh = false
	before = calls.Load()
	if err := to.postNow(t.Context(), formerEntry); err != nil || to.counts.known != 1 {
		t.Fatalf("%+v, %v", to.counts, err)
	}
	if n := calls.Load() - before; n != 1 {
		t.Errorf("a known entry takes %d calls, want 1", n)
	}
}

// An importWorld is a store with a channel.
type importWorld struct {
	*testing.T
	store   *storage.Store
	channel domain.ChannelRef
	// calls counts those of the store, and hook may meddle with them.
	calls *atomic.Int64
	hook  atomic.Pointer[drivertest.Hook]
}

func newImportWorld(t *testing.T) *importWorld {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &importWorld{T: t, calls: &atomic.Int64{}}
	faults := drivertest.NewFaults(db, db, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		w.calls.Add(1)
		if hook := w.hook.Load(); hook != nil {
			return (*hook)(ctx, call, send)
		}
		return send(ctx)
	})
	w.store = storage.New(faults, faults)
	if err := w.store.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	channel, err := domain.NewChannel("news", "", "ada")
	if err == nil {
		channel, err = w.store.CreateChannel(t.Context(), channel)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.channel = channel.Ref()
	w.calls.Store(0)
	return w
}

// importer returns an importer of one feed. fresh tells that it made the channel.
func (w *importWorld) importer(fresh bool) *importer {
	return newImporter(w.store, w.channel, "ada", "id:urn:a", fresh)
}

// newTestImporter returns an importer to a channel that exists, and the number of calls
// to its store.
func newTestImporter(t *testing.T) (*importer, *atomic.Int64) {
	t.Helper()
	w := newImportWorld(t)
	return w.importer(false), w.calls
}

// postNow posts entries and waits for them.
func (i *importer) postNow(ctx context.Context, entries ...feed.Entry) error {
	for _, entry := range entries {
		if err := i.post(ctx, entry); err != nil {
			return errors.Join(err, i.flush(ctx))
		}
	}
	return i.flush(ctx)
}

// postAsFormerly posts an entry as the program did before it told feeds apart.
func postAsFormerly(t *testing.T, to *importer, entry feed.Entry) domain.Blog {
	t.Helper()
	blog, created, err := to.store.Post(t.Context(), storage.Posting{
		Channel:   to.channel,
		By:        to.owner,
		Source:    "feed",
		Key:       entry.ID,
		Draft:     domain.Draft{Title: entry.Title, Text: entry.Text},
		CreatedOn: entry.Published,
	})
	if err != nil || !created {
		t.Fatalf("created %v, %v", created, err)
	}
	return blog
}
