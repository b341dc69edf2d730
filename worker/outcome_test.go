package worker

import (
	"context"
	"testing"

	"microblogging/storage/drivertest"
)

func TestOutcome(t *testing.T) {
	t.Run("an attempt that removed rows does not count", bubble(attemptRemovedRows))
	t.Run("a panic counts as an attempt and hurts nobody", bubble(attemptPanicked))
}

// Each handling removes one transaction of rows and then fails. There are more
// handlings than attempts.
func attemptRemovedRows(t *testing.T) {
	w := newWorld(t, 700)
	handling := 0
	inHandling := 0
	w.hook = serial(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Range" {
			handling++
			inHandling = 0
		}
		if sweeps(call) {
			if inHandling++; inHandling > 1 {
				return errRefused
			}
		}
		return send(ctx)
	})
	w.mustAsk()
	w.finishOn(w.faulty)
	if handling <= testOptions.MaxAttempts {
		t.Fatalf("%d handlings are too few to show anything", handling)
	}
	if got := w.deletion().Attempts; got != 0 {
		t.Errorf("%d attempts were counted, want none", got)
	}
	w.mustBeDeleted()
}

// serial lets one call at a time through a hook.
func serial(hook drivertest.Hook) drivertest.Hook {
	turn := make(chan struct{}, 1)
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		turn <- struct{}{}
		defer func() { <-turn }()
		return hook(ctx, call, send)
	}
}

func attemptPanicked(t *testing.T) {
	w := newWorld(t, 5)
	w.hook = drivertest.Only(
		func(call drivertest.Call) bool { return call.Method == "Get" && call.Target == "Channels" },
		func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Seq <= 2 {
				panic("a bug")
			}
			return send(ctx)
		})
	w.mustAsk()
	w.finishOn(w.faulty)
	if got := w.deletion().Attempts; got != 2 {
		t.Errorf("%d attempts were counted, want the 2 that panicked", got)
	}
	w.mustBeDeleted()
}
