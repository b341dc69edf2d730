package reader_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestSubscribe(t *testing.T) {
	t.Run("owner is subscribed from the start", bubble(ownerIsSubscribed))
	t.Run("one too many is refused and dangling rows do not count", drivertest.Long(bubble(oneSubscriptionTooManyIsRefused)))
}

func ownerIsSubscribed(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	if joined, err := w.Store.Subscriptions.Joined(t.Context(), ada); err != nil || len(joined) != 1 || joined[0].Channel != channel.Ref() {
		t.Errorf("the owner's own rows say %+v, %v, want the new channel", joined, err)
	}
	list, err := w.Store.Subscriptions.ListAll(t.Context(), ada)
	if err != nil || len(list) != 1 || list[0].Role != domain.RoleOwner || list[0].Channel != channel.Ref() {
		t.Errorf("the owner's subscriptions are %+v, %v, want the new channel as owner", list, err)
	}
}

func oneSubscriptionTooManyIsRefused(t *testing.T, w *world) {
	channel, dead := w.Create("garden", ada), w.Create("dead", ada)
	w.OK(w.Store.Subscriptions.Create(t.Context(), dead, grace))
	w.Follow(domain.MaxSubscriptions - 1)
	var invalid *domain.InvalidError
	if err := w.Store.Subscriptions.Create(t.Context(), channel, grace); !errors.As(err, &invalid) {
		t.Errorf("subscription %d is answered with %v, want a refusal", domain.MaxSubscriptions+1, err)
	}
	// The deleted channel's row comes back, as a crash would leave it.
	w.Delete(dead)
	w.joinLate(dead, grace)
	if err := w.Store.Subscriptions.Create(t.Context(), channel, grace); err != nil {
		t.Errorf("a dangling row among as many counts, and another subscription is refused: %v", err)
	}
}
