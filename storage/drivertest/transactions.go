package drivertest

import (
	"fmt"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

func transactionTests() tableTests {
	return tableTests{
		"ATransactionMayHaveOneOperation":                 func(t *testing.T, f fixture) { transactionOf(t, f, 1) },
		"ATransactionMayHave100Operations":                func(t *testing.T, f fixture) { transactionOf(t, f, storage.MaxOperations) },
		"ATransactionOf101IsRefusedAndWritesNothing":      transactionTooLarge,
		"ATransactionTouchesARowOnlyOnce":                 sameRowTwice,
		"ATransactionMixesActions":                        mixedActions,
		"AFailedMixOfActionsLeavesEveryRowAsItWas":        failedMix,
		"ATransactionOfOnePartitionLeavesOthersAsTheyAre": otherPartitionUntouched,
	}
}

func inserts(n int) []storage.Operation {
	ops := make([]storage.Operation, n)
	for i := range ops {
		ops[i] = storage.Insert(numbered(i), storage.Int64("N", int64(i)))
	}
	return ops
}

func numbered(i int) string { return fmt.Sprintf("n%06d", i) }

func transactionOf(t *testing.T, table fixture, n int) {
	table.transact(t, "p", inserts(n)...)
	rows := table.rows(t, pagesOf("p", storage.MaxPage))
	if len(rows) != n {
		t.Fatalf("%d rows after a transaction of %d inserts", len(rows), n)
	}
	for i, row := range rows {
		if row.Row != numbered(i) {
			t.Fatalf("row %d is %q", i, row.Row)
		}
		wantProperties(t, row, storage.Int64("N", int64(i)))
	}
	var deletes []storage.Operation
	for _, row := range rows {
		deletes = append(deletes, storage.Delete(row.Row, storage.Match(row.ETag)))
	}
	table.transact(t, "p", deletes...)
	wantKeys(t, table.rows(t, pagesOf("p", storage.MaxPage)))
}

func transactionTooLarge(t *testing.T, table fixture) {
	wantError(t, table.Transact(t.Context(), "p", inserts(storage.MaxOperations+1)...), domain.ErrLimit)
	wantError(t, table.Transact(t.Context(), "p"), domain.ErrLimit)
	wantKeys(t, table.rows(t, pagesOf("p", 10)))
}

func sameRowTwice(t *testing.T, table fixture) {
	err := table.Transact(t.Context(), "p", storage.Insert("r"), storage.Insert("s"), storage.Merge("r", storage.Exists))
	wantError(t, err, domain.ErrLimit)
	wantKeys(t, table.rows(t, pagesOf("p", 10)))
}

func mixedActions(t *testing.T, table fixture) {
	old := []storage.Property{storage.Int64("A", 1), storage.Int64("B", 1)}
	table.transact(t, "p", storage.Insert("delete", old...), storage.Insert("merge", old...), storage.Insert("replace", old...))
	etag := table.get(t, "p", "merge").ETag
	table.transact(t, "p",
		storage.Delete("delete", storage.Exists),
		storage.Insert("insert", storage.Int64("A", 2)),
		storage.Merge("merge", storage.Match(etag), storage.Int64("A", 2)),
		storage.Replace("replace", storage.Exists, storage.Int64("A", 2)),
		storage.Merge("upsert", storage.Upsert, storage.Int64("A", 2)))
	rows := table.rows(t, pagesOf("p", 10))
	wantKeys(t, rows, "insert", "merge", "replace", "upsert")
	wantProperties(t, rows[0], storage.Int64("A", 2))
	wantProperties(t, rows[1], storage.Int64("A", 2), storage.Int64("B", 1))
	wantProperties(t, rows[2], storage.Int64("A", 2))
	wantProperties(t, rows[3], storage.Int64("A", 2))
}

func failedMix(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("delete"), storage.Insert("merge"), storage.Insert("replace"))
	before := table.rows(t, pagesOf("p", 10))
	err := table.Transact(t.Context(), "p",
		storage.Delete("delete", storage.Exists),
		storage.Insert("insert"),
		storage.Merge("merge", storage.Exists, storage.Int64("A", 2)),
		storage.Replace("replace", storage.Exists, storage.Int64("A", 2)),
		storage.Merge("upsert", storage.Upsert, storage.Int64("A", 2)),
		storage.Merge("missing", storage.Exists))
	wantOperationError(t, err, 5, domain.ErrNotFound)
	wantKeys(t, table.rows(t, pagesOf("p", 10)), "delete", "merge", "replace")
	for _, row := range before {
		unchanged(t, table, row)
	}
}

func otherPartitionUntouched(t *testing.T, table fixture) {
	table.transact(t, "q", storage.Insert("r", storage.Int64("N", 1)))
	before := table.get(t, "q", "r")
	table.transact(t, "p", storage.Replace("r", storage.Upsert, storage.Int64("N", 2)))
	table.transact(t, "p", storage.Delete("r", storage.Exists))
	unchanged(t, table, before)
}
