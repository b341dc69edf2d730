package worker

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestLease(t *testing.T) {
	t.Run("is kept for as long as the work takes", bubble(leaseKept))
	t.Run("that cannot be renewed ends the work", bubble(leaseNotRenewed))
	t.Run("that another worker has ends the work with the next renewal", bubble(leaseTaken))
}

func leaseKept(t *testing.T) {
	w := newWorld(t, 5)
	w.options.Reconcile = 24 * time.Hour // a pass would queue the intent again, because it shows no progress
	w.hook = drivertest.Only(sweeps, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		time.Sleep(20 * testOptions.Lease)
		return send(ctx)
	})
	w.mustAsk()
	defer w.start(w.faulty)()
	w.until("the work has begun", func() bool { return w.deletion().State == domain.DeletionRunning })
	w.until("the work is done", func() bool {
		if w.visible() != 0 {
			t.Fatal("a message was delivered while its lease was kept")
		}
		return w.done()
	})
	w.mustBeDeleted()
}

func leaseTaken(t *testing.T) {
	w := newWorld(t, 5)
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Update" {
			return domain.ErrLeaseLost
		}
		return send(ctx)
	}
	w.mustAsk()
	lost := make(chan struct{})
	began := time.Now()
	held := New(w.faulty.Steps, w.options).hold(t.Context(), w.receive(), func() { close(lost) })
	<-lost
	if took := time.Since(began); took > testOptions.Lease/2 {
		t.Errorf("the work went on for %s, want a third of a lease of %s", took, testOptions.Lease)
	}
	held.release()
}

func leaseNotRenewed(t *testing.T) {
	w := newWorld(t, 5)
	cancelled := make(chan time.Duration, 1)
	var renewals atomic.Int64
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		switch {
		case call.Method == "Update":
			if renewals.Add(1) == 1 {
				panic("a bug of a library")
			}
			return drivertest.ErrInjected
		case sweeps(call):
			began := time.Now()
			<-ctx.Done()
			select {
			case cancelled <- time.Since(began):
			default:
			}
			return ctx.Err()
		}
		return send(ctx)
	}
	w.mustAsk()
	stop := w.start(w.faulty)
	select {
	case took := <-cancelled:
		if renewals.Load() < 2 || took > testOptions.Lease+testOptions.Lease/3 {
			t.Errorf("the work went on for %s after its last renewal, want at most a lease of %s", took, testOptions.Lease)
		}
	case <-time.After(10 * testOptions.Lease):
		t.Error("the work went on without a lease")
	}
	stop()
	w.finish()
	w.mustBeDeleted()
}
