package check_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

// It measures the largest growth of the heap during a check.
func checkStreams(t *testing.T) {
	w := newWorld(t)
	channel, filled := w.Create("garden", ada), 0
	peak := func(rows int) uint64 {
		for ; filled < rows; filled += 3 * storage.MaxNewPosts { // a post has three rows
			var list []storage.NewPost
			for range storage.MaxNewPosts {
				list = append(list, storetest.NewPost(channel, grace, string(domain.NewRevision())))
			}
			w.PostAll(channel, list)
		}
		var least, most uint64 = 1 << 62, 0
		checker := w.Through(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Method == "Get" {
				return send(ctx) // of which several are made concurrently
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			least, most = min(least, m.HeapAlloc), max(most, m.HeapAlloc)
			return send(ctx)
		}).Operator.NewChecker(time.Hour, false, func(b domain.Violation) { t.Errorf("found %+v", b) })
		counts, err := checker.Run(t.Context())
		if err != nil || counts.Rows < rows {
			t.Errorf("checked %+v of %d rows, %v", counts, rows, err)
		}
		return most - least
	}
	few := peak(2_000)
	many := peak(10_000)
	t.Logf("a check of 2,000 rows takes %d KiB, of 10,000 rows %d KiB", few>>10, many>>10)
	if many > 2*few { // five times the rows
		t.Errorf("a check of 2,000 rows takes %d bytes, of 10,000 rows %d", few, many)
	}
}
