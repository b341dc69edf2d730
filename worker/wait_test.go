package worker

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestWait(t *testing.T) {
	t.Run("a store that is away for an hour poisons nothing, and the pauses grow from a second to a minute", bubble(waitsForStore))
	t.Run("a worker outlives a store that is away", bubble(outlivesAbsentStore))
}

// longest is the longest pause with jitter, and then with the look at a queue that was empty
// for so long, which has jitter too.
func longest(pause time.Duration) time.Duration {
	pause = pause * 6 / 5
	return pause + pause*6/5/pollShare
}

// The store refuses to answer the sweep for an hour.
func waitsForStore(t *testing.T) {
	w := newWorld(t, 5)
	began := domain.Now() // as precise as what is stored
	var tries []time.Time
	var mu sync.Mutex
	w.hook = drivertest.Only(sweeps, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		if time.Since(began) > 56*time.Minute { // a minute after the test has looked
			return send(ctx)
		}
		mu.Lock()
		defer mu.Unlock()
		tries = append(tries, time.Now())
		return drivertest.ErrInjected
	})
	w.mustAsk()
	stop := w.start(w.faulty)
	time.Sleep(55*time.Minute + 500*time.Millisecond) // between two tries, which come at whole seconds
	synctest.Wait()                                   // so that no try is under way
	mu.Lock()
	tried := slices.Clone(tries)
	mu.Unlock()
	const slack = 3 * time.Second // whole seconds, and the polls of an idle worker
	for i := range len(tried) - 1 {
		want := min(time.Second<<min(i, 6), time.Minute)
		if pause := tried[i+1].Sub(tried[i]); pause < want*4/5-time.Second || pause > longest(want)+slack {
			t.Errorf("pause %d is %s, want about %s", i+1, pause, want)
		}
	}
	d, last := w.deletion(), tried[len(tried)-1]
	if d.State != domain.DeletionRunning || d.Attempts != 0 || d.WaitingSince.Before(began) || d.WaitingSince.After(began.Add(10*time.Second)) {
		t.Errorf("the deletion reads %+v, want no attempt, and waiting since about %s", d, began)
	}
	if d.RetryOn.Before(last) || d.RetryOn.After(last.Add(75*time.Second)) {
		t.Errorf("the next try is recorded for %s, the last was at %s", d.RetryOn, last)
	}
	time.Sleep(4 * time.Minute)
	stop()
	if d := w.deletion(); d.State != domain.DeletionDone || !d.WaitingSince.IsZero() {
		t.Errorf("the deletion reads %+v, want done", d)
	}
	w.mustBeDeleted()
}

func outlivesAbsentStore(t *testing.T) {
	w := newWorld(t, 5)
	w.mustAsk()
	began := time.Now()
	w.hook = func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		if time.Since(began) < 10*time.Minute {
			return drivertest.ErrInjected
		}
		return send(ctx)
	}
	stop := w.start(w.faulty)
	time.Sleep(10 * time.Minute)
	time.Sleep(2 * failedPollMax)
	stop()
	if !w.done() {
		t.Error("the worker did not recover soon after the store was back")
	}
	w.mustBeDeleted()
}
