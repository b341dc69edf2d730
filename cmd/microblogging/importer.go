package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
	"microblogging/storage"
)

// importCounts counts what became of a feed's entries.
type importCounts struct {
	// known entries were imported before. cut entries are also among added.
	added, known, cut, leftOut int
}

func (c importCounts) String() string {
	text := fmt.Sprintf("%d posts added, %d already there", c.added, c.known)
	if c.cut > 0 {
		text += fmt.Sprintf(", %d cut to the limit of a post", c.cut)
	}
	if c.leftOut > 0 {
		text += fmt.Sprintf(", %d left out because they are empty", c.leftOut)
	}
	return text
}

// importFlight is how many batches of an import are under way at once. While the store
// works on one, others are read from the file or travel.
const importFlight = 4

// An importer posts the entries of one feed, each once, storage.MaxPostings in a
// transaction.
type importer struct {
	store   *storage.Store
	channel domain.ChannelRef
	owner   domain.UserName
	// source tells the feed apart from others with the same ids of entries.
	source string
	// fresh tells that this import created the channel, so that no former key is
	// in it.
	fresh bool
	// progress is called with numbers of entries that are done.
	progress func(n int) error

	// next are the entries that are not sent yet.
	next []feed.Entry
	// flight are the batches under way.
	flight sync.WaitGroup
	slots  chan struct{}

	// mu guards what follows.
	mu     sync.Mutex
	counts importCounts
	// underWay are the ids of the entries in flight.
	underWay map[string]bool
	// failure is the first failure of a batch. No other batch begins after it, and those
	// under way go on to their ends.
	failure error
}

// formerSource is the Source of every imported post that was made before feeds were
// told apart.
const formerSource = "feed"

// newImporter returns an importer that tells nobody of its progress.
func newImporter(store *storage.Store, channel domain.ChannelRef, owner domain.UserName, source string, fresh bool) *importer {
	return &importer{
		store: store, channel: channel, owner: owner, source: source, fresh: fresh,
		progress: func(int) error { return nil },
		slots:    make(chan struct{}, importFlight), underWay: make(map[string]bool),
	}
}

// post posts an entry, together with some that follow. flush posts the last ones. An entry
// that was imported before is left alone, even if the feed has changed it or somebody has
// deleted its post.
func (i *importer) post(ctx context.Context, entry feed.Entry) error {
	i.next = append(i.next, entry)
	if len(i.next) < storage.MaxPostings {
		return nil
	}
	return i.send(ctx)
}

// flush posts the entries that are left, and waits for all that are under way, also after
// a failure. It returns the first failure.
func (i *importer) flush(ctx context.Context) error {
	if i.failed() == nil && len(i.next) > 0 {
		i.fail(i.send(ctx))
	}
	i.flight.Wait()
	return i.failed()
}

// send begins to post the next batch.
func (i *importer) send(ctx context.Context) error {
	batch := i.next
	i.next = nil
	inOrder := i.mustBeInOrder(batch)
	if inOrder {
		i.flight.Wait()
	}
	if err := cmp.Or(i.failed(), ctx.Err()); err != nil {
		return err
	}
	i.mark(batch, true)
	i.slots <- struct{}{}
	i.flight.Go(func() {
		defer func() { <-i.slots }()
		err := i.postAll(ctx, batch)
		i.mark(batch, false)
		i.fail(err)
	})
	if inOrder {
		i.flight.Wait()
	}
	return i.failed()
}

// mustBeInOrder tells whether a batch may not be under way together with others: if an
// entry has no date, because it gets that of its arrival, or if the feed has an entry
// twice, because the first counts.
func (i *importer) mustBeInOrder(batch []feed.Entry) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.ContainsFunc(batch, func(e feed.Entry) bool { return e.Published.IsZero() || i.underWay[e.ID] })
}

// mark notes which entries are under way.
func (i *importer) mark(batch []feed.Entry, underWay bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, entry := range batch {
		if underWay {
			i.underWay[entry.ID] = true
		} else {
			delete(i.underWay, entry.ID)
		}
	}
}

func (i *importer) failed() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.failure
}

func (i *importer) fail(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.failure == nil {
		i.failure = err
	}
}

// postAll posts a batch and counts what became of each entry. A panic of a library is an
// error, so that the command can clean up.
func (i *importer) postAll(ctx context.Context, batch []feed.Entry) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	postings, cut, err := i.unknown(ctx, batch)
	if err != nil {
		return err
	}
	counts := importCounts{known: len(batch) - len(postings)}
	for n, r := range i.store.PostAll(ctx, i.channel, postings) {
		switch {
		case errors.Is(r.Err, domain.ErrKeyReused), errors.Is(r.Err, domain.ErrPostGone), r.Err == nil && !r.Made:
			counts.known++
		case r.Err != nil:
			err = cmp.Or(err, r.Err)
		default:
			counts.added++
			if cut[n] {
				counts.cut++
			}
		}
	}
	return cmp.Or(err, i.count(counts))
}

// count adds what became of a batch.
func (i *importer) count(c importCounts) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.counts.added += c.added
	i.counts.known += c.known
	i.counts.cut += c.cut
	return i.progress(c.added + c.known)
}

// unknown returns the entries that were not imported before, and which of them were cut.
func (i *importer) unknown(ctx context.Context, batch []feed.Entry) (postings []storage.Posting, cut []bool, err error) {
	known := make([]bool, len(batch))
	if !i.fresh { // otherwise PostAll finds out itself
		looks := make([]func(context.Context) error, len(batch))
		for n, entry := range batch {
			looks[n] = func(ctx context.Context) (err error) {
				known[n], err = i.knows(ctx, i.posting(entry))
				return err
			}
		}
		if err := i.store.AtOnce(ctx, looks[0], looks[1:]...); err != nil {
			return nil, nil, err
		}
	}
	for n, entry := range batch {
		if !known[n] {
			postings, cut = append(postings, i.posting(entry)), append(cut, entry.Cut)
		}
	}
	return postings, cut, nil
}

func (i *importer) posting(entry feed.Entry) storage.Posting {
	return storage.Posting{
		By:        i.owner,
		Source:    formerSource + " " + i.source,
		Key:       entry.ID,
		Draft:     domain.Draft{Title: entry.Title, Text: entry.Text},
		CreatedOn: entry.Published,
		Channel:   i.channel,
	}
}

// knows tells whether an entry was imported before, also under its former key. That
// key is the same for entries of two feeds with the same id, so the post must look
// like the entry.
func (i *importer) knows(ctx context.Context, posting storage.Posting) (bool, error) {
	if known, err := i.store.Posted(ctx, posting); known || err != nil {
		return known, err
	}
	posting.Source = formerSource
	return i.store.PostedAlike(ctx, posting)
}
