package storage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestAudit(t *testing.T) {
	t.Run("finds what an earlier version has left on no index", auditFindsEarlierVersion)
	t.Run("reads each page once in a day, and each gate once", auditReadsOnce)
	t.Run("makes about as many requests at a time as it may", auditIsPaced)
	t.Run("goes on where it was, whichever process has it", auditGoesOn)
	t.Run("does a part again if the store did not answer", auditRepeatsUnanswered)
	t.Run("sees no gate in a late copy of a row that was seen with one", lateRowIsLookedAtAgain)
	t.Run("fault hides nothing from the next", auditFaultHidesNothing)
}

// auditFrom takes one part of an audit.
func (w *world) auditFrom(s *storage.Store, from storage.Audit, requests int) (storage.Audit, storage.Reconciled) {
	w.t.Helper()
	next, done, err := s.Audit(w.t.Context(), from, requests, patience, time.Now())
	w.ok(err)
	return next, done
}

// wholeAudit takes an audit from its beginning to its end.
func (w *world) wholeAudit(s *storage.Store) storage.Reconciled {
	w.t.Helper()
	audit, done := w.auditFrom(s, storage.Audit{}, 1)
	for audit.Stage != "" {
		var more storage.Reconciled
		audit, more = w.auditFrom(s, audit, 1)
		done.Add(more)
	}
	return done
}

// withoutIndexes makes the store one of an earlier version.
func (w *world) withoutIndexes() {
	w.t.Helper()
	for _, table := range []string{"Deletions", "Sessions", "Throttle"} {
		for _, row := range w.index(table) {
			w.ok(w.table(table).Transact(w.t.Context(), row.Partition, driver.Delete(row.Row, driver.Exists)))
		}
	}
}

func auditFindsEarlierVersion(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.signedIn("ada", right)
		w.fail(w.store, "ada", 3)
		channel := w.create("garden", ada)
		w.forget(channel)
		w.ungate(w.create("ghost", ada))
		time.Sleep(60 * 24 * time.Hour)
		w.withoutIndexes()
		if done := w.pass(); done.Requeued != 0 {
			t.Fatalf("a pass found %+v without an index", done)
		}
		done := w.wholeAudit(w.store)
		if done.Requeued != 1 || done.Ungated != 1 || done.Expired < 3 || len(w.rows("Sessions"))+len(w.rows("Throttle")) != 0 {
			t.Errorf("the audit did %+v, and left %d sessions and %d counters", done, len(w.rows("Sessions")), len(w.rows("Throttle")))
		}
		w.messages() // lost again
		time.Sleep(2 * patience)
		if done := w.pass(); done.Requeued != 1 {
			t.Errorf("after the audit, a pass did %+v", done)
		}
		w.carryOut(w.messages())
		w.mustBeSound()
	})
}

func auditReadsOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		const channels = 20
		for i := range channels {
			w.create(fmt.Sprintf("garden%d", i), ada)
		}
		const pages = 4 // of channels, sessions and counters, and of channels whose gates are looked for
		for day, want := range []int64{pages + 2*channels, pages, pages} {
			w.arm(drivertest.Pass)
			audit, _ := w.auditFrom(w.faulty, storage.Audit{}, 1000)
			if n := w.calls.Load(); n != want || audit.Stage != "" {
				t.Errorf("on day %d, the audit made %d requests, want %d, and is at %q", day, n, want, audit.Stage)
			}
			time.Sleep(24*time.Hour - time.Second)
			w.arm(drivertest.Pass)
			if audit, _ = w.auditFrom(w.faulty, audit, 1000); w.calls.Load() != 0 {
				t.Errorf("on day %d, there was a second audit", day)
			}
			time.Sleep(time.Second)
			w.arm(drivertest.Pass)
			if w.auditFrom(w.faulty, audit, 1); w.calls.Load() == 0 {
				t.Errorf("after day %d, there was no audit", day)
			}
		}
	})
}

func auditIsPaced(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for i := range 20 {
			w.create(fmt.Sprintf("garden%d", i), ada)
		}
		for _, most := range []int{1, 2, 4, 10} {
			audit, calls := storage.Audit{}, 0
			for begun := false; !begun || audit.Stage != ""; begun = true {
				w.arm(drivertest.Pass)
				audit, _ = w.auditFrom(w.faulty, audit, most)
				// A page and one gate is the least, so that it gets further.
				if n := int(w.calls.Load()); n > max(most+1, 3) {
					t.Errorf("of %d requests, it made %d", most, n)
				}
				if calls++; calls > 100 {
					t.Fatal("the audit does not end")
				}
			}
		}
	})
}

// Each part is of another process, which knows nothing but the text of the message.
func auditGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		const channels = 2500
		table := w.table("Channels")
		for i := range channels {
			state := "active"
			if i%500 == 499 {
				state = "deleting"
			}
			name := fmt.Sprintf("garden%04d", i)
			w.ok(table.Transact(t.Context(), name, driver.Insert("", driver.String("Name", name),
				driver.String("Incarnation", domain.NewIncarnation()), driver.String("State", state), driver.Bool("Gated", true))))
		}
		audit, _ := w.auditFrom(w.store, storage.Audit{}, 1)
		parts := 1
		for ; audit.Stage != ""; parts++ {
			audit, _ = w.auditFrom(w.store, audit, 1)
		}
		if got := len(w.openDeletions()); parts != 3+1+1+3 || got != channels/500 {
			t.Errorf("in %d parts, it found %d open deletions", parts, got)
		}
	})
}

func auditRepeatsUnanswered(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		ref := w.forget(w.create("garden", ada))
		w.withoutIndexes()
		w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Target == "Deletions" {
				return drivertest.ErrInjected
			}
			return send(ctx)
		})
		audit, _, err := w.faulty.Audit(t.Context(), storage.Audit{}, 1, patience, time.Now())
		if !errors.Is(err, domain.ErrUnavailable) || audit.Stage != storage.StageChannels || audit.At != "" {
			t.Fatalf("the audit is at %+v, %v", audit, err)
		}
		w.auditFrom(w.store, audit, 1)
		if len(w.openDeletions()) != 1 {
			t.Error("the deletion was not found again")
		}
		w.mustEndWithoutAudit(ref)
	})
}

func lateRowIsLookedAtAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		row := w.rows("Channels")[0]
		w.wholeAudit(w.store)
		w.ask(channel)
		w.carryOut(w.messages())
		w.ok(w.table("Channels").Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
		if done := w.wholeAudit(w.store); done.Ungated != 1 || len(w.rows("Channels")) != 0 {
			t.Errorf("the audit did %+v, and left %v", done, w.rows("Channels"))
		}
	})
}

func auditFaultHidesNothing(t *testing.T) {
	eachFault(t, func(w *world) {
		w.create("whole", ada)
		ref := w.forget(w.create("garden", ada))
		w.ungate(w.create("ghost", ada))
		w.counters("user!a", 3, longEnded())
		w.withoutIndexes()
		audit, _, err := w.faulty.Audit(w.t.Context(), storage.Audit{}, 1000, patience, time.Now())
		if err != nil && !errors.Is(err, domain.ErrUnavailable) {
			w.t.Error(err)
		}
		calls := w.calls.Load()
		if audit.Stage != "" {
			w.auditFrom(w.store, audit, 1000)
		}
		if left := len(w.rows("Throttle")); left != 0 || len(w.rows("Channels")) != 2 {
			w.t.Errorf("%d counters are left, and %d channels", left, len(w.rows("Channels")))
		}
		w.mustEndWithoutAudit(ref)
		w.calls.Store(calls)
	})
}
