package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestWait(t *testing.T) {
	t.Run("a store that is away for an hour poisons nothing", bubble(waitsForStore))
	t.Run("the pauses grow from a second to a minute", bubble(pausesGrow))
	t.Run("a deletion that gets further waits anew", bubble(waitsAnew))
	t.Run("an attempt that fails for another reason ends the wait", bubble(waitEndedByFailure))
	t.Run("the message of a post waits too", bubble(postWaits))
}

// errRefused is a failure that is no unavailability: the store answered.
var errRefused = errors.New("refused")

// fails returns a hook that fails the calls that match for as long as away says.
func fails(match func(drivertest.Call) bool, away func() bool, err error) drivertest.Hook {
	return drivertest.Only(match, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		if away() {
			return err
		}
		return send(ctx)
	})
}

func not(holds func() bool) func() bool { return func() bool { return !holds() } }

func waitsForStore(t *testing.T) {
	w := newWorld(t, 5)
	back := elapsed(55 * time.Minute)
	began := time.Now()
	w.hook = fails(sweeps, not(back), drivertest.ErrInjected)
	w.mustAsk()
	stop := w.start(w.faulty)
	w.until("the store is back", func() bool {
		if w.poisoned() {
			t.Fatalf("poisoned after %s without a store", time.Since(began))
		}
		return back()
	})
	d := w.deletion()
	if d.State != domain.DeletionRunning || d.Attempts != 0 || d.WaitingSince.Before(began) || d.WaitingSince.After(began.Add(10*time.Second)) {
		t.Errorf("the deletion reads %+v, want no attempt, and waiting since about %s", d, began)
	}
	w.until("the worker has noticed", elapsed(75*time.Second))
	stop()
	if d := w.deletion(); d.State != domain.DeletionDone || !d.WaitingSince.IsZero() {
		t.Errorf("the deletion reads %+v, want done", d)
	}
	w.mustBeDeleted()
}

// longest is the longest pause with jitter, and then with the look at a queue that was empty
// for so long, which has jitter too.
func longest(pause time.Duration) time.Duration {
	pause = pause * 6 / 5
	return pause + pause*6/5/pollShare
}

func pausesGrow(t *testing.T) {
	w := newWorld(t, 5)
	var tries []time.Time
	w.hook = drivertest.Only(sweeps, func(context.Context, drivertest.Call, drivertest.Send) error {
		tries = append(tries, time.Now())
		return drivertest.ErrInjected
	})
	w.mustAsk()
	stop := w.start(w.faulty)
	w.until("some time has passed", elapsed(10*time.Minute))
	stop()
	const slack = 3 * time.Second // whole seconds, and the polls of an idle worker
	for i := range len(tries) - 1 {
		want := min(time.Second<<i, time.Minute)
		if pause := tries[i+1].Sub(tries[i]); pause < want*4/5-time.Second || pause > longest(want)+slack {
			t.Errorf("pause %d is %s, want about %s", i+1, pause, want)
		}
	}
	if len(tries) < 12 || len(tries) > 20 {
		t.Errorf("%d tries in ten minutes", len(tries))
	}
	if d := w.deletion(); d.RetryOn.Before(tries[len(tries)-1]) || d.RetryOn.After(time.Now().Add(75*time.Second)) {
		t.Errorf("the next try is recorded for %s, the last was at %s", d.RetryOn, tries[len(tries)-1])
	}
}

// Each handling removes one transaction of rows before the store goes away.
func waitsAnew(t *testing.T) {
	w := newWorld(t, 700)
	inHandling := 0
	w.hook = serial(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Range" {
			inHandling = 0
		}
		if sweeps(call) {
			if inHandling++; inHandling > 1 {
				return drivertest.ErrInjected
			}
		}
		return send(ctx)
	})
	w.mustAsk()
	began := time.Now()
	w.finishOn(w.faulty)
	if took := time.Since(began); took > 2*time.Minute {
		t.Errorf("took %s, want about a second for each handling: each got further", took)
	}
	w.mustBeDeleted()
}

func waitEndedByFailure(t *testing.T) {
	w := newWorld(t, 5)
	away := not(elapsed(5 * time.Minute))
	w.hook = drivertest.Only(sweeps, func(context.Context, drivertest.Call, drivertest.Send) error {
		if away() {
			return drivertest.ErrInjected
		}
		return errRefused
	})
	w.mustAsk()
	stop := w.start(w.faulty)
	w.until("an attempt is counted", func() bool { return w.deletion().Attempts > 0 })
	if d := w.deletion(); !d.WaitingSince.IsZero() || away() {
		t.Errorf("the deletion reads %+v: the store answers", d)
	}
	w.until("the deletion is poisoned", w.poisoned)
	stop()
	if d := w.deletion(); d.Attempts != testOptions.MaxAttempts || !d.WaitingSince.IsZero() {
		t.Errorf("the deletion reads %+v, want %d attempts", d, testOptions.MaxAttempts)
	}
}

func postWaits(t *testing.T) {
	w := newWorld(t, 1)
	blog := w.post(w.bystander, "to be deleted")
	back := elapsed(30 * time.Minute)
	w.hook = fails(func(call drivertest.Call) bool { return call.Method == "Transact" && call.Target == "Blogs" }, not(back), drivertest.ErrInjected)
	if err := w.faulty.DeleteBlog(t.Context(), w.bystander, blog.ID, visitor, domain.Any[domain.Revision]()); err == nil {
		t.Fatal("the deletion that was to fail succeeded")
	}
	stop := w.start(w.faulty)
	w.until("the store is back", back)
	w.until("the worker has noticed", elapsed(75*time.Second))
	stop()
	if _, err := w.sound.Blog(t.Context(), blog.Channel, blog.ID); err == nil {
		t.Error("the post is still there")
	}
	if n, err := w.sound.Requeue(t.Context(), ""); n != 0 || err != nil {
		t.Errorf("%d messages are in poison (%v)", n, err)
	}
	w.mustBeSound()
}
