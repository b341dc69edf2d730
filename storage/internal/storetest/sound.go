package storetest

import (
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
	"microblogging/storage/oracle"
)

// MustBeSound fails the test if the program's own check or package oracle finds a violation. The store must be
// idle. What a worker has yet to do is no violation.
func (w *World) MustBeSound() {
	w.T.Helper()
	told := drivertest.FailOnce(w.T)
	for _, v := range w.Violations() {
		told(v)
	}
	violations, err := oracle.Violations(w.T.Context(), w.DB)
	w.OK(err)
	for _, v := range violations {
		if !awaitsWorker(v) {
			told(v)
		}
	}
}

// Violations returns what a check finds.
func (w *World) Violations() []domain.Violation {
	w.T.Helper()
	violations, _ := w.check(time.Hour, false)
	return violations
}

// awaitsWorker reports whether a violation is what a worker has yet to do: to end a
// deletion, and to delete the votes on a deleted post and the replies to it. Most tests run no worker.
func awaitsWorker(b domain.Violation) bool {
	return b.Invariant == "I5" || b.Invariant == "I8" && strings.HasPrefix(b.RowKey, "vote!") ||
		b.Invariant == "I1" && strings.HasPrefix(b.RowKey, "reply!")
}

// Reconcile makes a reconciling pass, removes what has expired, and repairs the store. A repair may only
// delete active rows that have nothing else: they stay until a creator wants the name.
func (w *World) Reconcile() {
	w.T.Helper()
	_, err := w.Store.Operator.Reconcile(w.T.Context(), time.Hour, time.Now())
	w.OK(err)
	_, err = w.Store.Operator.Expire(w.T.Context())
	w.OK(err)
	told := drivertest.FailOnce(w.T)
	violations, _ := w.Check(true)
	for _, v := range violations {
		if v.Detail != "active without a gate" || v.Repaired != "deleted" {
			told(v)
		}
	}
}

// Check runs a check with Patience, and returns what it finds and counts.
func (w *World) Check(repair bool) (violations []domain.Violation, counts storage.CheckCounts) {
	w.T.Helper()
	return w.check(Patience, repair)
}

func (w *World) check(patience time.Duration, repair bool) (violations []domain.Violation, counts storage.CheckCounts) {
	w.T.Helper()
	checker := w.Store.Operator.NewChecker(patience, repair, func(b domain.Violation) { violations = append(violations, b) })
	counts, err := checker.Run(w.T.Context())
	w.OK(err)
	return violations, counts
}
