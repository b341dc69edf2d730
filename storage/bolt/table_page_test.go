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
	if err := db.Transact(t.Context(), "T", "p", ops); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestPage(t *testing.T) {
	t.Run("of 20 rows takes at most 2 allocations a row", pageAllocations)
	t.Run("has rows whose properties can be appended to", appendToProperties)
	t.Run("that is the last has no continuation", lastPage)
	t.Run("of a scan may have a bound with a zero byte", boundWithZeroByte)
}

func pageAllocations(t *testing.T) {
	db := openFilled(t, 50)
	q := driver.Range{Partition: "p", Paging: driver.Paging{Limit: 20}}
	allocations := testing.AllocsPerRun(100, func() {
		if page, err := db.Range(t.Context(), "T", q); err != nil || len(page.Rows) != 20 {
			t.Errorf("got %d rows, %v", len(page.Rows), err)
		}
	})
	if allocations > 2*20 {
		t.Errorf("%v allocations for 20 rows", allocations)
	}
}

func appendToProperties(t *testing.T) {
	page, err := openFilled(t, 2).Range(t.Context(), "T", driver.Range{Partition: "p", Paging: driver.Paging{Limit: 2}})
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(page.Rows[1].Properties)
	_ = append(page.Rows[0].Properties, driver.String("C", "more"))
	if !slices.Equal(page.Rows[1].Properties, before) {
		t.Errorf("%v became %v", before, page.Rows[1].Properties)
	}
}

func lastPage(t *testing.T) {
	page, err := openFilled(t, 4).Range(t.Context(), "T", driver.Range{Partition: "p", Paging: driver.Paging{Limit: 4}})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Rows) != 4 || page.Continuation != "" {
		t.Errorf("got %d rows and continuation %q, want all 4 and none", len(page.Rows), page.Continuation)
	}
}

func boundWithZeroByte(t *testing.T) {
	partitions := []string{"", "a", "a b", "ab", "b"}
	bounds := []string{"", "\x00", "a", "a\x00", "a\x00b", "a\x00\xff", "a\x01", "a b\x00", "ab", "b\x00", "c"}
	for _, from := range bounds {
		for _, to := range bounds {
			s := scanSpan(driver.Scan{From: from, To: to})
			for _, partition := range partitions {
				want := partition >= from && (to == "" || partition < to)
				if got := s.holds(rowKey(partition, "row")); got != want {
					t.Errorf("[%q, %q) holds %q: got %v, want %v", from, to, partition, got, want)
				}
			}
		}
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
	db := openRows(f, keys)
	f.Fuzz(func(t *testing.T, limit uint8, continuation, partition, from, to string) {
		paging := driver.Paging{Limit: 1 + int(limit)%3, Continuation: continuation}
		page, err := db.Scan(t.Context(), "T", driver.Scan{From: from, To: to, Paging: paging})
		checkContinued(t, scanSpan(driver.Scan{From: from, To: to}), keys, paging, page, err)
		page, err = db.Range(t.Context(), "T", driver.Range{Partition: partition, From: from, To: to, Paging: paging})
		if !strings.Contains(partition, "\x00") { // Table lets no such partition key pass
			checkContinued(t, rangeSpan(driver.Range{Partition: partition, From: from, To: to}), keys, paging, page, err)
		}
	})
}

// checkContinued compares a page with what the table's keys ask for.
func checkContinued(t *testing.T, selection span, keys []string, p driver.Paging, page driver.Page, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("after %q: %v", p.Continuation, err)
	}
	var want []string
	for _, key := range keys {
		if selection.holds([]byte(key)) && key > p.Continuation && len(want) < p.Limit {
			want = append(want, key)
		}
	}
	var got []string
	for _, row := range page.Rows {
		got = append(got, string(rowKey(row.Partition, row.Row)))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%q to %q after %q: got %q, want %q", selection.start, selection.end, p.Continuation, got, want)
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
	if err := db.CreateTable(t.Context(), "T"); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		partition, row, _ := strings.Cut(key, "\x00")
		if err := db.Transact(t.Context(), "T", partition, []driver.Operation{driver.Insert(row)}); err != nil {
			t.Fatal(err)
		}
	}
	return db
}
