package bolt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"microblogging/storage/driver"
)

func openFilled(t *testing.T, rows int) *DB {
	t.Helper()
	db := openRows(t, nil)
	var ops []driver.Operation
	for i := range rows {
		ops = append(ops, driver.Insert(fmt.Sprintf("%03d", i), driver.Int64("A", int64(i)), driver.String("B", fmt.Sprint(i))))
	}
	if err := driver.NewTable(db, "T").Transact(t.Context(), "p", ops...); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestPage(t *testing.T) {
	t.Run("of 20 rows takes at most 3 allocations a row", pageAllocations)
	t.Run("that is the last has no continuation", lastPage)
}

func pageAllocations(t *testing.T) {
	db := openFilled(t, 50)
	q := driver.Range{Partition: "p", Paging: driver.Paging{Limit: 20}}
	allocations := testing.AllocsPerRun(100, func() {
		if page, err := driver.NewTable(db, "T").Range(t.Context(), q); err != nil || len(page.Rows) != 20 {
			t.Errorf("got %d rows, %v", len(page.Rows), err)
		}
	})
	if allocations > 3*20+12 {
		t.Errorf("%v allocations for 20 rows", allocations)
	}
}

func lastPage(t *testing.T) {
	page, err := driver.NewTable(openFilled(t, 4), "T").Range(t.Context(), driver.Range{Partition: "p", Paging: driver.Paging{Limit: 4}})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Rows) != 4 || page.Continuation != "" {
		t.Errorf("got %d rows and continuation %q, want all 4 and none", len(page.Rows), page.Continuation)
	}
}

// FuzzContinuation refutes that whatever text is taken for a continuation, the
// page holds the rows of the selection whose keys come after it.
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
	db := openRows(f, keys)
	f.Fuzz(func(t *testing.T, limit uint8, continuation, partition, from, to string) {
		paging := driver.Paging{Limit: 1 + int(limit)%3, Continuation: continuation}
		within := func(key string) bool { return key >= from && (to == "" || key < to) }
		scan := driver.Call{Method: driver.CallScan, Target: "T", From: from, To: to, Paging: paging}
		err := db.Do(t.Context(), &scan)
		checkContinued(t, keys, paging, scan.Page, err, func(p, _ string) bool { return within(p) })
		ranged := driver.Call{Method: driver.CallRange, Target: "T", Partition: partition, From: from, To: to, Paging: paging}
		err = db.Do(t.Context(), &ranged)
		if !strings.Contains(partition, "\x00") { // Table lets no such partition key pass
			checkContinued(t, keys, paging, ranged.Page, err, func(p, row string) bool { return p == partition && within(row) })
		}
	})
}

// checkContinued compares a page with what the table's keys ask for.
func checkContinued(t *testing.T, keys []string, p driver.Paging, page driver.Page, err error, selected func(partition, row string) bool) {
	t.Helper()
	if err != nil {
		t.Fatalf("after %q: %v", p.Continuation, err)
	}
	var want, got []string
	for _, key := range keys {
		partition, row, _ := strings.Cut(key, "\x00")
		if selected(partition, row) && key > p.Continuation && len(want) < p.Limit {
			want = append(want, key)
		}
	}
	for _, row := range page.Rows {
		got = append(got, string(rowKey(row.Partition, row.Row)))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("after %q: got %q, want %q", p.Continuation, got, want)
	}
}

// openRows opens a store with a table of rows that have these keys in the file.
func openRows(t testing.TB, keys []string) *DB {
	t.Helper()
	db, err := Open(t.TempDir(), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := driver.NewTable(db, "T").Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		partition, row, _ := strings.Cut(key, "\x00")
		if err := driver.NewTable(db, "T").Transact(t.Context(), partition, driver.Insert(row)); err != nil {
			t.Fatal(err)
		}
	}
	return db
}
