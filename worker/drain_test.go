package worker

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestDrain(t *testing.T) {
	t.Run("a worker that stops gives its message back immediately and counts no attempt", bubble(stoppedGivesBack))
	t.Run("a step that does not end is abandoned after the time to drain", bubble(endlessStepAbandoned))
	t.Run("a worker whose store answers nothing ends within its stop time", bubble(silentStoreEnds))
}

// The worst time to stop is a moment before a lease is renewed.
func silentStoreEnds(t *testing.T) {
	for _, lease := range []time.Duration{3 * time.Second, 30 * time.Second, 12 * time.Hour} {
		w := newWorld(t, 5)
		w.options.Lease = lease
		inSweep := make(chan struct{})
		var silent atomic.Bool
		w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if sweeps(call) && silent.CompareAndSwap(false, true) {
				close(inSweep)
			}
			if silent.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			return send(ctx)
		}
		w.mustAsk()
		stop := w.start(w.faulty)
		<-inSweep
		time.Sleep(max(lease/3-StopTime/4, 0))
		began := time.Now()
		stop()
		if took := time.Since(began); took > StopTime {
			t.Errorf("with a lease of %s, stopping took %s, want at most %s", lease, took, StopTime)
		}
	}
}

func stoppedGivesBack(t *testing.T) {
	w := newWorld(t, 1000) // several pages
	inSweep := make(chan struct{})
	w.hook = drivertest.Only(sweeps, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq == 1 {
			close(inSweep)
			time.Sleep(time.Second) // the step under way takes its time
		}
		return send(ctx)
	})
	w.mustAsk()
	stop := w.start(w.faulty)
	<-inSweep
	stop()
	if w.visible() != 1 {
		t.Error("the message of a worker that stopped is not visible immediately")
	}
	d := w.deletion()
	if d.State != domain.DeletionQueued || d.Attempts != 0 || d.RowsDeleted == 0 {
		t.Errorf("deletion reads %+v, want queued, no attempt, and the rows of the step under way", d)
	}
	w.finish()
	w.mustBeDeleted()
}

func endlessStepAbandoned(t *testing.T) {
	w := newWorld(t, 5)
	inSweep := make(chan struct{})
	w.hook = drivertest.Only(sweeps, func(ctx context.Context, _ drivertest.Call, _ drivertest.Send) error {
		close(inSweep)
		<-ctx.Done()
		return ctx.Err()
	})
	w.mustAsk()
	stop := w.start(w.faulty)
	<-inSweep
	began := time.Now()
	stop()
	if took := time.Since(began); took < drainTime || took > 2*drainTime {
		t.Errorf("stopping took %s, want a little more than %s", took, drainTime)
	}
	if w.visible() != 1 || w.deletion().Attempts != 0 {
		t.Error("the abandoned message is not given back, or an attempt was counted")
	}
	w.finish()
	w.mustBeDeleted()
}
