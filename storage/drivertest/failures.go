package drivertest

import (
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

// taken is the row that is there in each failure test; missing is not.
const (
	taken   = "taken"
	missing = "missing"
)

func failureTests() tableTests {
	return tableTests{
		"AnInsertThatExistsFailsAtItsIndexWhereverItStands": func(t *testing.T, f fixture) {
			failAtEachIndex(t, f, storage.Insert(taken), domain.ErrExists)
		},
		"AMergeThatFindsNothingFailsAtItsIndexWhereverItStands": func(t *testing.T, f fixture) {
			failAtEachIndex(t, f, storage.Merge(missing, storage.Exists), domain.ErrNotFound)
		},
		"ADeleteThatFindsNothingFailsAtItsIndexWhereverItStands": func(t *testing.T, f fixture) {
			failAtEachIndex(t, f, storage.Delete(missing, storage.Exists), domain.ErrNotFound)
		},
		"AStaleETagFailsAtItsIndexWhereverItStands": func(t *testing.T, f fixture) {
			f.transact(t, "p", storage.Insert(taken))
			stale := f.get(t, "p", taken).ETag
			f.transact(t, "p", storage.Delete(taken, storage.Exists))
			failAtEachIndex(t, f, storage.Merge(taken, storage.Match(stale), storage.Int64("N", 2)), domain.ErrConflict)
		},
	}
}

// failAtEachIndex sends transactions of 100 inserts of which one is replaced by
// an operation that must fail. Anything that one of them writes is found at the
// latest by the next one, which inserts the same rows.
func failAtEachIndex(t *testing.T, table fixture, failing storage.Operation, meaning error) {
	t.Helper()
	table.transact(t, "p", storage.Insert(taken, storage.Int64("N", 1)))
	before := table.get(t, "p", taken)
	for i := range storage.MaxOperations {
		ops := inserts(storage.MaxOperations)
		ops[i] = failing
		wantOperationError(t, table.Transact(t.Context(), "p", ops...), i, meaning)
	}
	wantKeys(t, table.rows(t, pagesOf("p", storage.MaxPage)), taken)
	unchanged(t, table, before)
}
