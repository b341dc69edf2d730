package worker

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

// BenchmarkLargeDeletion deletes channels of 100,000 and 1,000,000 posts from a durable
// store, by a worker that waits for the request. The rows are written without the
// operations, to be quick. It needs 2 GB of disk and some minutes, so it runs only with
// MICROBLOGGING_BENCH_LARGE=1.
//
//   - x-100k is the time of the large deletion divided by that of the other.
//   - post-x is the median time of a durable post in another channel after the deletion,
//     divided by that before it.
func BenchmarkLargeDeletion(b *testing.B) {
	if os.Getenv("MICROBLOGGING_BENCH_LARGE") == "" {
		b.Skip("takes minutes: set MICROBLOGGING_BENCH_LARGE=1")
	}
	var small, large time.Duration
	for b.Loop() {
		small += deleteMany(b, 100_000, false)
		large += deleteMany(b, 1_000_000, true)
	}
	b.ReportMetric(large.Seconds()/small.Seconds(), "x-100k")
	b.ReportMetric(small.Seconds()/float64(b.N), "s-100k")
	b.ReportMetric(large.Seconds()/float64(b.N), "s-1M")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkDeletion deletes a channel of 10,000 posts from a durable store, by a worker
// that waits for the request. s-10k is the median time from the request to the end, and
// commits is the median number of commits meanwhile.
func BenchmarkDeletion(b *testing.B) {
	var took []time.Duration
	var counts []int64
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		channel := fillRows(b, dir, 10_000)
		var commits atomic.Int64
		db, err := bolt.Open(dir, bolt.Options{Committed: func(bolt.Commit) { commits.Add(1) }})
		ok(b, err)
		medianPost(b, storage.New(db, storage.Options{}), channel) // the rows are on the disk then
		commits.Store(0)
		b.StartTimer()
		took = append(took, deleteByWorker(b, storage.New(db, storage.Options{}), channel))
		b.StopTimer()
		counts = append(counts, commits.Load())
		ok(b, db.Close())
		b.StartTimer()
	}
	slices.Sort(took)
	slices.Sort(counts)
	b.ReportMetric(took[len(took)/2].Seconds(), "s-10k")
	b.ReportMetric(float64(counts[len(counts)/2]), "commits")
	b.ReportMetric(0, "ns/op")
}

// deleteMany returns how long the deletion of a channel with this many posts takes.
func deleteMany(b *testing.B, posts int, report bool) time.Duration {
	b.Helper()
	dir := b.TempDir()
	channel := fillRows(b, dir, posts)
	db, err := bolt.Open(dir, bolt.Options{})
	ok(b, err)
	store := storage.New(db, storage.Options{})
	other, err := domain.NewChannel("other", domain.About{}, owner)
	if err == nil {
		other, _, err = store.Channels.Create(b.Context(), other, domain.PostersOpen, "", 0)
	}
	ok(b, err)
	before := medianPost(b, store, other)
	took := deleteByWorker(b, store, channel)
	after := medianPost(b, store, other)
	if report {
		b.ReportMetric(after.Seconds()/before.Seconds(), "post-x")
		b.ReportMetric(float64(after.Microseconds()), "post-µs")
	}
	ok(b, db.Close())
	ok(b, os.RemoveAll(dir))
	return took
}

// deleteByWorker asks for the deletion while a worker waits, and returns how long it took
// from there to its end.
func deleteByWorker(b *testing.B, store *storage.Parts, channel domain.Channel) time.Duration {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		New(store.Steps, testOptions).Run(ctx)
	}()
	defer func() { stop(); <-ended }()
	time.Sleep(100 * time.Millisecond) // the worker waits
	began := time.Now()
	if _, err := store.Deletions.Request(ctx, channel.Key(), domain.By(owner), domain.OneOf(channel.Incarnation)); err != nil {
		b.Fatal(err)
	}
	for {
		d, err := store.Deletions.Get(ctx, channel.Ref(), domain.By(owner))
		ok(b, err)
		if d.State == domain.DeletionDone {
			return time.Since(began)
		}
		time.Sleep(time.Millisecond)
	}
}

// fillRows makes a store with one channel and the rows of its posts.
func fillRows(b *testing.B, dir string, posts int) domain.Channel {
	b.Helper()
	ctx := b.Context()
	db, err := bolt.Open(dir, bolt.Options{NoSync: true})
	ok(b, err)
	store := storage.New(db, storage.Options{})
	ok(b, store.Operator.Prepare(ctx))
	channel, err := domain.NewChannel("large", domain.About{}, owner)
	if err == nil {
		channel, _, err = store.Channels.Create(ctx, channel, domain.PostersOpen, "", 0)
	}
	ok(b, err)
	incarnation := driver.String("Incarnation", string(channel.Incarnation))
	text := driver.String("Text", strings.Repeat("lorem ipsum ", 33))
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := 0; i < posts; {
		var ops []driver.Operation
		for ; i < posts && len(ops) < 99; i++ {
			at = at.Add(time.Minute)
			id := domain.RecentFirst(at) + "!" + rand.Text()
			ops = append(ops,
				driver.Insert("blog!"+id, text, driver.String("UserId", "grace"), driver.Time("CreatedOn", at), incarnation),
				driver.Insert("once!"+rand.Text(), driver.String("Post", id), incarnation),
				driver.Insert("rate!5000000000!"+id, incarnation))
		}
		ok(b, driver.NewTable(db, "Blogs").Transact(ctx, string(channel.Key()), ops...))
	}
	ok(b, db.Close())
	return channel
}

func medianPost(b *testing.B, store *storage.Parts, channel domain.Channel) time.Duration {
	b.Helper()
	took := make([]time.Duration, 300)
	for i := range took {
		began := time.Now()
		_, _, err := store.Posts.Create(b.Context(), storage.NewPost{
			Channel: channel, By: visitor, Key: rand.Text(), Draft: domain.Draft{Text: fmt.Sprint("post ", i)},
		})
		ok(b, err)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[len(took)/2]
}
