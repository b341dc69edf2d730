package web_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
)

// BenchmarkVote gives and takes back votes durably, with 16 voters at once. On one post
// they all change the same row. On 16 posts they share no row, but still share the
// commits.
func BenchmarkVote(b *testing.B) {
	const voters = 16
	for _, posts := range []int{1, voters} {
		b.Run(fmt.Sprintf("posts=%d", posts), func(b *testing.B) {
			store := benchStore(b, bolt.Options{})
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
			var group errgroup.Group
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			for i := range voters {
				blog, user := blogs[i%posts], domain.UserName(fmt.Sprintf("voter%d", i))
				group.Go(func() error {
					cast, back := store.Vote, store.Unvote
					for left.Add(-1) >= 0 {
						if err := cast(b.Context(), blog.Channel, blog.ID, user); err != nil {
							return err
						}
						cast, back = back, cast
					}
					return nil
				})
			}
			if err := group.Wait(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "votes/s")
		})
	}
}
