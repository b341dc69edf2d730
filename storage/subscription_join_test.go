package storage_test

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestSubscribe(t *testing.T) {
	t.Run("owner is subscribed from the start", bubble(ownerIsSubscribed))
	t.Run("one too many is refused and dangling rows do not count", bubble(oneSubscriptionTooManyIsRefused))
	t.Run("join row of a dead joiner is not counted and a repair deletes it once it is old", bubble(joinRowOfDeadJoinerIsNotCounted))
}

func ownerIsSubscribed(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	list, err := w.store.Subscriptions.ListAll(t.Context(), ada)
	if err != nil || len(list) != 1 || list[0].Role != domain.RoleOwner || list[0].Channel != channel.Ref() {
		t.Errorf("the owner's subscriptions are %+v, %v, want the new channel as owner", list, err)
	}
}

func oneSubscriptionTooManyIsRefused(t *testing.T, w *world) {
	channel, dead := w.create("garden", ada), w.create("dead", ada)
	w.ok(w.store.Subscriptions.Create(t.Context(), dead, grace))
	w.follow(domain.MaxSubscriptions - 1)
	var invalid *domain.InvalidError
	if err := w.store.Subscriptions.Create(t.Context(), channel, grace); !errors.As(err, &invalid) {
		t.Errorf("subscription %d is answered with %v, want a refusal", domain.MaxSubscriptions+1, err)
	}
	// The deleted channel's row comes back, as a crash would leave it.
	w.delete(dead)
	w.joinLate(dead, grace)
	if err := w.store.Subscriptions.Create(t.Context(), channel, grace); err != nil {
		t.Errorf("a dangling row among as many counts, and another subscription is refused: %v", err)
	}
}

func joinRowOfDeadJoinerIsNotCounted(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.insert("garden", "join!grace", channel.Incarnation, driver.Time("SubscribedOn", time.Now()))
	if n, _, err := w.store.Subscriptions.Count(t.Context(), channel.Ref()); n != 1 || err != nil {
		t.Errorf("%d subscribers are counted, %v, want the owner alone", n, err)
	}
	for _, old := range []bool{false, true} {
		if violations, _ := w.run(true); len(violations) != 0 || w.has("garden", "join!grace") == old {
			t.Errorf("old %v: a repair found %+v, and left the row: %v", old, violations, !old)
		}
		time.Sleep(patience)
	}
}
