package bolt_test

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

const benchTable = "Blogs"

// post is what the application writes for one post, behind its gate.
func post(now time.Time) []driver.Operation {
	digits, id := domain.RecentFirst(now), rand.Text()
	return []driver.Operation{
		driver.Merge("gate!open", driver.Exists),
		driver.Insert("blog!"+digits+"!"+id,
			driver.String("Title", "A title of some forty characters, or so"),
			driver.String("Text", strings.Repeat("lorem ipsum ", 33)),
			driver.String("UserId", "somebody"),
			driver.Time("CreatedOn", now),
			driver.Int64("Rating", 0),
			driver.String("Revision", rand.Text()),
			driver.String("Incarnation", rand.Text())),
		driver.Insert("once!"+rand.Text(), driver.String("Post", digits+"!"+id)),
		driver.Insert("rate!5000000000!"+digits+"!"+id, driver.String("Incarnation", rand.Text())),
	}
}

func posts(n int) [][]driver.Operation {
	list := make([][]driver.Operation, n)
	for i := range list {
		list[i] = post(time.Now())
	}
	return list
}

// BenchmarkDurablePosts compares one writer with plain bbolt.Update, which syncs
// for each post, with 32 writers who share a sync. The goal is that they get at
// least 8 times as many posts. Both take turns in short rounds, so that whatever
// else the disk and the machine do slows both alike.
func BenchmarkDurablePosts(b *testing.B) {
	const before, writers, plainRound, storeRound = 5_000, 32, 100, 2048
	plain, db := openPlain(b), open(b, b.TempDir())
	prepare(b, db)
	fillPosts(b, before, func(ops []driver.Operation) error { return plainPost(plain, ops) })
	fillPosts(b, before, func(ops []driver.Operation) error { return db.Transact(b.Context(), benchTable, "channel", ops) })
	var plainTime, storeTime time.Duration
	for b.Loop() {
		few, many := posts(plainRound), posts(storeRound)
		start := time.Now()
		for _, ops := range few {
			if err := plainPost(plain, ops); err != nil {
				b.Fatal(err)
			}
		}
		plainTime += time.Since(start)
		start = time.Now()
		storePosts(b, db, writers, many)
		storeTime += time.Since(start)
	}
	plainRate := float64(b.N*plainRound) / plainTime.Seconds()
	storeRate := float64(b.N*storeRound) / storeTime.Seconds()
	b.ReportMetric(plainRate, "plain-posts/s")
	b.ReportMetric(storeRate, "posts/s")
	b.ReportMetric(storeRate/plainRate, "x-plain")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkDurablePostsOfOneWriter is what the detour through the writer costs
// those who write alone.
func BenchmarkDurablePostsOfOneWriter(b *testing.B) {
	b.Run("Plain", func(b *testing.B) {
		plain := openPlain(b)
		for b.Loop() {
			if err := plainPost(plain, post(time.Now())); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Store", func(b *testing.B) {
		db := open(b, b.TempDir())
		prepare(b, db)
		for b.Loop() {
			storePosts(b, db, 1, posts(1))
		}
	})
}

func openPlain(b *testing.B) *bbolt.DB {
	b.Helper()
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "plain.db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}

// plainPost writes the same rows without the store.
func plainPost(db *bbolt.DB, ops []driver.Operation) error {
	return db.Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists([]byte(benchTable))
		if err != nil {
			return err
		}
		for _, op := range ops {
			var value []byte
			for _, p := range op.Properties {
				value = append(append(value, p.Name...), p.Value.Text()...)
			}
			if err := bucket.Put([]byte("channel\x00"+op.Row), value); err != nil {
				return err
			}
		}
		return nil
	})
}

// storePosts lets writers take posts from one pile.
func storePosts(b *testing.B, db *bolt.DB, writers int, posts [][]driver.Operation) {
	var taken atomic.Int64
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for i := taken.Add(1); i <= int64(len(posts)); i = taken.Add(1) {
				if err := db.Transact(b.Context(), benchTable, "channel", posts[i-1]); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

func prepare(b testing.TB, db *bolt.DB) {
	b.Helper()
	if err := db.CreateTable(b.Context(), benchTable); err != nil {
		b.Fatal(err)
	}
	if err := db.Transact(b.Context(), benchTable, "channel", []driver.Operation{driver.Insert("gate!open")}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPageOf20 reads what a channel page needs. It must cost the same
// however many posts there are.
func BenchmarkPageOf20(b *testing.B) {
	for _, posts := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("Posts%d", posts), func(b *testing.B) {
			db, err := bolt.Open(b.TempDir(), bolt.Options{NoSync: true})
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := db.Close(); err != nil {
					b.Error(err)
				}
			}()
			prepare(b, db)
			fillPosts(b, posts, func(ops []driver.Operation) error { return db.Transact(b.Context(), benchTable, "channel", ops) })
			q := driver.Range{Partition: "channel", From: "blog!", To: "blog\"", Paging: driver.Paging{Limit: 20}}
			b.ReportAllocs()
			for b.Loop() {
				page, err := db.Range(b.Context(), benchTable, q)
				if err != nil || len(page.Rows) != 20 || len(page.Rows[0].Properties) != 7 {
					b.Fatalf("got %d rows, %v", len(page.Rows), err)
				}
			}
		})
	}
}

// fillPosts packs 33 posts into a transaction.
func fillPosts(b *testing.B, posts int, transact func([]driver.Operation) error) {
	b.Helper()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := 0; i < posts; {
		ops := []driver.Operation{driver.Merge("gate!open", driver.Exists)}
		for ; i < posts && len(ops) < 99; i++ {
			ops = append(ops, post(start.Add(time.Duration(i) * time.Minute))[1:]...)
		}
		if err := transact(ops); err != nil {
			b.Fatal(err)
		}
	}
}
