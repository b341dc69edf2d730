package storage_test

import (
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/oracle"
)

// mustBeSound checks at rest what every test demands in the end, with the program's
// own checker and from the rows themselves.
func (w *world) mustBeSound() {
	w.t.Helper()
	for _, violation := range w.check() {
		w.t.Errorf("violation: %+v", violation)
	}
	w.mustHoldTheFence()
}

// check runs the checker without repair.
func (w *world) check() []domain.Violation {
	w.t.Helper()
	var violations []domain.Violation
	checker := w.store.Operator.NewChecker(time.Hour, false, func(b domain.Violation) { violations = append(violations, b) })
	_, err := checker.Run(w.t.Context())
	w.ok(err)
	return violations
}

// mustHoldTheFence holds the rows against the plain words of package oracle.
func (w *world) mustHoldTheFence() {
	w.t.Helper()
	violations, err := oracle.Violations(w.t.Context(), w.db)
	w.ok(err)
	for _, b := range violations {
		if !awaitsWorker(b) {
			w.t.Errorf("violation in row %q of partition %q of %s: %v", b.RowKey, b.PartitionKey, b.Table, b)
		}
	}
}

// awaitsWorker reports whether a violation is what a worker has yet to do: to end a
// deletion, and to delete the votes on a deleted post. Most tests of this package
// run no worker.
func awaitsWorker(b domain.Violation) bool {
	return b.Invariant == "I5" || b.Invariant == "I8" && strings.HasPrefix(b.RowKey, "vote!")
}

// reconcile makes a reconciling pass on the sound side, and removes what has expired. An operator repairs the active rows
// behind which nothing lies, and no gate stands: they wait for whoever wants the name.
func (w *world) reconcile() storage.Reconciled {
	w.t.Helper()
	done, err := w.store.Operator.Reconcile(w.t.Context(), time.Hour, time.Now())
	w.ok(err)
	done.Expired, err = w.store.Operator.Expire(w.t.Context())
	w.ok(err)
	violations, _ := w.run(true)
	for _, b := range violations {
		if b.Detail != "active without a gate" || b.Repaired != "deleted" {
			w.t.Errorf("violation: %+v", b)
		}
	}
	return done
}
