package storage_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

const patience = 90 * time.Second

func (w *world) reconcileAfter(patience time.Duration) storage.Reconciled {
	w.t.Helper()
	done, err := w.upkeep(w.store, patience, time.Now())
	w.ok(err)
	return done
}

// forget asks for a deletion, and then loses its message.
func (w *world) forget(channel domain.Channel) domain.ChannelRef {
	w.t.Helper()
	ref := w.ask(channel)
	w.messages()
	return ref
}

func TestReconcile(t *testing.T) {
	t.Run("forgotten deletion is queued again after the patience", bubble(forgottenDeletionIsRequeued))
	t.Run("deletion with progress is left alone", bubble(progressingDeletionIsLeftAlone))
	t.Run("deletion whose message nobody has received yet is left alone", bubble(waitingDeletionIsLeftAlone))
	t.Run("deletion is left alone until its next try is due", bubble(retriedDeletionIsLeftAlone))
	t.Run("begun deletion whose worker died waits for its turn", bubble(requeuedDeletionWaits))
	t.Run("check accuses a queued deletion only if the queue is empty", bubble(checkSparesBacklog))
	t.Run("failure of one channel does not stop the pass", bubble(passGoesOnAfterFailure))
}

// reconcileHandedOut is a pass of a worker that has seen all messages received that were queued
// before handedOut. It returns how many it queued again.
func (w *world) reconcileHandedOut(handedOut time.Time) int {
	w.t.Helper()
	done, err := w.store.Reconcile(w.t.Context(), patience, handedOut)
	w.ok(err)
	return done.Requeued
}

func waitingDeletionIsLeftAlone(t *testing.T, w *world) {
	w.forget(w.create("garden", ada))
	asked := time.Now()
	time.Sleep(24 * time.Hour)
	for what, handedOut := range map[string]time.Time{"nothing": {}, "what was queued before it": asked, "what was queued soon after it": asked.Add(patience)} {
		if n := w.reconcileHandedOut(handedOut); n != 0 {
			t.Errorf("queued again although only %s was received", what)
		}
	}
	if n := w.reconcileHandedOut(asked.Add(patience + time.Second)); n != 1 {
		t.Error("not queued again although messages that came later were received")
	}
}

func retriedDeletionIsLeftAlone(t *testing.T, w *world) {
	for _, state := range []domain.DeletionState{domain.DeletionQueued, domain.DeletionRunning} {
		ref := w.forget(w.create(string(state), ada))
		w.change(ref, func(d *domain.Deletion) { d.State, d.RetryOn = state, domain.Now().Add(time.Minute) })
	}
	time.Sleep(time.Minute + patience)
	if n := w.reconcileHandedOut(time.Now()); n != 0 {
		t.Errorf("%d deletions are queued again before their patience has passed since the next try", n)
	}
	time.Sleep(time.Second)
	// Now their messages are visible again, but others may be before them.
	if n := w.reconcileHandedOut(time.Now().Add(-2 * time.Second)); n != 0 {
		t.Errorf("%d deletions are queued again while their messages wait for a worker", n)
	}
	if n := w.reconcileHandedOut(time.Now()); n != 2 {
		t.Errorf("%d deletions are queued again, want 2", n)
	}
}

// A worker dies, and its message is behind many others.
func requeuedDeletionWaits(t *testing.T, w *world) {
	ref := w.forget(w.create("garden", ada))
	w.change(ref, func(d *domain.Deletion) { d.State = domain.DeletionRunning })
	behind := time.Now()
	for range 60 {
		time.Sleep(time.Minute)
		if w.reconcileHandedOut(behind) != 0 {
			t.Error("queued again although its message may be behind others")
		}
	}
	copies := 0
	for range 60 {
		copies += w.reconcileHandedOut(behind.Add(patience + time.Second))
	}
	if copies != 1 || len(w.messages()) != 1 {
		t.Errorf("%d copies are sent when messages that came later were received", copies)
	}
}

func checkSparesBacklog(t *testing.T, w *world) {
	ref := w.ask(w.create("garden", ada))
	time.Sleep(time.Hour)
	accused := func() (n int) {
		checker := w.store.NewChecker(patience, false, func(b domain.Breach) {
			if b.Table == "Deletions" && b.RowKey == string(ref.Incarnation) {
				n++
			}
		})
		_, err := checker.Run(t.Context())
		w.ok(err)
		return n
	}
	if accused() != 0 {
		t.Error("a deletion is accused whose message is on the queue")
	}
	m := w.receive()
	w.change(ref, func(d *domain.Deletion) { d.State = domain.DeletionRunning })
	time.Sleep(time.Hour)
	if accused() != 0 {
		t.Error("a deletion is accused whose message is on the queue again, since its worker died")
	}
	w.ok(w.store.Messages().Delete(t.Context(), m))
	if accused() != 1 {
		t.Error("a deletion without a message is not accused")
	}
}

func forgottenDeletionIsRequeued(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	_, err := w.store.AskDeletion(storage.WithTraceParent(t.Context(), someTraceParent), channel.Key(), ada, anyIncarnation)
	w.ok(err)
	ref := w.forget(channel)
	asked := w.deletion(ref)
	time.Sleep(patience)
	if done := w.reconcileAfter(patience); done.Requeued != 0 {
		t.Errorf("queued again before its patience has passed: %+v", done)
	}
	time.Sleep(time.Second)
	if done := w.reconcileAfter(patience); done.Requeued != 1 {
		t.Errorf("not queued again: %+v", done)
	}
	if done := w.reconcileAfter(patience); done.Requeued != 0 {
		t.Errorf("queued by each pass: %+v", done)
	}
	messages := w.messages()
	if len(messages) != 1 || messages[0].Ref() != ref || messages[0].By != ada || messages[0].TraceParent != someTraceParent || !messages[0].AskedOn.Equal(asked.RequestedOn) || messages[0].Name != "garden" {
		t.Errorf("queued %+v", messages)
	}
	w.carryOut(messages)
	w.mustKeepTheNextIncarnation(channel, false)
}

func progressingDeletionIsLeftAlone(t *testing.T, w *world) {
	ref := w.forget(w.create("garden", ada))
	for range 5 {
		time.Sleep(patience - time.Second)
		w.ok(w.store.UpdateDeletion(t.Context(), ref, addRows(1)))
		if done := w.reconcileAfter(patience); done.Requeued != 0 {
			t.Errorf("queued again: %+v", done)
		}
	}
}

func passGoesOnAfterFailure(t *testing.T, w *world) {
	for i := range 3 {
		w.forget(w.create(fmt.Sprintf("garden%d", i), ada))
	}
	time.Sleep(2 * patience)
	ofDeletions := func(call drivertest.Call) bool { return call.Target == "Deletions" && call.Method == "Get" }
	w.arm(drivertest.Only(ofDeletions, drivertest.FailBefore(1)))
	done, err := w.faulty.Reconcile(t.Context(), patience, time.Now())
	if !errors.Is(err, domain.ErrUnavailable) || done.Requeued != 2 || len(w.messages()) != 2 {
		t.Errorf("reconciled: %+v, %v", done, err)
	}
}
