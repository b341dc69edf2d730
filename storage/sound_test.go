package storage_test

import (
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

// mustBeSound checks at rest what every test demands in the end. What it says of
// orphans and gates it says from the rows themselves, not from the checker alone.
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

// mustHoldTheFence is I1 and I9 of active channels in their plainest words.
func (w *world) mustHoldTheFence() {
	w.t.Helper()
	live := map[string]string{}
	for _, row := range w.rows("Channels") {
		live[row.Partition] = row.Properties.String("Incarnation")
	}
	open := map[string]bool{}
	for _, row := range w.rows("Blogs") {
		if strings.HasPrefix(row.Row, "gate!reserved!") {
			continue // no gate, and never again one: a creation's that died, or a late copy
		}
		of := row.Properties.String("Incarnation")
		if gate, isOpen := strings.CutPrefix(row.Row, "gate!open!"); isOpen {
			if gate == live[row.Partition] {
				open[row.Partition] = true
			}
			continue // another's is that of a creation that died
		}
		if of != live[row.Partition] {
			w.t.Errorf("orphan %s of %q in partition %q, which has %q", row.Row, of, row.Partition, live[row.Partition])
		}
	}
	for _, row := range w.rows("Channels") {
		if row.Properties.String("State") == "active" && !open[row.Partition] {
			w.t.Errorf("channel %s is active without its open gate", row.Partition)
		}
	}
}

// tend runs the reconciling pass on the sound side.
func (w *world) reconcile() storage.Reconciled {
	w.t.Helper()
	done, err := w.store.Reconcile(w.t.Context(), time.Hour)
	w.ok(err)
	return done
}
