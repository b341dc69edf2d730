package bolt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"microblogging/storage/driver"
)

func TestPage(t *testing.T) {
	db := opened(t, t.TempDir())
	for i := range 50 {
		put(t, db, driver.Insert(fmt.Sprintf("%03d", i), driver.Int64("A", int64(i)), driver.String("B", fmt.Sprint(i))))
	}
	table, q := driver.NewTable(db, "T"), driver.Range{Partition: "p", Paging: driver.Paging{Limit: 20}}
	allocations := testing.AllocsPerRun(100, func() {
		if page, err := table.Range(t.Context(), q); err != nil || len(page.Rows) != 20 {
			t.Errorf("got %d rows, %v", len(page.Rows), err)
		}
	})
	if allocations > 3*20+12 {
		t.Errorf("%v allocations for 20 rows, want at most 3 for each", allocations)
	}
}

// FuzzContinuation refutes that whatever text is taken for a continuation, the
// page holds the rows of the selection whose keys come after it, and that only the last page
// has no continuation.
func FuzzContinuation(f *testing.F) {
	keys := []string{"a\x00", "a\x001", "a\x002", "a b\x001", "ab\x00", "b\x001", "b\x003"}
	for _, key := range append(keys, "", "a", "a\x001\x00", "a\x00\xff", "c\x00", "\x00", "b\x002") {
		f.Add(uint8(len(key)), key, "a", "", "1")
	}
	f.Add(uint8(2), "a\x001", "b", "a", "b")
	f.Add(uint8(2), "a\x002", "a\x00", "", "\xff")
	f.Add(uint8(2), "b", "", "b", "a")
	for _, bound := range []string{"\x00", "a\x00", "a\x00b", "a\x00\xff", "a\x01", "a b\x00", "ab", "b\x00", "c"} {
		f.Add(uint8(2), "", "a", bound, "")
		f.Add(uint8(2), "", "a", "", bound)
	}
	db := opened(f, f.TempDir())
	for _, key := range keys {
		partition, row, _ := strings.Cut(key, "\x00")
		ok(f, driver.NewTable(db, "T").Transact(f.Context(), partition, driver.Insert(row)))
	}
	f.Fuzz(func(t *testing.T, limit uint8, continuation, partition, from, to string) {
		paging := driver.Paging{Limit: 1 + int(limit)%3, Continuation: continuation}
		within := func(key string) bool { return key >= from && (to == "" || key < to) }
		scan := driver.Call{Method: driver.CallScan, Target: "T", From: from, To: to, Paging: paging}
		ok(t, db.Do(t.Context(), &scan))
		checkContinued(t, keys, scan, func(p, _ string) bool { return within(p) })
		ranged := driver.Call{Method: driver.CallRange, Target: "T", Partition: partition, From: from, To: to, Paging: paging}
		ok(t, db.Do(t.Context(), &ranged))
		if !strings.Contains(partition, "\x00") { // Table lets no such partition key pass
			checkContinued(t, keys, ranged, func(p, row string) bool { return p == partition && within(row) })
		}
	})
}

// checkContinued compares a page with what the table's keys ask for.
func checkContinued(t *testing.T, keys []string, c driver.Call, selected func(partition, row string) bool) {
	t.Helper()
	var want, got []string
	more := false
	for _, key := range keys {
		partition, row, _ := strings.Cut(key, "\x00")
		switch {
		case !selected(partition, row) || key <= c.Paging.Continuation:
		case len(want) == c.Paging.Limit:
			more = true
		default:
			want = append(want, key)
		}
	}
	for _, row := range c.Page.Rows {
		got = append(got, string(rowKey(row.Partition, row.Row)))
	}
	if !slices.Equal(got, want) || more != (c.Page.Continuation != "") {
		t.Fatalf("after %q: got %q and the continuation %q, want %q; there are more: %t", c.Paging.Continuation, got, c.Page.Continuation, want, more)
	}
}
