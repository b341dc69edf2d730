package channel_test

import (
	"context"
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

// The lab runs what ships under every schedule of a few actors and faults. Here are the operations on
// channels that none of its scenarios has: descriptions, and how many channels an owner may have. Each is
// disturbed at each of its calls.

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
			func(w *world) { w.OK(w.within(2, "earlier")) },
			createOneOfTwo,
			func(w *world, err error) {
				w.mustBeWhole(err)
				w.fillUp(2)
			},
		},
		"description is the old one or the new one": {
			func(w *world) { w.Create("garden", ada) },
			describe,
			func(w *world, err error) {
				if got := w.ReadChannel("garden").Description; got != "new" && (got != "" || err == nil) {
					w.T.Errorf("told %v, described as %q", err, got)
				}
			},
		},
	} {
		for _, fault := range storetest.CallFaults {
			eachCall(t, fault.Name+": "+name, func(w *world, n int) {
				trial.prepare(w)
				w.Arm(fault.At(n))
				err := trial.do(w)
				calls := w.Calls.Load()
				lost := calls >= int64(n) && fault.Name != "is sent twice"
				if err != nil && (!lost || !errors.Is(err, domain.ErrUnavailable)) {
					w.T.Errorf("told %v", err)
				}
				trial.hold(w, err)
				w.Calls.Store(calls)
			})
		}
	}
}

func createOneOfTwo(w *world) error {
	_, _, err := w.Faulty.Channels.Create(w.T.Context(), w.NewChannel("garden", ada), domain.PostersOpen, "", 2)
	return err
}

func describe(w *world) error {
	_, err := w.Faulty.Channels.Update(w.T.Context(), w.ReadChannel("garden").Ref(), ada, storetest.DescribedAs("new"))
	return err
}

// A creation of which each call arrives once more after a deletion takes no room for good. At its
// proper time the call was answered, or its reply was lost, or it did not arrive.
func TestLateCopies(t *testing.T) {
	sound := storetest.Fault{Name: "arrives", At: func(int) drivertest.Hook { return drivertest.Pass }}
	for _, first := range append(storetest.CallFaults[:2:2], sound) {
		eachCall(t, first.Name+", and a delayed duplicate takes no room for good", func(w *world, n int) {
			var late drivertest.Send
			w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				if call.Seq == n {
					late = send
				}
				return first.At(n)(ctx, call, send)
			})
			if err := createOneOfTwo(w); err != nil && !errors.Is(err, domain.ErrUnavailable) {
				w.T.Error(err)
			}
			calls := w.Calls.Load()
			if channel, err := w.Store.Channels.Get(w.T.Context(), domain.ChannelKey("garden").Address()); err == nil {
				w.Delete(channel)
			}
			if late != nil {
				w.T.Logf("the late request is answered: %v", late(w.T.Context()))
			}
			w.fillUp(2)
			w.Calls.Store(calls)
		})
	}
}

// An operation makes two calls: it reads the channel, and writes what was read in that version.
func TestOvertaken(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(w *world, garden domain.Channel)
		want      error
	}{
		"a description that a deletion has overtaken is refused": {func(w *world, garden domain.Channel) { w.Ask(garden) }, domain.ErrGone},
		"a description is not written into the next incarnation": {func(w *world, garden domain.Channel) { w.Delete(garden); w.Create("garden", ada) }, domain.ErrNotFound},
	} {
		t.Run(name, bubble(func(t *testing.T, w *world) {
			garden := w.Create("garden", ada)
			w.Arm(storetest.Before(2, func() { c.meanwhile(w, garden) }))
			if err := describe(w); !errors.Is(err, c.want) || w.Rows("Channels")[0].Properties.String("Description") != "" {
				t.Errorf("told %v, and there is %v", err, w.Rows("Channels"))
			}
			w.MustBeSound()
		}))
	}
}
