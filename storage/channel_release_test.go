package storage_test

import (
	"errors"
	"testing"

	"microblogging/domain"
)

func TestChannelRelease(t *testing.T) {
	t.Run("name of an active channel is not released", activeNameIsNotReleased)
}

func activeNameIsNotReleased(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		if err := w.store.ReleaseName(t.Context(), channel.Ref()); !errors.Is(err, domain.ErrConflict) {
			t.Errorf("released an active channel: %v", err)
		}
		w.post(channel, grace, "one")
		w.mustBeSound()
	})
}
