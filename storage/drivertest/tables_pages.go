package drivertest

import (
	"slices"
	"testing"

	"microblogging/storage/driver"
)

func pagingTests() tableTests {
	return tableTests{
		"while rows are deleted misses no row that stays": pagingUnderDeletes,
		"to a page again gives the same page":             pageAgain,
		"may change the page size on the way":             pageSizeChanges,
		"sees rows inserted ahead and not those behind":   pagingUnderInserts,
		"after a malformed continuation does no harm":     malformedContinuation,
	}
}

// fill inserts rows numbered from 0, 100 at a time.
func fill(t *testing.T, table fixture, partition string, n int) {
	t.Helper()
	for chunk := range slices.Chunk(inserts(n), driver.MaxOperations) {
		table.transact(t, partition, chunk...)
	}
}

// deleteNumbered deletes rows by number, 100 at a time.
func deleteNumbered(t *testing.T, table fixture, partition string, numbers []int) {
	t.Helper()
	for chunk := range slices.Chunk(numbers, driver.MaxOperations) {
		var ops []driver.Operation
		for _, i := range chunk {
			ops = append(ops, driver.Delete(numbered(i), driver.Exists))
		}
		table.transact(t, partition, ops...)
	}
}

// pagingUnderDeletes deletes rows after each page: every other row of that page,
// and every fourth row of the next one. Among them are the last row that was read
// and the first that was not, which are what a continuation may name.
func pagingUnderDeletes(t *testing.T, table fixture) {
	const total, size = 5000, 250
	fill(t, table, "p", total)
	deletedAhead := func(i int) bool { return i >= size && i%4 == 0 }
	var got []string
	q := driver.Range{Partition: "p", Paging: driver.Paging{Limit: size, KeysOnly: true}}
	for frontier := 0; ; {
		page, err := table.Range(t.Context(), q)
		if err != nil {
			t.Fatalf("page after %q: %v", got[len(got)-1:], err)
		}
		got = append(got, rowKeys(page.Rows)...)
		if page.Continuation == "" {
			break
		}
		q.Continuation = page.Continuation
		var doomed []int
		for i := frontier; i < min(frontier+size, total); i++ {
			if i%2 == 1 && slices.Contains(rowKeys(page.Rows), numbered(i)) {
				doomed = append(doomed, i)
			}
		}
		frontier += size
		for i := frontier; i < min(frontier+size, total); i++ {
			if deletedAhead(i) && !slices.Contains(got, numbered(i)) {
				doomed = append(doomed, i)
			}
		}
		deleteNumbered(t, table, "p", doomed)
	}
	checkSeen(t, got, total, deletedAhead)
}

// checkSeen requires that every row was seen exactly once and in order. A row that
// may be missing was perhaps deleted before it was reached.
func checkSeen(t *testing.T, got []string, total int, mayBeMissing func(i int) bool) {
	t.Helper()
	if !slices.IsSorted(got) {
		t.Error("rows were seen out of order")
	}
	times := map[string]int{}
	for _, key := range got {
		times[key]++
	}
	for i := range total {
		n := times[numbered(i)]
		if n > 1 || n == 0 && !mayBeMissing(i) {
			t.Errorf("row %d was seen %d times", i, n)
		}
	}
}

func pageAgain(t *testing.T, table fixture) {
	fill(t, table, "p", 10)
	first, err := table.Range(t.Context(), pagesOf("p", 4))
	if err != nil {
		t.Fatal(err)
	}
	q := pagesOf("p", 4)
	q.Continuation = first.Continuation
	var keys [2][]string
	for i := range keys {
		page, err := table.Range(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = rowKeys(page.Rows)
	}
	if !slices.Equal(keys[0], keys[1]) {
		t.Errorf("one continuation gave %q, then %q", keys[0], keys[1])
	}
}

func pageSizeChanges(t *testing.T, table fixture) {
	fill(t, table, "p", 30)
	var got []string
	q := pagesOf("p", 1)
	for {
		page, err := table.Range(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rowKeys(page.Rows)...)
		if page.Continuation == "" {
			break
		}
		q.Continuation = page.Continuation
		q.Limit++
		q.KeysOnly = !q.KeysOnly
	}
	checkSeen(t, got, 30, func(int) bool { return false })
}

func pagingUnderInserts(t *testing.T, table fixture) {
	fill(t, table, "p", 4)
	page, err := table.Range(t.Context(), pagesOf("p", 2))
	if err != nil {
		t.Fatal(err)
	}
	wantKeys(t, page.Rows, numbered(0), numbered(1))
	table.transact(t, "p", driver.Insert("a-behind"), driver.Insert("z-ahead"))
	q := pagesOf("p", 2)
	q.Continuation = page.Continuation
	wantKeys(t, table.rowsAfter(t, q), numbered(2), numbered(3), "z-ahead")
}

// rowsAfter reads on from the query's continuation to the end.
func (f fixture) rowsAfter(t *testing.T, q driver.Range) []driver.Entity {
	t.Helper()
	start := q.Continuation
	return readPages(t, q.Limit, func(continuation string) (driver.Page, error) {
		q.Continuation = continuation
		if continuation == "" {
			q.Continuation = start
		}
		return f.Range(t.Context(), q)
	})
}

// malformedContinuation sends continuations that no page of the selection gave.
// Any answer will do, and the backend must go on working.
func malformedContinuation(t *testing.T, table fixture) {
	fill(t, table, "p", 4)
	fill(t, table, "q", 4)
	page, err := table.Range(t.Context(), pagesOf("q", 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, continuation := range []string{
		"x", "made up", "AAAA", "0123456789abcdef", "%00", "{}", "\x00", "\x00\xff", "p\x00", "p\x00\x00", "1!4!cA--", page.Continuation,
	} {
		q := pagesOf("p", 2)
		q.Continuation = continuation
		if _, err := table.Range(t.Context(), q); err != nil {
			t.Logf("a range after %q: %v", continuation, err)
		}
		if _, err := table.Scan(t.Context(), driver.Scan{Paging: q.Paging}); err != nil {
			t.Logf("a scan after %q: %v", continuation, err)
		}
	}
	checkSeen(t, rowKeys(table.rows(t, pagesOf("p", 2))), 4, func(int) bool { return false })
}
