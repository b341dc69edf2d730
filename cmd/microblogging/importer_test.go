package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

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

func TestImporterKey(t *testing.T) {
	t.Run("of an entry stays what it was", importerKeyStays)
}

func TestImportDates(t *testing.T) {
	t.Run("that cannot be read are counted once", misdatedAreCounted)
}

func misdatedAreCounted(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "misdated.rss")
	if err := os.WriteFile(file, []byte("<rss><channel><title>T</title><item><guid>1</guid><title>a</title><pubDate>someday</pubDate></item>"+
		"<item><guid>2</guid><title>b</title></item></channel></rss>"), 0o600); err != nil {
		t.Fatal(err)
	}
	expectImport(t, data, file, "2 posts added, 0 already there, 1 dated now because their dates cannot be read\n")
	expectImport(t, data, file, "0 posts added, 2 already there\n")
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

// feed/testdata/keys has the ids of entries.
func importerKeyStays(t *testing.T) {
	to, _ := newTestImporter(t)
	p := to.posting(feed.Entry{ID: "id:1"})
	if p.By != "ada" || p.Source != "feed id:urn:a" || p.Key != "id:1" {
		t.Errorf("got %+v", p)
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
	faults := drivertest.NewFaults(drivertest.Far(db), func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		w.calls.Add(1)
		if hook := w.hook.Load(); hook != nil {
			return (*hook)(ctx, call, send)
		}
		return send(ctx)
	})
	w.store = storage.New(faults, storage.Options{})
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

// importer returns an importer of one feed.
func (w *importWorld) importer() *importer {
	return newImporter(w.store, w.channel, "ada", "id:urn:a")
}

// newTestImporter returns an importer to a channel that exists, and the number of calls
// to its store.
func newTestImporter(t *testing.T) (*importer, *atomic.Int64) {
	t.Helper()
	w := newImportWorld(t)
	return w.importer(), w.calls
}
