package load

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
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
	// fillAtOnce is how many channels are filled concurrently.
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
	draft, err := domain.ParseDraft(domain.Draft{Title: "From the harbour", Text: text})
	return &site{store: store, draft: draft}, err
}

// fill makes the channels, with their readers and their posts, some channels concurrently.
func (s *site) fill(ctx context.Context, p Plan) error {
	if err := s.store.Prepare(ctx); err != nil {
		return err
	}
	s.channels, s.posts = make([]domain.Channel, p.Channels), make([][]domain.BlogID, p.Channels)
	s.readers = make([]domain.UserName, max(minReaders, p.Channels))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fillAtOnce)
	for i := range p.Channels {
		group.Go(func() error { return s.fillChannel(ctx, i, p.Fill) })
	}
	return group.Wait()
}

func (s *site) fillChannel(ctx context.Context, i, posts int) error {
	channel, err := domain.NewChannel("channel-"+strconv.Itoa(i), domain.About{}, domain.UserName("owner_"+strconv.Itoa(i)))
	if err == nil {
		channel, err = s.store.CreateChannel(ctx, channel)
	}
	if err != nil {
		return err
	}
	s.channels[i] = channel
	for r := i; r < len(s.readers); r += len(s.channels) {
		s.readers[r] = domain.UserName("reader_" + strconv.Itoa(r))
		if err := s.store.Subscribe(ctx, channel, s.readers[r]); err != nil {
			return err
		}
	}
	for len(s.posts[i]) < posts {
		postings := make([]storage.Posting, min(posts-len(s.posts[i]), storage.MaxPostings))
		for n := range postings {
			postings[n] = storage.Posting{By: channel.Owner, Key: rand.Text(), Draft: s.draft}
		}
		for _, result := range s.store.PostAll(ctx, channel, postings) {
			if result.Err != nil {
				return result.Err
			}
			s.posts[i] = append(s.posts[i], result.Blog.ID)
		}
	}
	return nil
}

// perform makes one operation in a channel that is chosen at random.
func (s *site) perform(ctx context.Context, o Operation, random *mathrand.Rand) error {
	i := random.IntN(len(s.channels))
	channel := s.channels[i]
	var err error
	switch o {
	case Post:
		_, _, err = s.store.Post(ctx, storage.Posting{Channel: channel, By: channel.Owner, Key: rand.Text(), Draft: s.draft})
	case Read:
		if channel, err = s.store.Channel(ctx, channel.Key()); err == nil {
			_, err = s.store.Blogs(ctx, channel.Ref(), storage.BlogQuery{Limit: pagePosts})
		}
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
