package storage_test

import (
	"errors"
	"fmt"
	"testing"

	"microblogging/domain"
)

func TestChannelDescribe(t *testing.T) {
	t.Run("only the owner may", bubble(onlyOwnerDescribes))
	t.Run("description does not undo a deletion", describeDoesNotUndoDeletion)
	t.Run("fault leaves the old description or the new one", describeFaultLeavesOldOrNew)
}

func onlyOwnerDescribes(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	ref := channel.Ref()
	if _, err := w.store.Describe(t.Context(), ref, grace, "mine"); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("described by another: %v", err)
	}
	var invalid *domain.InvalidError
	if _, err := w.store.Describe(t.Context(), ref, ada, "a\x00b"); !errors.As(err, &invalid) {
		t.Errorf("described badly: %v", err)
	}
	want := channel
	want.Description = "one\ntwo"
	got, err := w.store.Describe(t.Context(), ref, ada, " one\r\ntwo ")
	read, readErr := w.store.Channel(t.Context(), ref.Key)
	if err != nil || readErr != nil || got != want || read != want {
		t.Errorf("described as %+v, %v, and read as %+v, %v", got, err, read, readErr)
	}
	other := ref
	other.Incarnation = domain.NewIncarnation()
	if _, err := w.store.Describe(t.Context(), other, ada, "x"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("describing another incarnation: %v", err)
	}
	_, err = w.store.MarkDeleting(t.Context(), ref)
	w.ok(err)
	if _, err := w.store.Describe(t.Context(), ref, ada, "x"); !errors.Is(err, domain.ErrGone) {
		t.Errorf("describing a channel being deleted: %v", err)
	}
}

// A new description does not write back the state that was read with the old one.
func describeDoesNotUndoDeletion(t *testing.T) {
	for steps := range stages {
		eachCall(t, fmt.Sprintf("is overtaken by %d steps", steps), func(w *world, n int) {
			channel := w.create("garden", ada)
			w.arm(before(n, func() { w.advance(channel, steps) }))
			_, err := w.faulty.Describe(w.t.Context(), channel.Ref(), ada, "new")
			if err != nil && !errors.Is(err, domain.ErrGone) && !errors.Is(err, domain.ErrNotFound) {
				w.t.Error(err)
			}
			if w.calls.Load() < int64(n) {
				return
			}
			w.finishDeletion(channel, steps)
			w.mustKeepTheNextIncarnation(channel, steps >= 6)
			if next, err := w.store.Channel(w.t.Context(), channel.Key()); err == nil && next.Description != "" {
				w.t.Errorf("the next incarnation is described as %q", next.Description)
			}
		})
	}
}

func describeFaultLeavesOldOrNew(t *testing.T) {
	eachFault(t, func(w *world) {
		channel := w.create("garden", ada)
		got, err := w.faulty.Describe(w.t.Context(), channel.Ref(), ada, "new")
		read, readErr := w.store.Channel(w.t.Context(), channel.Key())
		w.ok(readErr)
		if err == nil && read != got || err != nil && !errors.Is(err, domain.ErrUnavailable) {
			w.t.Errorf("described as %+v, %v, and read as %+v", got, err, read)
		}
	})
}
