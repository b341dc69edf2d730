package load

import (
	"cmp"
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
// of posts that were made.
func (s *site) fill(ctx context.Context, p Plan, filled func(posts int)) error {
	if err := s.store.Prepare(ctx); err != nil {
		return err
	}
	s.channels, s.posts = make([]domain.Channel, p.Channels), make([][]domain.BlogID, p.Channels)
	group, groupCtx := fillGroup(ctx)
	for i := range s.channels {
		group.Go(func() (err error) {
			s.channels[i], err = s.createChannel(groupCtx, i)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := s.subscribeReaders(ctx); err != nil {
		return err
	}
	return s.fillPosts(ctx, p.Fill, filled)
}

func fillGroup(ctx context.Context) (*errgroup.Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fillAtOnce)
	return group, ctx
}

func (s *site) createChannel(ctx context.Context, i int) (domain.Channel, error) {
	owner := domain.UserName("owner_" + strconv.Itoa(i))
	channel, err := domain.NewChannel("channel-"+strconv.Itoa(i), "", owner)
	if err != nil {
		return channel, err
	}
	return s.store.CreateChannel(ctx, channel)
}

func (s *site) subscribeReaders(ctx context.Context) error {
	s.readers = make([]domain.UserName, max(minReaders, len(s.channels)))
	group, ctx := fillGroup(ctx)
	for i := range s.readers {
		s.readers[i] = domain.UserName("reader_" + strconv.Itoa(i))
		group.Go(func() error { return s.store.Subscribe(ctx, s.channels[i%len(s.channels)], s.readers[i]) })
	}
	return group.Wait()
}

// fillPosts spreads posts over the channels, as many in a transaction as fit.
func (s *site) fillPosts(ctx context.Context, posts int, filled func(posts int)) error {
	group, groupCtx := fillGroup(ctx)
	var mu sync.Mutex
	for i := range s.channels {
		share := posts / len(s.channels)
		if i < posts%len(s.channels) {
			share++
		}
		for ; share > 0 && groupCtx.Err() == nil; share -= storage.MaxPostings {
			n := min(share, storage.MaxPostings)
			group.Go(func() error {
				made, err := s.postSome(groupCtx, i, n)
				mu.Lock()
				defer mu.Unlock()
				s.posts[i] = append(s.posts[i], made...)
				filled(len(made))
				return err
			})
		}
	}
	return cmp.Or(group.Wait(), ctx.Err())
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
