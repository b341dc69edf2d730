package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
	"microblogging/storage"
)

// importCounts counts what became of a feed's entries.
type importCounts struct {
	// known entries were imported before. cut and misdated entries are also among added.
	added, known, cut, misdated int
	// moved posts had a later date than their entries have now: mostly that of an import which
	// could not read theirs.
	moved int
	// leftOut entries hold nothing to post: no text, no title and no link.
	leftOut int
}

func (c importCounts) String() string {
	text := fmt.Sprintf("%d posts added, %d already there", c.added, c.known)
	if c.cut > 0 {
		text += fmt.Sprintf(", %d cut to the limit of a post", c.cut)
	}
	if c.misdated > 0 {
		text += fmt.Sprintf(", %d dated now because their dates cannot be read", c.misdated)
	}
	if c.moved > 0 {
		text += fmt.Sprintf(", %d moved to the date that the file has now", c.moved)
	}
	if c.leftOut > 0 {
		text += fmt.Sprintf(", %d left out because they are empty", c.leftOut)
	}
	return text
}

// importFlight is how many batches of an import are sent concurrently. While the store
// works on one, others are made or travel.
const importFlight = 4

// importBatch is how many entries are posted together: their rows on the author's list fit into one
// transaction, and they themselves into three.
const importBatch = 3 * storage.MaxPostings

// An importer posts the entries of one feed, each once, storage.MaxPostings in a
// transaction.
type importer struct {
	store   *storage.Store
	channel domain.Channel
	owner   domain.UserName
	// source tells the feed apart from others with the same ids of entries.
	source    string
	converter *feed.Converter
	// progress is called with how many entries are done.
	progress func(done int)

	// mu guards what follows.
	mu     sync.Mutex
	counts importCounts
}

// newImporter returns an importer that does not report its progress.
func newImporter(store *storage.Store, channel domain.Channel, owner domain.UserName, source string) *importer {
	return &importer{
		store: store, channel: channel, owner: owner, source: source,
		converter: feed.NewConverter(), progress: func(int) {},
	}
}

// post posts entries. An entry that was imported before is left alone, even if the feed has
// changed it or a user has deleted its post, unless it has an earlier date now than its post
// (belated). An entry whose ID an earlier one of the feed has is left alone too. After a failure no
// other batch begins, and those under way go on to their ends. It returns the first failure.
func (i *importer) post(ctx context.Context, entries []feed.Entry) error {
	first := firstOfEach(entries)
	i.counts.known = len(entries) - len(first)
	batches, begin := errgroup.WithContext(ctx)
	batches.SetLimit(importFlight)
	if slices.ContainsFunc(first, func(e feed.Entry) bool { return e.Published.IsZero() }) {
		batches.SetLimit(1) // an entry without a date gets that of its arrival
	}
	for batch := range slices.Chunk(first, importBatch) {
		batches.Go(func() error {
			if begin.Err() != nil { // one has failed
				return begin.Err()
			}
			return i.postAll(ctx, batch)
		})
	}
	return batches.Wait()
}

// firstOfEach returns the first entry with each ID.
func firstOfEach(entries []feed.Entry) []feed.Entry {
	seen := make(map[string]bool, len(entries))
	return slices.DeleteFunc(slices.Clone(entries), func(e feed.Entry) bool {
		twice := seen[e.ID]
		seen[e.ID] = true
		return twice
	})
}

// postAll posts a batch and counts what became of each entry.
func (i *importer) postAll(ctx context.Context, batch []feed.Entry) (err error) {
	var postings []storage.Posting
	var cut, misdated []bool // of each posting
	leftOut := 0
	for _, entry := range batch {
		posting := i.posting(entry)
		draft, short := i.converter.Draft(entry)
		if posting.Draft = draft; draft.Text == "" {
			leftOut++
			continue
		}
		postings, cut, misdated = append(postings, posting), append(cut, short), append(misdated, entry.Misdated)
	}
	results := i.store.Posts.CreateAll(ctx, i.channel, postings)
	i.mu.Lock()
	defer i.mu.Unlock()
	counts := &i.counts
	counts.leftOut += leftOut
	for n, r := range results {
		moved := i.belated(postings[n], r)
		if moved {
			r.Err = i.move(ctx, postings[n], r.Blog)
		}
		switch {
		case moved && r.Err == nil:
			counts.moved++
			continue
		case errors.Is(r.Err, domain.ErrKeyReused), errors.Is(r.Err, domain.ErrPostGone), r.Err == nil && !r.Made:
			counts.known++
			continue
		case r.Err != nil:
			err = cmp.Or(err, r.Err)
			continue
		}
		counts.added++
		if cut[n] {
			counts.cut++
		}
		if misdated[n] {
			counts.misdated++
		}
	}
	i.progress(counts.added + counts.known + counts.moved + counts.leftOut)
	return err
}

// belated reports whether an earlier import made the post, with a later date than its entry has
// now, and no user has touched it since.
func (i *importer) belated(p storage.Posting, r storage.PostResult) bool {
	return r.Err == nil && !r.Made && !p.CreatedOn.IsZero() && r.Blog.CreatedOn.After(p.CreatedOn) &&
		r.Blog.EditedOn.IsZero() && r.Blog.Rating == 0 && r.Blog.UserID == i.owner
}

// move makes a post anew with the date of its entry, which is in the key of its rows, and then
// deletes the old one. If it stops between the two, the next import goes on.
func (i *importer) move(ctx context.Context, p storage.Posting, old domain.Blog) error {
	p.Key = "moved " + p.Key // which no entry has: its ID begins with a word and a colon
	if _, _, err := i.store.Posts.Create(ctx, p); err != nil {
		return err
	}
	return i.store.Posts.Delete(ctx, i.channel, old.ID, i.owner, domain.OneOf(old.Revision))
}

// posting returns the posting of an entry, without its draft. Source and key say which post
// an entry has made: with others, it would be imported a second time.
func (i *importer) posting(entry feed.Entry) storage.Posting {
	return storage.Posting{
		By: i.owner, Channel: i.channel, Source: "feed " + i.source, Key: entry.ID, CreatedOn: entry.Published,
	}
}
