package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
	"microblogging/storage"
)

// importCounts counts what became of a feed's entries.
type importCounts [categories + 1]int

const (
	added = iota
	// known entries were imported before.
	known
	// The next ones became no posts.
	notPublished
	notPosts
	replies
	repeated
	empty
	// Of the next ones, which are added too, the posts have something else than the file.
	misdated
	early
	zoneless
	cut
	summaries
	// The next ones are counted one by one.
	media
	links
	pixels
	authors
	categories
)

// leftOut maps the reason why an entry is left out to its count.
var leftOut = map[string]int{feed.NotPublished: notPublished, feed.NotPosts: notPosts, feed.Replies: replies, feed.Repeated: repeated, feed.Empty: empty}

// importWords are what the report says of each count.
var importWords = [...]string{
	notPublished: feed.NotPublished, notPosts: feed.NotPosts, replies: feed.Replies, repeated: feed.Repeated, empty: feed.Empty,
	misdated:   "posts dated now because their dates cannot be read",
	early:      "posts dated now because their dates are in the future",
	zoneless:   "dates taken as UTC because they name no time zone that is known",
	cut:        "posts cut to the limit of a post",
	summaries:  "posts without a summary or another text of their entry, which is not part of the post",
	media:      "pictures, sounds, videos and other files left out because they do not fit or have no web address",
	links:      "links left out because they do not fit or have no web address",
	pixels:     "pictures of one pixel left out, which count readers",
	authors:    "names of authors left out",
	categories: "categories left out",
}

func (c *importCounts) add(other importCounts) {
	for i, n := range other {
		c[i] += n
	}
}

// sum is how many entries there were of a range of counts.
func (c importCounts) sum(from, to int) (sum int) {
	for _, n := range c[from:to] {
		sum += n
	}
	return sum
}

// list has those of a range of counts that are not zero, each in a format with its number and its words.
func (c importCounts) list(format string, from, to int) (list []string) {
	for i := from; i < to; i++ {
		if c[i] > 0 {
			list = append(list, fmt.Sprintf(format, c[i], importWords[i]))
		}
	}
	return list
}

// notes say what is else than in the file.
func (c importCounts) notes() []string { return c.list("%[2]s: %[1]d", misdated, len(c)) }

// String returns the last line of a report.
func (c importCounts) String() string {
	posts := "posts"
	if c[added] == 1 {
		posts = "post"
	}
	text := fmt.Sprintf("%d %s added, %d already there, %d left out", c[added], posts, c[known], c.sum(notPublished, misdated))
	if reasons := c.list("%d %s", notPublished, misdated); reasons != nil {
		text += ": " + strings.Join(reasons, ", ")
	}
	return text
}

// importFlight is how many batches of an import are sent concurrently. While the store
// works on one, others are made or travel.
const importFlight = 8

// importBatch is how many entries are posted together: their rows on the author's list fit into one
// transaction, and they themselves into three.
const importBatch = 3 * storage.MaxNewPosts

// An importer posts the entries of one feed, each once, storage.MaxNewPosts in a
// transaction.
type importer struct {
	channel   domain.Channel
	owner     domain.UserName
	converter *feed.Converter
	// began is when the import began. No post is dated after it, except one that is dated by its arrival.
	began time.Time
	// create makes posts. In a dry run, it only says so.
	create func(context.Context, domain.Channel, []storage.NewPost) []storage.PostResult
	// earlier looks which posts were made before. It is nil for a channel that is new, because all keys are new there.
	earlier func(context.Context, domain.Channel, []storage.NewPost) []storage.PostResult
	// progress is called with how many entries are done.
	progress func(done int)

	// mu guards what follows.
	mu     sync.Mutex
	counts importCounts
}

// newImporter returns an importer that does not report its progress.
func newImporter(parts *storage.Parts, channel domain.Channel, owner domain.UserName) *importer {
	i := &importer{
		channel: channel, owner: owner, converter: feed.NewConverter(), began: domain.Now(), progress: func(int) {},
	}
	if parts.Store != nil {
		i.create, i.earlier = parts.Posts.CreateAll, parts.Operator.Earlier
	}
	return i
}

// post posts entries. An entry that was imported before is left alone, even if the feed has changed
// it or a user has deleted its post. After a failure no other batch begins, and those under way go on
// to their ends. It returns the first failure.
func (i *importer) post(ctx context.Context, entries []feed.Entry) error {
	batches, begin := errgroup.WithContext(ctx)
	batches.SetLimit(importFlight)
	if slices.ContainsFunc(entries, i.undated) {
		// An entry without a date gets that of its arrival, and the first one is the newest.
		batches.SetLimit(1)
		entries = slices.Clone(entries)
		slices.Reverse(entries)
	}
	for batch := range slices.Chunk(entries, importBatch) {
		batches.Go(func() error {
			if begin.Err() != nil { // one has failed
				return begin.Err()
			}
			return i.postAll(ctx, batch)
		})
	}
	return batches.Wait()
}

// undated reports whether the post of an entry gets the date of its arrival. A date that is not over yet would
// head the lists of newest posts until then.
func (i *importer) undated(e feed.Entry) bool {
	return e.Published.IsZero() || e.Published.After(i.began)
}

// A pending entry becomes a post, unless an earlier import made it.
type pending struct {
	entry feed.Entry
	draft domain.Draft
	// note is what is counted if the post is added.
	note importCounts
}

// postAll posts a batch and counts what became of each entry.
func (i *importer) postAll(ctx context.Context, batch []feed.Entry) error {
	var counts importCounts
	var posts []pending
	for _, entry := range batch {
		draft, lost := i.converter.Draft(entry)
		if draft.Text == "" || entry.LeftOut != "" {
			counts[leftOut[cmp.Or(entry.LeftOut, feed.Empty)]]++
			continue
		}
		posts = append(posts, pending{entry, draft, i.note(entry, lost)})
	}
	posts, errEarlier := i.dropEarlier(ctx, posts, &counts)
	posts, errMade := counts.drop(posts, i.create(ctx, i.channel, i.newPosts(posts, 0)))
	for _, p := range posts {
		counts.add(p.note)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.counts.add(counts)
	i.progress(i.counts.sum(added, misdated))
	return cmp.Or(errEarlier, errMade)
}

// dropEarlier returns the entries of which no earlier import made posts, and counts the others. It looks for the key of
// each, and then for those that earlier programs gave it.
func (i *importer) dropEarlier(ctx context.Context, posts []pending, counts *importCounts) (_ []pending, err error) {
	if i.earlier == nil {
		return posts, nil
	}
	for n := 0; slices.ContainsFunc(posts, func(p pending) bool { return n <= len(p.entry.Former) }); n++ {
		var results []storage.PostResult
		for some := range slices.Chunk(i.newPosts(posts, n), storage.MaxNewPosts) {
			results = append(results, i.earlier(ctx, i.channel, some)...)
		}
		var failed error
		posts, failed = counts.drop(posts, results)
		err = cmp.Or(err, failed)
	}
	return posts, err
}

// drop returns the entries of which posts were made, or would be. It counts those of which an earlier import made them, and
// returns the first failure of the others.
func (c *importCounts) drop(posts []pending, results []storage.PostResult) (made []pending, err error) {
	for n, r := range results {
		switch {
		case errors.Is(r.Err, domain.ErrKeyReused), errors.Is(r.Err, domain.ErrPostGone), r.Err == nil && !r.Made:
			c[known]++
		case r.Err != nil:
			err = cmp.Or(err, r.Err)
		default:
			made = append(made, posts[n])
		}
	}
	return made, err
}

// note counts an entry that was added, and what its post has else than the file.
func (i *importer) note(entry feed.Entry, lost feed.Loss) importCounts {
	one := map[bool]int{true: 1}
	return importCounts{
		added: 1, misdated: one[entry.Misdated], early: one[i.undated(entry) && !entry.Published.IsZero()], zoneless: one[entry.Zoneless],
		cut: one[lost.Cut], summaries: one[lost.Summary], media: lost.Media, links: lost.Links, pixels: lost.Pixels,
		authors: entry.Authors, categories: entry.Categories,
	}
}

// newPosts returns the request to post each entry under its key, which has the number 0, or under one of its former keys. An entry
// with fewer of them has its last one.
func (i *importer) newPosts(posts []pending, key int) []storage.NewPost {
	list := make([]storage.NewPost, len(posts))
	for n, p := range posts {
		keys := append([]feed.Key{p.entry.Key}, p.entry.Former...)
		list[n] = i.newPost(p.entry, keys[min(key, len(keys)-1)])
		list[n].Draft = p.draft
	}
	return list
}

// newPost returns the request to post an entry, without its draft. The key says which post an entry has
// made: with another one, it would be imported a second time.
func (i *importer) newPost(entry feed.Entry, key feed.Key) storage.NewPost {
	on := entry.Published
	if i.undated(entry) {
		on = time.Time{}
	}
	return storage.NewPost{
		By: i.owner, Channel: i.channel, Source: "feed " + key.Source, Key: key.ID, CreatedOn: on,
	}
}
