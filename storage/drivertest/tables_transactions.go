package drivertest

import (
	"fmt"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func transactionTests() tableTests {
	return tableTests{
		"may have 1 operation":                                   func(t *testing.T, f fixture) { transactionOf(t, f, 1) },
		"may have 100 operations":                                func(t *testing.T, f fixture) { transactionOf(t, f, driver.MaxOperations) },
		"of 101 operations is refused and writes nothing":        transactionTooLarge,
		"with two operations on a row is refused":                sameRowTwice,
		"may mix actions":                                        mixedActions,
		"of mixed actions that fails leaves every row as it was": failedMix,
		"leaves other partitions as they are":                    otherPartitionUntouched,
	}
}

func inserts(n int) []driver.Operation {
	ops := make([]driver.Operation, n)
	for i := range ops {
		ops[i] = driver.Insert(numbered(i), driver.Int64("N", int64(i)))
	}
	return ops
}

func numbered(i int) string { return fmt.Sprintf("n%06d", i) }

func transactionOf(t *testing.T, table fixture, n int) {
	table.transact(t, "p", inserts(n)...)
	rows := table.rows(t, pagesOf("p", driver.MaxPage))
	if len(rows) != n {
		t.Fatalf("%d rows after a transaction of %d inserts", len(rows), n)
	}
	for i, row := range rows {
		if row.Row != numbered(i) {
			t.Fatalf("row %d is %q", i, row.Row)
		}
		wantProperties(t, row, driver.Int64("N", int64(i)))
	}
	var deletes []driver.Operation
	for _, row := range rows {
		deletes = append(deletes, driver.Delete(row.Row, driver.Match(row.ETag)))
	}
	table.transact(t, "p", deletes...)
	wantKeys(t, table.rows(t, pagesOf("p", driver.MaxPage)))
}

func transactionTooLarge(t *testing.T, table fixture) {
	wantError(t, table.Transact(t.Context(), "p", inserts(driver.MaxOperations+1)...), domain.ErrLimit)
	wantError(t, table.Transact(t.Context(), "p"), domain.ErrLimit)
	wantKeys(t, table.rows(t, pagesOf("p", 10)))
}

func sameRowTwice(t *testing.T, table fixture) {
	err := table.Transact(t.Context(), "p", driver.Insert("r"), driver.Insert("s"), driver.Merge("r", driver.Exists))
	wantError(t, err, domain.ErrLimit)
	wantKeys(t, table.rows(t, pagesOf("p", 10)))
}

func mixedActions(t *testing.T, table fixture) {
	old := []driver.Property{driver.Int64("A", 1), driver.Int64("B", 1)}
	table.transact(t, "p", driver.Insert("delete", old...), driver.Insert("merge", old...), driver.Insert("replace", old...))
	etag := table.get(t, "p", "merge").ETag
	table.transact(t, "p",
		driver.Delete("delete", driver.Exists),
		driver.Insert("insert", driver.Int64("A", 2)),
		driver.Merge("merge", driver.Match(etag), driver.Int64("A", 2)),
		driver.Replace("replace", driver.Exists, driver.Int64("A", 2)),
		driver.Merge("upsert", driver.Upsert, driver.Int64("A", 2)))
	rows := table.rows(t, pagesOf("p", 10))
	wantKeys(t, rows, "insert", "merge", "replace", "upsert")
	wantProperties(t, rows[0], driver.Int64("A", 2))
	wantProperties(t, rows[1], driver.Int64("A", 2), driver.Int64("B", 1))
	wantProperties(t, rows[2], driver.Int64("A", 2))
	wantProperties(t, rows[3], driver.Int64("A", 2))
}

func failedMix(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("delete"), driver.Insert("merge"), driver.Insert("replace"))
	before := table.rows(t, pagesOf("p", 10))
	err := table.Transact(t.Context(), "p",
		driver.Delete("delete", driver.Exists),
		driver.Insert("insert"),
		driver.Merge("merge", driver.Exists, driver.Int64("A", 2)),
		driver.Replace("replace", driver.Exists, driver.Int64("A", 2)),
		driver.Merge("upsert", driver.Upsert, driver.Int64("A", 2)),
		driver.Merge("missing", driver.Exists))
	wantOperationError(t, err, 5, domain.ErrNotFound)
	wantKeys(t, table.rows(t, pagesOf("p", 10)), "delete", "merge", "replace")
	for _, row := range before {
		unchanged(t, table, row)
	}
}

func otherPartitionUntouched(t *testing.T, table fixture) {
	table.transact(t, "q", driver.Insert("r", driver.Int64("N", 1)))
	before := table.get(t, "q", "r")
	table.transact(t, "p", driver.Replace("r", driver.Upsert, driver.Int64("N", 2)))
	table.transact(t, "p", driver.Delete("r", driver.Exists))
	unchanged(t, table, before)
}
