package bolt

import (
	"crypto/rand"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

const (
	benchTable = "Blogs"
	openGate   = "gate!open"
	// postsBefore is how many posts a store holds before others are timed.
	postsBefore = 5_000
)

// post is what the application writes for one post, behind its gate.
func post(now time.Time) []driver.Operation {
	digits, id := domain.RecentFirst(now), rand.Text()
	return []driver.Operation{
		driver.Merge(openGate, driver.Exists),
		driver.Insert("blog!"+digits+"!"+id,
			driver.String("Title", "A title of some forty characters, or so"),
			driver.String("Text", strings.Repeat("lorem ipsum ", 33)),
			driver.String("UserId", "ada"),
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
	const writers, plainRound, storeRound = 32, 100, 2048
	plain, db := openPlain(b), openBench(b)
	fillPosts(b, postsBefore, transactOn(b, db))
	fillPosts(b, postsBefore, func(ops []driver.Operation) error { return plainPost(plain, ops) })
	var plainTime, storeTime time.Duration
	for b.Loop() {
		few, many := posts(plainRound), posts(storeRound)
		plainTime += writeAll(b, 1, few, func(ops []driver.Operation) error { return plainPost(plain, ops) })
		storeTime += writeAll(b, writers, many, transactOn(b, db))
	}
	plainRate := float64(b.N*plainRound) / plainTime.Seconds()
	storeRate := float64(b.N*storeRound) / storeTime.Seconds()
	b.ReportMetric(plainRate, "plain-posts/s")
	b.ReportMetric(storeRate, "posts/s")
	b.ReportMetric(storeRate/plainRate, "x-plain")
	b.ReportMetric(0, "ns/op")
}

func transactOn(b *testing.B, db *DB) func([]driver.Operation) error {
	return func(ops []driver.Operation) error {
		return driver.NewTable(db, benchTable).Transact(b.Context(), "channel", ops...)
	}
}

func openPlain(b *testing.B) *bbolt.DB {
	b.Helper()
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "plain.db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	ok(b, err)
	b.Cleanup(func() { ok(b, db.Close()) })
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

// writeAll lets writers take posts from one pile, and returns how long they took.
func writeAll(b *testing.B, writers int, posts [][]driver.Operation, write func([]driver.Operation) error) time.Duration {
	var taken atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for range writers {
		all.Go(func() {
			for i := taken.Add(1); i <= int64(len(posts)); i = taken.Add(1) {
				if err := write(posts[i-1]); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(start)
}

// openBench opens a store with an empty table and its gate.
func openBench(b *testing.B) *DB {
	b.Helper()
	db := mustOpen(b, b.TempDir(), Options{})
	ok(b, driver.NewTable(db, benchTable).Create(b.Context()), transactOn(b, db)([]driver.Operation{driver.Insert(openGate)}))
	return db
}

// fillPosts packs 33 posts into a transaction.
func fillPosts(b *testing.B, posts int, transact func([]driver.Operation) error) {
	b.Helper()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := 0; i < posts; {
		ops := []driver.Operation{driver.Merge(openGate, driver.Exists)}
		for ; i < posts && len(ops) < 99; i++ {
			ops = append(ops, post(start.Add(time.Duration(i) * time.Minute))[1:]...)
		}
		ok(b, transact(ops))
	}
}
