package drivertest

import (
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// taken is the row that is there in each failure test; missing is not.
const (
	taken   = "taken"
	missing = "missing"
)

func failureTests() tableTests {
	return tableTests{
		"AnInsertThatExistsFailsAtItsIndexWhereverItStands": func(t *testing.T, f fixture) {
			failAtEachIndex(t, f, driver.Insert(taken), domain.ErrExists)
		},
		"AMergeThatFindsNothingFailsAtItsIndexWhereverItStands": func(t *testing.T, f fixture) {
			failAtEachIndex(t, f, driver.Merge(missing, driver.Exists), domain.ErrNotFound)
		},
		"ADeleteThatFindsNothingFailsAtItsIndexWhereverItStands": func(t *testing.T, f fixture) {
			failAtEachIndex(t, f, driver.Delete(missing, driver.Exists), domain.ErrNotFound)
		},
		"AStaleETagFailsAtItsIndexWhereverItStands": func(t *testing.T, f fixture) {
			f.transact(t, "p", driver.Insert(taken))
			stale := f.get(t, "p", taken).ETag
			f.transact(t, "p", driver.Delete(taken, driver.Exists))
			failAtEachIndex(t, f, driver.Merge(taken, driver.Match(stale), driver.Int64("N", 2)), domain.ErrConflict)
		},
	}
}

// failAtEachIndex sends transactions of 100 inserts of which one is replaced by
// an operation that must fail. Anything that one of them writes is found at the
// latest by the next one, which inserts the same rows.
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
