package bolt

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"microblogging/storage/driver"
)

// backedUp is how many posts the store of the benchmarks here holds: some 180 MB.
const backedUp = 200_000

func openForBackup(b *testing.B) *DB {
	b.Helper()
	db := openBench(b, Options{NoSync: true})
	fillPosts(b, backedUp, transactOn(b, db))
	return db
}

// BenchmarkBackup takes a backup and restores it.
func BenchmarkBackup(b *testing.B) {
	db, dir := openForBackup(b), b.TempDir()
	var file bytes.Buffer
	var took, restored time.Duration
	for i := 0; b.Loop(); i++ {
		file.Reset()
		began := time.Now()
		if err := db.Backup(b.Context(), &file); err != nil {
			b.Fatal(err)
		}
		took += time.Since(began)
		began = time.Now()
		if err := restore(context.Background(), filepath.Join(dir, fmt.Sprint(i)), file.Bytes()); err != nil {
			b.Fatal(err)
		}
		restored += time.Since(began)
	}
	b.ReportMetric(took.Seconds()/float64(b.N), "s/backup")
	b.ReportMetric(restored.Seconds()/float64(b.N), "s/restore")
	b.ReportMetric(float64(file.Len())/1e6, "MB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkPostsDuringBackup compares what 8 writers wait for a post while nobody takes a
// backup, while one is taken after the other, and while the reader of one is slow.
func BenchmarkPostsDuringBackup(b *testing.B) {
	const rounds = 2_000
	db := openForBackup(b)
	for _, c := range []struct {
		name string
		to   io.Writer
	}{{"none", nil}, {"backups", io.Discard}, {"slow", slowly{}}} {
		b.Run(c.name, func(b *testing.B) {
			var waited []time.Duration
			for b.Loop() {
				ctx, stop := context.WithCancel(b.Context())
				var backups sync.WaitGroup
				if c.to != nil {
					backups.Go(func() {
						for ctx.Err() == nil {
							_ = db.Backup(ctx, c.to) // it ends with the benchmark
						}
					})
				}
				var mu sync.Mutex
				writeAll(b, 8, posts(rounds), func(ops []driver.Operation) error {
					began := time.Now()
					err := transactOn(b, db)(ops)
					mu.Lock()
					defer mu.Unlock()
					waited = append(waited, time.Since(began))
					return err
				})
				stop()
				backups.Wait()
			}
			slices.Sort(waited)
			b.ReportMetric(float64(waited[len(waited)/2])/1e6, "p50-ms")
			b.ReportMetric(float64(waited[len(waited)*99/100])/1e6, "p99-ms")
			b.ReportMetric(float64(waited[len(waited)-1])/1e6, "max-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// slowly is a reader who takes one block in 100 ms.
type slowly struct{}

func (slowly) Write(b []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	return len(b), nil
}
