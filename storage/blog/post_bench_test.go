package blog_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

// postsOf400 are requests to post 400 bytes of text, whose keys no other call returns.
func postsOf400(channel domain.Channel, n int, unique *atomic.Int64) []storage.NewPost {
	text := fmt.Sprintf("%0400d", 7)
	list := make([]storage.NewPost, n)
	for i := range list {
		list[i] = storage.NewPost{Channel: channel, By: grace, Key: fmt.Sprint(unique.Add(1)), Draft: domain.Draft{Text: text}}
	}
	return list
}

// postBatches posts in batches, so many concurrently.
func postBatches(b *testing.B, store *storage.Parts, list []storage.NewPost, size, atOnce int) time.Duration {
	b.Helper()
	began := time.Now()
	var group errgroup.Group
	group.SetLimit(atOnce)
	for batch := range slices.Chunk(list, size) {
		group.Go(func() error {
			for _, r := range store.Posts.CreateAll(b.Context(), batch[0].Channel, batch) {
				if r.Err != nil || !r.Made {
					return fmt.Errorf("made %v: %w", r.Made, r.Err)
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

// postSingly posts one after the other, as an import did before it had batches, and
// postTogether has as many batches under way as an import.
func postSingly(b *testing.B, store *storage.Parts, list []storage.NewPost) time.Duration {
	b.Helper()
	return postBatches(b, store, list, 1, 1)
}

func postTogether(b *testing.B, store *storage.Parts, list []storage.NewPost) time.Duration {
	b.Helper()
	return postBatches(b, store, list, storage.MaxNewPosts, 4)
}

func benchChannel(b *testing.B, backend driver.Backend) (*storage.Parts, domain.Channel) {
	b.Helper()
	store := storage.New(backend, storage.Options{})
	if err := store.Operator.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	channel, err := domain.NewChannel("bench", domain.About{}, ada)
	if err == nil {
		channel, _, err = store.Channels.Create(b.Context(), channel, domain.PostersOpen, "", 0)
	}
	if err != nil {
		b.Fatal(err)
	}
	return store, channel
}

// BenchmarkPostAllOnBolt makes durable posts in batches, against one after the other. Both
// take turns.
func BenchmarkPostAllOnBolt(b *testing.B) {
	const singles, batched = 200, 300 * storage.MaxNewPosts
	db, err := bolt.Open(b.TempDir(), bolt.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	store, channel := benchChannel(b, db)
	var unique atomic.Int64
	var single, together time.Duration
	for b.Loop() {
		single += postSingly(b, store, postsOf400(channel, singles, &unique))
		together += postTogether(b, store, postsOf400(channel, batched, &unique))
	}
	reportPosts(b, singles*b.N, batched*b.N, single, together)
}

func reportPosts(b *testing.B, singles, batched int, single, together time.Duration) {
	b.Helper()
	singleRate, rate := float64(singles)/single.Seconds(), float64(batched)/together.Seconds()
	b.ReportMetric(singleRate, "single-posts/s")
	b.ReportMetric(rate, "posts/s")
	b.ReportMetric(rate/singleRate, "x-single")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkPostAllOnAzurite is the same on Azurite. Each side has an Azurite of its own,
// because Azurite slows down with every row. They are warm: Node compiles code that it has
// run for a while.
func BenchmarkPostAllOnAzurite(b *testing.B) {
	const singles, batched = 100, 20 * storage.MaxNewPosts
	var unique atomic.Int64
	var single, together time.Duration
	alone, aloneChannel := onAzurite(b)
	store, channel := onAzurite(b)
	for b.Loop() {
		single, together = 0, 0
		for round := range 15 {
			one := postSingly(b, alone, postsOf400(aloneChannel, singles, &unique))
			all := postTogether(b, store, postsOf400(channel, batched, &unique))
			if round >= 5 {
				single += one
				together += all
			}
		}
	}
	reportPosts(b, 10*singles, 10*batched, single, together)
}

// onAzurite returns a store on an Azurite that holds nothing but a channel.
func onAzurite(b *testing.B) (*storage.Parts, domain.Channel) {
	b.Helper()
	server := azuritetest.Start(b)
	b.Cleanup(func() { server.Stop(b) })
	client, err := azure.Open(azure.Config{ConnectionString: server.Account()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	return benchChannel(b, client)
}
