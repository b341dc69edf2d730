package storage_test

import (
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/atrest"
)

// mustBeSound checks at rest what every test demands in the end, with the program's
// own checker and from the rows themselves.
func (w *world) mustBeSound() {
	w.t.Helper()
	for _, breach := range w.check() {
		w.t.Errorf("breach: %+v", breach)
	}
	w.mustHoldTheFence()
}

// check runs the checker without repair.
func (w *world) check() []domain.Breach {
	w.t.Helper()
	var breaches []domain.Breach
	checker := w.store.NewChecker(time.Hour, false, func(b domain.Breach) { breaches = append(breaches, b) })
	_, err := checker.Run(w.t.Context())
	w.ok(err)
	return breaches
}

// mustHoldTheFence holds the rows against the plain words of package atrest.
func (w *world) mustHoldTheFence() {
	w.t.Helper()
	breaches, err := atrest.Breaches(w.t.Context(), w.db)
	w.ok(err)
	for _, b := range breaches {
		if !awaitsWorker(b) {
			w.t.Errorf("breach in row %q of partition %q of %s: %v", b.RowKey, b.PartitionKey, b.Table, b)
		}
	}
}

// awaitsWorker tells whether a breach is what a worker has yet to do: to end a
// deletion, and to delete the votes on a deleted post. Most tests of this package
// run no worker.
func awaitsWorker(b domain.Breach) bool {
	return b.Invariant == "I5" || b.Invariant == "I8" && strings.HasPrefix(b.RowKey, "vote!")
}

// tend runs the reconciling pass on the sound side.
func (w *world) reconcile() storage.Reconciled {
	w.t.Helper()
	done, err := w.store.Reconcile(w.t.Context(), time.Hour, time.Now())
	w.ok(err)
	return done
}
