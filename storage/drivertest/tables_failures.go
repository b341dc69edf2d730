package drivertest

import (
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// In each failure test, the row taken is there, and the row missing is not.
const (
	taken   = "taken"
	missing = "missing"
)

func failureTests() tableTests {
	return tableTests{
		"of an insert that finds its row names its index": func(t *testing.T, f fixture) {
			failAtEachIndex(t, f, driver.Insert(taken), domain.ErrExists)
		},
		"of a merge that finds no row names its index": func(t *testing.T, f fixture) {
			failAtEachIndex(t, f, driver.Merge(missing, driver.Exists), domain.ErrNotFound)
		},
		"of a delete that finds no row names its index": func(t *testing.T, f fixture) {
			failAtEachIndex(t, f, driver.Delete(missing, driver.Exists), domain.ErrNotFound)
		},
		"of a stale ETag names its index": func(t *testing.T, f fixture) {
			f.transact(t, "p", driver.Insert(taken))
			stale := f.get(t, "p", taken).ETag
			f.transact(t, "p", driver.Delete(taken, driver.Exists))
			failAtEachIndex(t, f, driver.Merge(taken, driver.Match(stale), driver.Int64("N", 2)), domain.ErrConflict)
		},
	}
}

// failAtEachIndex sends 100 transactions of 100 operations: 99 inserts, and the
// operation that must fail, at each index in turn. If a transaction wrote
// something, the next one would fail elsewhere, because it inserts the same rows.
func failAtEachIndex(t *testing.T, table fixture, failing driver.Operation, meaning error) {
	t.Helper()
	table.transact(t, "p", driver.Insert(taken, driver.Int64("N", 1)))
	before := table.get(t, "p", taken)
	for i := range driver.MaxOperations {
		ops := inserts(driver.MaxOperations)
		ops[i] = failing
		wantOperationError(t, table.Transact(t.Context(), "p", ops...), i, meaning)
	}
	wantKeys(t, table.rows(t, pagesOf("p", driver.MaxPage)), taken)
	unchanged(t, table, before)
}
