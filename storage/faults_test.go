package storage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

// The lab runs what ships under every schedule of a few actors and faults. Here are the operations on
// channels that none of its scenarios has: descriptions, and how many channels an owner may have. Each is
// disturbed at each of its calls.

// A fault is what happens to call number n.
type fault struct {
	name string
	at   func(n int) drivertest.Hook
}

// callFaults are what a network, and an SDK that retries, can do to one call.
var callFaults = []fault{
	{"never arrives", drivertest.FailBefore},
	{"loses its reply", drivertest.FailAfter},
	{"is sent twice", drivertest.SentTwice},
}

// before does other work just before call number n is sent.
func before(n int, work func()) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq == n {
			work()
		}
		return send(ctx)
	}
}

// eachCall runs a scenario with n = 1, 2, 3 and so on, the number of the call that
// gets the fault. It stops when the scenario makes fewer than n calls on the faulty
// side. So every call is tested, and nobody has to choose.
func eachCall(t *testing.T, what string, scenario func(w *world, n int)) {
	t.Helper()
	for n, last := 1, false; !last; n++ {
		t.Run(fmt.Sprintf("call %d %s", n, what), bubble(func(_ *testing.T, w *world) {
			last = true // even if the scenario ends the test
			scenario(w, n)
			last = int(w.calls.Load()) < n
		}))
	}
}

// A trial is an operation on the faulty side, and what must hold when one of its calls went
// wrong.
type trial struct {
	prepare func(w *world)
	do      func(w *world) error
	hold    func(w *world, err error)
}

// TestFaults lets each call of an operation never arrive, lose its reply, and be sent twice.
func TestFaults(t *testing.T) {
	for name, trial := range map[string]trial{
		"creation under a limit gives an owner no more and no less": {
			func(w *world) { w.ok(w.within(2, "earlier")) },
			createOneOfTwo,
			func(w *world, err error) {
				w.mustBeWhole(err)
				w.fillUp(2)
			},
		},
		"description is the old one or the new one": {
			func(w *world) { w.create("garden", ada) },
			describe,
			func(w *world, err error) {
				if got := w.readChannel("garden").Description; got != "new" && (got != "" || err == nil) {
					w.t.Errorf("told %v, described as %q", err, got)
				}
			},
		},
	} {
		for _, fault := range callFaults {
			eachCall(t, fault.name+": "+name, func(w *world, n int) {
				trial.prepare(w)
				w.arm(fault.at(n))
				err := trial.do(w)
				calls := w.calls.Load()
				lost := calls >= int64(n) && fault.name != "is sent twice"
				if err != nil && (!lost || !errors.Is(err, domain.ErrUnavailable)) {
					w.t.Errorf("told %v", err)
				}
				trial.hold(w, err)
				w.calls.Store(calls)
			})
		}
	}
}

func createOneOfTwo(w *world) error {
	_, _, err := w.faulty.Channels.Create(w.t.Context(), w.channel("garden", ada), "", 2)
	return err
}

func describe(w *world) error {
	_, err := w.faulty.Channels.Update(w.t.Context(), w.readChannel("garden").Ref(), ada, describedAs("new"))
	return err
}

// A creation of which each call arrives once more after a deletion takes no room for good. At its
// proper time the call was answered, or its reply was lost, or it did not arrive.
func TestLateCopies(t *testing.T) {
	sound := fault{"arrives", func(int) drivertest.Hook { return drivertest.Pass }}
	for _, first := range append(callFaults[:2:2], sound) {
		eachCall(t, first.name+", and a delayed duplicate takes no room for good", func(w *world, n int) {
			hook, late := drivertest.ResentLater(n, first.at(n))
			w.arm(hook)
			if err := createOneOfTwo(w); err != nil && !errors.Is(err, domain.ErrUnavailable) {
				w.t.Error(err)
			}
			calls := w.calls.Load()
			if channel, err := w.store.Channels.Get(w.t.Context(), domain.ChannelKey("garden").Address()); err == nil {
				w.delete(channel)
			}
			if _, err := late.Arrive(w.t.Context()); err != nil {
				w.t.Logf("the late request is refused: %v", err)
			}
			w.fillUp(2)
			w.calls.Store(calls)
		})
	}
}

// TestOvertaken lets each step of a deletion come before each call of an operation.
func TestOvertaken(t *testing.T) {
	for steps := range stages {
		eachCall(t, fmt.Sprintf("of a description is overtaken by %d steps of a deletion, and undoes nothing", steps), func(w *world, n int) {
			garden, overtaken := w.create("garden", ada), false
			w.arm(before(n, func() { overtaken = true; w.advance(garden, steps) }))
			err := describe(w)
			calls := w.calls.Load()
			if overtaken {
				if err != nil && !errors.Is(err, domain.ErrGone) && !errors.Is(err, domain.ErrNotFound) {
					w.t.Error(err)
				}
				w.finishDeletion(garden, steps)
				w.mustKeepTheNextIncarnation(garden, steps >= 6)
				if next, err := w.store.Channels.Get(w.t.Context(), domain.ChannelKey("garden").Address()); err == nil && next.Description != "" {
					w.t.Errorf("the next incarnation is described as %q", next.Description)
				}
			}
			w.calls.Store(calls)
		})
	}
}

// describedAs is the change to a description.
func describedAs(description string) func(*domain.About) error {
	return func(about *domain.About) error {
		about.Description = description
		return nil
	}
}
