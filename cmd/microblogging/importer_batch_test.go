package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

func TestImporterBatch(t *testing.T) {
	t.Run("a thousand new entries take 43 requests", drivertest.Long(thousandEntriesTake43Requests))
	t.Run("entries without a date keep their order, and the first one is the newest", undatedEntriesKeepTheirOrder)
	t.Run("an import that stops in the middle is completed by the next", drivertest.Long(stoppedImportIsCompleted))
}

// datedEntries are n entries, the first one the oldest.
func datedEntries(n int) []feed.Entry {
	list := make([]feed.Entry, n)
	for i := range list {
		list[i] = feed.Entry{
			Key: feed.Key{Source: "id:urn:a", ID: fmt.Sprintf("id:%d", i)}, Content: fmt.Sprintf("entry %d", i), Published: time.Date(2020, 1, 1, 0, 0, i, 0, time.UTC)}
	}
	return list
}

// postsOf are the posts of a channel, the oldest first.
func postsOf(t testing.TB, store *storage.Parts, of domain.ChannelRef) (posts []domain.Blog) {
	t.Helper()
	for q := (storage.BlogQuery{Limit: 100}); ; {
		page, err := store.Posts.List(t.Context(), of, q)
		ok(t, err)
		posts = append(posts, page.Items...)
		if q.After = page.Next; q.After == "" {
			slices.Reverse(posts)
			return posts
		}
	}
}

// wantPosts fails the test unless the channel has the posts of n entries, in their order.
func (w *importWorld) wantPosts(n int) {
	w.Helper()
	var texts []string
	for _, post := range postsOf(w, w.store, w.channel.Ref()) {
		texts = append(texts, post.Text)
	}
	for i := range max(n, len(texts)) {
		if i >= n || i >= len(texts) || texts[i] != fmt.Sprintf("entry %d", i) {
			w.Fatalf("there are %d posts, want %d in their order; they are %.200q from %d on", len(texts), n, texts[max(0, min(i, len(texts)-1)):], i)
		}
	}
	_, err := w.store.Operator.NewChecker(0, false, func(b domain.Violation) { w.Errorf("%+v", b) }).Run(w.Context())
	if err != nil {
		w.Error(err)
	}
}

func thousandEntriesTake43Requests(t *testing.T) {
	w := newImportWorld(t)
	ok(t, w.store.Operator.NoteActive(t.Context(), w.channel.Ref(), datedEntries(1)[0].Published)) // else each batch under way does
	w.calls.Store(0)
	to := w.importer()
	to.earlier = nil // as for a channel that the command has made
	if err := to.post(t.Context(), datedEntries(1000)); err != nil || to.counts != (importCounts{added: 1000}) {
		t.Fatalf("%+v, %v", to.counts, err)
	}
	if n := w.calls.Load(); n != 11+32 {
		t.Errorf("1,000 entries take %d requests, want 11 for the list of the author and 32", n)
	}
	w.wantPosts(1000)
	w.calls.Store(0)
	to = w.importer()
	if err := to.post(t.Context(), datedEntries(1000)); err != nil || to.counts != (importCounts{known: 1000}) {
		t.Fatalf("the second import: %+v, %v", to.counts, err)
	}
	if n := w.calls.Load(); n != 2*1000 {
		t.Errorf("the second import takes %d requests, want two for each entry", n)
	}
	w.wantPosts(1000)
}

func undatedEntriesKeepTheirOrder(t *testing.T) {
	w := newImportWorld(t)
	entries := datedEntries(500)
	for i := range entries {
		entries[i].Published = time.Time{}
	}
	slices.Reverse(entries)
	to := w.importer()
	if err := to.post(t.Context(), entries); err != nil || to.counts[added] != 500 {
		t.Fatalf("%+v, %v", to.counts, err)
	}
	w.wantPosts(500)
}

// An interrupt ends the context. The process may also be killed, which is the same for the
// store: a transaction has landed or not.
func stoppedImportIsCompleted(t *testing.T) {
	for _, undated := range []bool{false, true} {
		for at := range int64(8) {
			w := newImportWorld(t)
			entries := datedEntries(200)
			for i := range entries {
				if undated {
					entries[i].Published = time.Time{}
				}
			}
			if undated {
				slices.Reverse(entries)
			}
			ctx, interrupt := context.WithCancel(t.Context())
			w.hook.Store(new(drivertest.Hook(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				if w.calls.Load() > at { // two batches may both have been counted by now
					interrupt()
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				return send(ctx)
			})))
			to := w.importer()
			if err := to.post(ctx, entries); at < 7 && !errors.Is(err, context.Canceled) {
				t.Errorf("interrupted at call %d: %v", at+1, err)
			}
			w.hook.Store(nil)
			again := w.importer()
			ok(t, again.post(t.Context(), entries))
			// What was under way may have landed without an answer.
			if again.counts[known]+again.counts[added] != 200 || again.counts[known] < to.counts[added] {
				t.Errorf("interrupted at call %d: %+v, and then %+v", at+1, to.counts, again.counts)
			}
			w.wantPosts(200)
			interrupt()
		}
	}
}
