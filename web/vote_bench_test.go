package web_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
)

// BenchmarkVote gives and takes back votes durably, with 16 or 64 voters at once. On one
// post they all change the same row. On 16 posts they share no row, but still share the
// commits. By turns, votes that meet share transactions (Vote, as shipped), and each has one
// of its own (VoteAll of one ballot); the one that comes first takes turns too.
func BenchmarkVote(b *testing.B) {
	for _, c := range []struct{ voters, posts int }{{16, 1}, {64, 1}, {16, 16}} {
		b.Run(fmt.Sprintf("voters=%d/posts=%d", c.voters, c.posts), func(b *testing.B) {
			store := benchStore(b, bolt.Options{})
			blogs := votedPosts(b, store, c.posts)
			together := func(ctx context.Context, post domain.Blog, wish storage.Ballot) error {
				if wish.Withdraw {
					return store.Unvote(ctx, post.Channel, post.ID, wish.By)
				}
				return store.Vote(ctx, post.Channel, post.ID, wish.By)
			}
			alone := func(ctx context.Context, post domain.Blog, wish storage.Ballot) error {
				return store.VoteAll(ctx, post.Channel, post.ID, []storage.Ballot{wish})[0]
			}
			const each = 50 // votes of one voter in a round
			var shared, single time.Duration
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					shared += voteAtOnce(b, blogs, c.voters, each, together)
				}
				single += voteAtOnce(b, blogs, c.voters, each, alone)
				if i%2 == 1 {
					shared += voteAtOnce(b, blogs, c.voters, each, together)
				}
			}
			votes := float64(b.N * c.voters * each)
			b.ReportMetric(votes/shared.Seconds(), "votes/s")
			b.ReportMetric(votes/single.Seconds(), "alone-votes/s")
			b.ReportMetric(single.Seconds()/shared.Seconds(), "x-alone")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func votedPosts(b *testing.B, store *storage.Store, posts int) []domain.Blog {
	b.Helper()
	channel := benchChannel(b, store, "Engines")
	blogs := make([]domain.Blog, posts)
	for i := range blogs {
		var err error
		blogs[i], _, err = store.Post(b.Context(), storage.Posting{
			Channel: channel.Ref(), By: "ada", Key: fmt.Sprint(i), Draft: domain.Draft{Text: "Hello"}})
		if err != nil {
			b.Fatal(err)
		}
	}
	return blogs
}

// voteAtOnce lets each voter give a vote and take it back, by turns, and returns how long
// that took. Voters share the posts out.
func voteAtOnce(b *testing.B, blogs []domain.Blog, voters, each int,
	cast func(context.Context, domain.Blog, storage.Ballot) error,
) time.Duration {
	b.Helper()
	began := time.Now()
	var group errgroup.Group
	for i := range voters {
		post, by := blogs[i%len(blogs)], domain.UserName(fmt.Sprintf("voter%d", i))
		group.Go(func() error {
			for n := range each {
				if err := cast(b.Context(), post, storage.Ballot{By: by, Withdraw: n%2 == 1}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}
