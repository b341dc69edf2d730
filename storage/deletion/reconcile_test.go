package deletion_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestReconcile(t *testing.T) {
	t.Run("lost deletion is queued again, once, and not too early", lostDeletionIsRequeued)
	t.Run("check accuses a queued deletion only if the queue is empty", bubble(checkSparesBacklog))
	t.Run("failure of one channel does not stop the pass", bubble(passGoesOnAfterFailure))
	t.Run("deletion of a clock that was a day ahead may wait for a worker", bubble(aheadDeletionWaitsForItsTurn))
}

// reconcileHandedOut is a pass of a worker that has seen all messages received that were queued
// before handedOut. It returns how many it queued again.
func (w *world) reconcileHandedOut(handedOut time.Time) int {
	w.T.Helper()
	done, err := w.Store.Operator.Reconcile(w.T.Context(), storetest.Patience, handedOut)
	w.OK(err)
	return done.Requeued
}

// A deletion whose message is lost is queued again when nothing has been heard of it for the
// patience, and messages that came later have been received.
func lostDeletionIsRequeued(t *testing.T) {
	const patient = storetest.Patience + time.Second
	retry := func(state domain.DeletionState) func(*domain.Deletion) {
		return func(d *domain.Deletion) { d.State, d.RetryOn = state, domain.Now().Add(time.Minute) }
	}
	begun := func(d *domain.Deletion) { d.State = domain.DeletionRunning }
	for name, c := range map[string]struct {
		change  func(d *domain.Deletion)
		after   time.Duration
		handed  time.Duration // since it was asked for
		requeue bool
	}{
		"before its patience has passed":                     {nil, storetest.Patience, storetest.Patience, false},
		"after its patience":                                 {nil, patient, patient, true},
		"though nothing was received":                        {nil, 24 * time.Hour, -time.Hour, false},
		"though only what was queued before it was received": {nil, 24 * time.Hour, 0, false},
		"though what was queued soon after it was received":  {nil, 24 * time.Hour, storetest.Patience, false},
		"when what was queued later was received":            {nil, 24 * time.Hour, patient, true},
		"before its patience has passed since the next try":  {retry(domain.DeletionQueued), time.Minute + storetest.Patience, time.Minute + storetest.Patience, false},
		"before its patience since the next try, begun":      {retry(domain.DeletionRunning), time.Minute + storetest.Patience, time.Minute + storetest.Patience, false},
		"while its message may wait behind others":           {retry(domain.DeletionRunning), time.Minute + patient, time.Minute + storetest.Patience - time.Second, false},
		"after the next try":                                 {retry(domain.DeletionQueued), time.Minute + patient, time.Minute + patient, true},
		"after the next try, begun":                          {retry(domain.DeletionRunning), time.Minute + patient, time.Minute + patient, true},
		"while the message of a dead worker may wait":        {begun, time.Hour, 0, false},
		"when the message of a dead worker must have come":   {begun, time.Hour, patient, true},
	} {
		t.Run(name, bubble(func(t *testing.T, w *world) {
			ref, asked := w.Forget(w.Create("garden", ada)), time.Now()
			if c.change != nil {
				w.change(ref, c.change)
			}
			time.Sleep(c.after)
			for _, requeue := range []bool{c.requeue, false} { // once
				if n := w.reconcileHandedOut(asked.Add(c.handed)); (n == 1) != requeue {
					t.Errorf("%d deletions are queued again", n)
				}
			}
		}))
	}
}

func checkSparesBacklog(t *testing.T, w *world) {
	ref := w.Ask(w.Create("garden", ada))
	time.Sleep(time.Hour)
	accused := func() (n int) {
		checker := w.Store.Operator.NewChecker(storetest.Patience, false, func(b domain.Violation) {
			if b.Table == "Deletions" && b.RowKey == string(ref.Incarnation) {
				n++
			}
		})
		_, err := checker.Run(t.Context())
		w.OK(err)
		return n
	}
	if accused() != 0 {
		t.Error("a deletion is accused whose message is on the queue")
	}
	m := w.Receive()
	w.change(ref, func(d *domain.Deletion) { d.State = domain.DeletionRunning })
	time.Sleep(time.Hour)
	if accused() != 0 {
		t.Error("a deletion is accused whose message is on the queue again, since its worker died")
	}
	w.OK(w.Store.Operator.Messages().Delete(t.Context(), m))
	if accused() != 1 {
		t.Error("a deletion without a message is not accused")
	}
}

func passGoesOnAfterFailure(t *testing.T, w *world) {
	for i := range 3 {
		w.Forget(w.Create(fmt.Sprintf("garden%d", i), ada))
	}
	time.Sleep(2 * storetest.Patience)
	ofDeletions := func(call drivertest.Call) bool { return call.Target == "Deletions" && call.Method == "Get" }
	w.Arm(drivertest.Only(ofDeletions, drivertest.FailBefore(1)))
	done, err := w.Faulty.Operator.Reconcile(t.Context(), storetest.Patience, time.Now())
	if !errors.Is(err, domain.ErrUnavailable) || done.Requeued != 2 || len(w.Messages()) != 2 {
		t.Errorf("reconciled: %+v, %v", done, err)
	}
}

func aheadDeletionWaitsForItsTurn(t *testing.T, w *world) {
	ref := w.Ask(w.Create("garden", ada))
	w.change(ref, func(d *domain.Deletion) { d.RetryOn = domain.Now() })
	w.Postdate("Deletions", 24*time.Hour)
	w.OK(w.Store.Operator.ListDeletion(t.Context(), w.deletion(ref).Message())) // by the same clock
	if n := w.reconcileHandedOut(time.Time{}); n != 0 {
		t.Error("queued again although no message was received yet")
	}
	if violations, _ := w.Check(false); len(violations) != 0 {
		t.Errorf("check accuses %+v although the message is on the queue", violations)
	}
}
