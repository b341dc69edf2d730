package storage_test

import (
	"testing"

	"microblogging/domain"
)

func TestUnsubscribe(t *testing.T) {
	t.Run("fault leaves two rows or none", unsubscribeFaultLeavesTwoRowsOrNone)
	t.Run("rows agree whatever comes between its calls", unsubscribeRowsAgree)
	t.Run("late copies do not undo a later subscription", lateCopiesDoNotUnsubscribe)
}

func unsubscribeFaultLeavesTwoRowsOrNone(t *testing.T) {
	eachFault(t, func(w *world) {
		channel := w.create("garden", ada)
		w.ok(w.store.Subscribe(w.t.Context(), channel, grace))
		err := w.faulty.Unsubscribe(w.t.Context(), channel.Ref(), grace)
		if is := w.subscribed(channel, grace); err == nil && is {
			t.Error("unsubscribed, and then not")
		}
		w.ok(w.store.Unsubscribe(w.t.Context(), channel.Ref(), grace))
		w.mustHaveNoSubscriptions(grace)
		w.mustBeSound()
	})
}

func unsubscribeRowsAgree(t *testing.T) {
	rowsAgree(t, "unsubscribing", func(w *world, channel domain.Channel) error {
		return w.faulty.Unsubscribe(w.t.Context(), channel.Ref(), grace)
	})
}

func lateCopiesDoNotUnsubscribe(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		w.ok(w.store.Subscribe(t.Context(), channel, grace))
		hook, arrive := copied()
		w.arm(hook)
		w.ok(w.faulty.Unsubscribe(t.Context(), channel.Ref(), grace))
		w.ok(w.store.Subscribe(t.Context(), channel, grace))
		arrive(t.Context())
		if !w.subscribed(channel, grace) {
			t.Error("subscribed again, and then not")
		}
	})
}
