package load

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
)

const (
	// textBytes is how long the text of a post is: Azure's targets are for entities of 1 KiB.
	textBytes = 1024
	// pagePosts is how many posts a page shows, as in the browser.
	pagePosts = 20
	// minReaders is how many users read feeds, at least: one for each channel.
	minReaders = 16
	// fillAtOnce is how many requests of the fill are under way at once.
	fillAtOnce = 8
)

// A site is what a run fills the store with. Its users have no account: the operations
// take a name whose sign-in was checked before, and to hash passwords is no load for a
// store.
type site struct {
	store    *storage.Store
	draft    domain.Draft
	channels []domain.Channel
	// posts are those of the fill, by channel.
	posts [][]domain.BlogID
	// readers have a feed. Each subscribes to one channel, so that a feed costs the same
	// however many channels there are.
	readers []domain.UserName
	// voters counts those who have voted. Each votes once.
	voters atomic.Int64
}

func newSite(store *storage.Store) (*site, error) {
	const line = "The tide is in at nine, and the ferry leaves at ten. "
	text := strings.Repeat(line, textBytes/len(line)+1)[:textBytes-1] + "."
	draft, err := domain.NewDraft("From the harbour", text)
	return &site{store: store, draft: draft}, err
}

// fill makes the channels, their readers and their posts. It calls filled with the number
// of posts that were made, one call at a time.
func (s *site) fill(ctx context.Context, p Plan, filled func(posts int)) error {
	if err := s.store.Prepare(ctx); err != nil {
		return err
	}
	s.channels, s.posts = make([]domain.Channel, p.Channels), make([][]domain.BlogID, p.Channels)
	s.readers = make([]domain.UserName, max(minReaders, p.Channels))
	if err := atOnce(ctx, p.Channels, s.createChannel); err != nil {
		return err
	}
	if err := atOnce(ctx, len(s.readers), s.subscribeReader); err != nil {
		return err
	}
	var mu sync.Mutex
	made := 0
	batches := (p.Fill + storage.MaxPostings - 1) / storage.MaxPostings
	batches = max(batches, min(p.Fill, p.Channels)) // a post for each channel, if there is
	return atOnce(ctx, batches, func(ctx context.Context, i int) error {
		channel, n := i%p.Channels, p.Fill*(i+1)/batches-p.Fill*i/batches
		ids, err := s.postSome(ctx, channel, n)
		mu.Lock()
		defer mu.Unlock()
		s.posts[channel] = append(s.posts[channel], ids...)
		made += len(ids)
		filled(made)
		return err
	})
}

// atOnce calls do with 0 to n-1, for some at once, until one fails.
func atOnce(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fillAtOnce)
	for i := range n {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return do(ctx, i)
		})
	}
	return group.Wait()
}

func (s *site) createChannel(ctx context.Context, i int) error {
	channel, err := domain.NewChannel("channel-"+strconv.Itoa(i), "", domain.UserName("owner_"+strconv.Itoa(i)))
	if err == nil {
		s.channels[i], err = s.store.CreateChannel(ctx, channel)
	}
	return err
}

func (s *site) subscribeReader(ctx context.Context, i int) error {
	s.readers[i] = domain.UserName("reader_" + strconv.Itoa(i))
	return s.store.Subscribe(ctx, s.channels[i%len(s.channels)], s.readers[i])
}

func (s *site) postSome(ctx context.Context, channel, n int) ([]domain.BlogID, error) {
	postings := make([]storage.Posting, n)
	for i := range postings {
		postings[i] = storage.Posting{By: s.channels[channel].Owner, Key: rand.Text(), Draft: s.draft}
	}
	ids := make([]domain.BlogID, 0, n)
	for _, result := range s.store.PostAll(ctx, s.channels[channel].Ref(), postings) {
		if result.Err != nil {
			return ids, result.Err
		}
		ids = append(ids, result.Blog.ID)
	}
	return ids, nil
}

// perform makes one operation in a channel that is chosen at random.
func (s *site) perform(ctx context.Context, o Operation, random *mathrand.Rand) error {
	i := random.IntN(len(s.channels))
	channel := s.channels[i]
	var err error
	switch o {
	case Post:
		_, _, err = s.store.Post(ctx, storage.Posting{Channel: channel.Ref(), By: channel.Owner, Key: rand.Text(), Draft: s.draft})
	case Read:
		_, _, err = s.store.BlogsAt(ctx, channel.Key(), storage.BlogQuery{Limit: pagePosts})
	case Feed:
		_, err = s.store.Feed(ctx, s.readers[random.IntN(len(s.readers))], "", pagePosts)
	case Vote:
		post := s.posts[i][random.IntN(len(s.posts[i]))]
		voter := domain.UserName("voter_" + strconv.FormatInt(s.voters.Add(1), 10))
		err = s.store.Vote(ctx, channel.Ref(), post, voter)
	default:
		err = fmt.Errorf("no operation has the number %d", o)
	}
	return err
}
