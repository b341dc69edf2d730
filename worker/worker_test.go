package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

// visible counts the messages that a queue would hand out now, and shows them
// again.
func (w *world) visible(q queue) (n int) {
	w.t.Helper()
	messages, err := q.Receive(w.t.Context(), 32, time.Second)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range messages {
		if _, err := q.Update(w.t.Context(), m, m.Text, 0); err != nil {
			w.t.Fatal(err)
		}
	}
	return len(messages)
}

func TestAMessageThatNeverGetsFurtherIsPoisonAndSaysSoUntilItIsRequeued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 5)
		w.hook = drivertest.Only(sweeps, func(context.Context, drivertest.Call, drivertest.Send) error {
			return drivertest.ErrInjected
		})
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		stop := w.start(w.faulty)
		w.until("the deletion is poisoned", func() bool { return w.deletion().State == domain.DeletionPoisoned })
		if got := w.deletion().Attempts; got != testOptions.MaxAttempts {
			t.Errorf("poisoned after %d attempts, want %d", got, testOptions.MaxAttempts)
		}
		w.until("the reconciling pass had its chance", elapsed(10*testOptions.Reconcile))
		if w.deletion().State != domain.DeletionPoisoned || w.visible(w.sound.Messages()) != 0 {
			t.Error("a poisoned deletion was queued again by nobody's order")
		}
		stop()

		if n, err := w.sound.Requeue(t.Context(), w.bystander.Key()); n != 0 || err != nil {
			t.Errorf("requeueing another channel put back %d (%v), want 0", n, err)
		}
		if n, err := w.sound.Requeue(t.Context(), w.victim.Key()); n != 1 || err != nil {
			t.Errorf("requeueing put back %d (%v), want 1", n, err)
		}
		w.finish()
		w.mustBeDeleted()
	})
}

func TestAnAttemptThatRemovedRowsDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 700)
		// Each handling removes one transaction of rows and then fails: there are
		// more handlings than attempts.
		handling := 0
		inHandling := 0
		w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Method == "Range" {
				handling++
				inHandling = 0
			}
			if sweeps(call) {
				if inHandling++; inHandling > 1 {
					return drivertest.ErrInjected
				}
			}
			return send(ctx)
		}
		w.hook = serial(w.hook)
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		stop := w.start(w.faulty)
		w.until("the deletion is done", w.done)
		stop()
		if handling <= testOptions.MaxAttempts {
			t.Fatalf("%d handlings are too few to show anything", handling)
		}
		if got := w.deletion().Attempts; got != 0 {
			t.Errorf("%d attempts were counted, want none", got)
		}
		w.mustBeDeleted()
	})
}

// serial lets one call through a hook at a time.
func serial(hook drivertest.Hook) drivertest.Hook {
	turn := make(chan struct{}, 1)
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		turn <- struct{}{}
		defer func() { <-turn }()
		return hook(ctx, call, send)
	}
}

func TestAPanicCountsAsAnAttemptAndHurtsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 5)
		w.hook = drivertest.Only(
			func(call drivertest.Call) bool { return call.Method == "Get" && call.Target == "Channels" },
			func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				if call.Seq <= 2 {
					panic("a bug")
				}
				return send(ctx)
			})
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		stop := w.start(w.faulty)
		w.until("the deletion is done", w.done)
		stop()
		if got := w.deletion().Attempts; got != 2 {
			t.Errorf("%d attempts were counted, want the 2 that panicked", got)
		}
		w.mustBeDeleted()
	})
}

func TestAWorkerThatStopsGivesItsMessageBackAtOnceAndCountsNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1000) // several pages
		inSweep := make(chan struct{})
		w.hook = drivertest.Only(sweeps, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Seq == 1 {
				close(inSweep)
				time.Sleep(time.Second) // the step in hand takes its time
			}
			return send(ctx)
		})
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		stop := w.start(w.faulty)
		<-inSweep
		stop()
		if w.visible(w.sound.Messages()) != 1 {
			t.Error("the message of a worker that stopped cannot be seen at once")
		}
		d := w.deletion()
		if d.State != domain.DeletionRunning || d.Attempts != 0 || d.RowsDeleted == 0 {
			t.Errorf("deletion reads %+v, want running, no attempt, and the rows of the step in hand", d)
		}
		w.finish()
		w.mustBeDeleted()
	})
}

func TestAStepThatDoesNotEndIsAbandonedAfterTheTimeToDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 5)
		inSweep := make(chan struct{})
		w.hook = drivertest.Only(sweeps, func(ctx context.Context, _ drivertest.Call, _ drivertest.Send) error {
			close(inSweep)
			<-ctx.Done()
			return ctx.Err()
		})
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		stop := w.start(w.faulty)
		<-inSweep
		began := time.Now()
		stop()
		if took := time.Since(began); took < defaultDrain || took > 2*defaultDrain {
			t.Errorf("stopping took %s, want a little more than %s", took, defaultDrain)
		}
		if w.visible(w.sound.Messages()) != 1 || w.deletion().Attempts != 0 {
			t.Error("the abandoned message is not given back, or an attempt was counted")
		}
		w.finish()
		w.mustBeDeleted()
	})
}

func TestALeaseIsKeptForAsLongAsTheWorkTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 5)
		w.options.Reconcile = 24 * time.Hour // it would queue the intent again, for want of a sign of life
		w.hook = drivertest.Only(sweeps, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			time.Sleep(20 * testOptions.Lease)
			return send(ctx)
		})
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		defer w.start(w.faulty)()
		w.until("the work has begun", func() bool { return w.deletion().State == domain.DeletionRunning })
		w.until("the work is done", func() bool {
			if w.visible(w.sound.Messages()) != 0 {
				t.Fatal("a message was handed out while its lease was kept")
			}
			return w.done()
		})
		w.mustBeDeleted()
	})
}

func TestAWorkerThatCannotRenewStopsItsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 5)
		cancelled := make(chan time.Duration, 1)
		w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			switch {
			case call.Method == "Update":
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
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		stop := w.start(w.faulty)
		if took := <-cancelled; took > testOptions.Lease+testOptions.Lease/3 {
			t.Errorf("the work went on for %s after its last renewal, want at most a lease of %s", took, testOptions.Lease)
		}
		stop()
		w.finish()
		w.mustBeDeleted()
	})
}

func TestAMessageThatNobodyCanReadIsPoisonAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 0)
		for _, text := range []string{"not JSON", `{"kind":"channel"}`, `{"kind":"tomorrow's","channel":"victim","incarnation":"AAAAAAAAAAAAAAAAAAAAAAAAAA"}`} {
			if err := w.sound.Messages().Send(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
		stop := w.start(w.sound)
		w.until("the worker has seen the queue", elapsed(time.Minute))
		stop()
		if n := w.visible(w.sound.Messages()); n != 0 {
			t.Errorf("%d unreadable messages are still on the queue", n)
		}
		if n, err := w.sound.Requeue(t.Context(), ""); n != 3 || err != nil {
			t.Errorf("%d messages were in poison (%v), want all 3", n, err)
		}
		w.mustBeSound()
	})
}

func TestAMessageThatKillsItsWorkersIsPoisonAfterAHundredDeliveries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		for range maxDeliveries {
			if w.visible(w.sound.Messages()) != 1 {
				t.Fatal("the message is gone")
			}
		}
		stop := w.start(w.sound)
		w.until("the deletion is poisoned", func() bool { return w.deletion().State == domain.DeletionPoisoned })
		stop()
	})
}

func TestTheReconcilingPassFindsADeletionThatTheQueueForgot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 5)
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		forgotten, err := w.sound.Messages().Receive(t.Context(), 1, time.Second)
		if err == nil {
			err = w.sound.Messages().Delete(t.Context(), forgotten[0])
		}
		if err != nil {
			t.Fatal(err)
		}
		w.finish()
		w.mustBeDeleted()
	})
}

func TestAWorkerOutlivesAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 5)
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		away := elapsed(10 * time.Minute)
		w.hook = func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
			if !away() {
				return drivertest.ErrInjected
			}
			return send(ctx)
		}
		stop := w.start(w.faulty)
		w.until("the store is back", away)
		w.until("the worker has noticed", elapsed(2*failedPollMax))
		stop()
		if !w.done() {
			t.Error("the worker did not recover by itself soon after the store was back")
		}
		w.mustBeDeleted()
	})
}

func TestAPostWhoseDeletionDiedAfterItWasQueuedIsDeletedByTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		blog := w.post(w.bystander, "to be deleted")
		w.hook = drivertest.Only(
			func(call drivertest.Call) bool { return call.Method == "Transact" },
			func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected })
		err := w.faulty.DeleteBlog(t.Context(), w.bystander, blog.ID, visitor, domain.Any[domain.Revision]())
		if err == nil {
			t.Fatal("the deletion that was to die succeeded")
		}
		stop := w.start(w.sound)
		w.until("the worker has removed the post", func() bool {
			_, err := w.sound.Blog(t.Context(), blog.Channel, blog.ID)
			return err != nil
		})
		stop()
		w.mustBeSound()
	})
}
