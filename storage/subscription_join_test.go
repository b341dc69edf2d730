package storage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// subscribed tells whether a user subscribes. It lists the user's subscriptions first,
// which repairs what a crash left, and then both rows must agree.
func (w *world) subscribed(channel domain.Channel, user domain.UserName) bool {
	w.t.Helper()
	list, err := w.store.Subscriptions(w.t.Context(), user)
	w.ok(err)
	listed := slices.ContainsFunc(list, func(s domain.Subscription) bool { return s.Channel == channel.Ref() })
	row, err := w.store.Subscribed(w.t.Context(), channel.Ref(), user)
	w.ok(err)
	sub := w.has(channel.Key(), "sub!"+string(user))
	if listed != row || listed != sub {
		w.t.Errorf("%s is listed as a subscriber: %v; has a row: %v; the channel has one: %v", user, listed, row, sub)
	}
	return listed
}

// mustHaveNoSubscriptions checks that a user's partition is empty after a read repair.
func (w *world) mustHaveNoSubscriptions(user domain.UserName) {
	w.t.Helper()
	_, err := w.store.Subscriptions(w.t.Context(), user)
	w.ok(err)
	for _, row := range w.rows("Subscriptions") {
		if row.Partition == string(user) {
			w.t.Errorf("%s still has the subscription %s, %s", user, row.Row, row.Properties.String("State"))
		}
	}
}

func TestSubscribe(t *testing.T) {
	t.Run("fault leaves two rows or none", subscribeFaultLeavesTwoRowsOrNone)
	t.Run("rows agree whatever comes between its calls", subscribeRowsAgree)
	t.Run("joiner dies beside leaver is not counted", joinerDiesBesideLeaver)
	t.Run("late request does not subscribe to the next incarnation", lateSubscribeSparesNextIncarnation)
	t.Run("owner is subscribed from the start", ownerIsSubscribed)
	t.Run("one too many is refused and dangling rows do not count", oneSubscriptionTooManyIsRefused)
	t.Run("many who join and leave at once agree in the end", manyJoinAndLeaveAgree)
	t.Run("join row of a dead joiner is not counted and a repair deletes it once it is old", joinRowOfDeadJoinerIsNotCounted)
	t.Run("join row of a dead joiner keeps nobody out", joinRowOfDeadJoinerKeepsNobodyOut)
	t.Run("late copies do not subscribe a user who left", lateCopiesDoNotSubscribe)
}

func subscribeFaultLeavesTwoRowsOrNone(t *testing.T) {
	eachFault(t, func(w *world) {
		channel := w.create("garden", ada)
		err := w.faulty.Subscribe(w.t.Context(), channel, grace)
		if is := w.subscribed(channel, grace); err == nil && !is {
			t.Error("subscribed, and then not")
		}
		w.ok(w.store.Subscribe(w.t.Context(), channel, grace))
		if !w.subscribed(channel, grace) {
			t.Error("subscribing again did not")
		}
		w.mustBeSound()
	})
}

func subscribeRowsAgree(t *testing.T) {
	rowsAgree(t, "subscribing", func(w *world, channel domain.Channel) error {
		return w.faulty.Subscribe(w.t.Context(), channel, grace)
	})
}

// rowsAgree checks that the two rows of a subscription agree, whatever comes between
// any two calls of an operation on it.
func rowsAgree(t *testing.T, name string, operation func(w *world, channel domain.Channel) error) {
	works := map[string]func(w *world, channel domain.Channel){
		"subscribing":        func(w *world, c domain.Channel) { w.ok(w.store.Subscribe(w.t.Context(), c, grace)) },
		"unsubscribing":      func(w *world, c domain.Channel) { w.ok(w.store.Unsubscribe(w.t.Context(), c.Ref(), grace)) },
		"a look":             func(w *world, c domain.Channel) { w.subscribedLoosely(grace) },
		"the deletion":       func(w *world, c domain.Channel) { w.delete(c) },
		"its mark":           func(w *world, c domain.Channel) { w.ok(cascade(w.store, c.Ref())[0](w.t.Context())) },
		"a next incarnation": func(w *world, c domain.Channel) { w.delete(c); w.create("garden", eve) },
	}
	for workName, work := range works {
		eachCall(t, fmt.Sprintf("of %s comes after %s", name, workName), func(w *world, n int) {
			channel := w.create("garden", ada)
			if name == "unsubscribing" {
				w.ok(w.store.Subscribe(w.t.Context(), channel, grace))
			}
			w.arm(before(n, func() { work(w, channel) }))
			err := operation(w, channel)
			if err != nil && !errors.Is(err, domain.ErrGone) && !errors.Is(err, domain.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
			if now, err := w.store.Channel(w.t.Context(), channel.Key()); err == nil && now.Incarnation == channel.Incarnation {
				w.subscribed(channel, grace)
			} else {
				for _, step := range cascade(w.store, channel.Ref()) {
					w.ok(step(w.t.Context()))
				}
				w.mustHaveNoSubscriptions(grace)
			}
			w.mustBeSound()
		})
	}
}

// Somebody joins and dies at any call. That call arrives between any two calls of
// another request of the same user, which leaves or lists the subscriptions.
func joinerDiesBesideLeaver(t *testing.T) {
	const calls = 8 // the largest number of calls of the other request
	others := map[string]func(w *world, other *storage.Store, channel domain.Channel) error{
		"leaving": func(w *world, other *storage.Store, channel domain.Channel) error {
			return other.Unsubscribe(w.t.Context(), channel.Ref(), grace)
		},
		"a look": func(w *world, other *storage.Store, _ domain.Channel) error {
			_, err := other.Subscriptions(w.t.Context(), grace)
			return err
		},
	}
	for name, other := range others {
		for before := 1; before <= calls; before++ {
			eachCall(t, fmt.Sprintf("arrives before call %d of %s", before, name), func(w *world, n int) {
				channel := w.create("garden", ada)
				w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
					switch {
					case call.Seq < n:
						return send(ctx)
					case call.Seq == n:
						w.ok(other(w, w.through(func(ctx context.Context, theirs drivertest.Call, sendTheirs drivertest.Send) error {
							if theirs.Seq == before {
								_ = send(ctx) // nobody gets the answer
							}
							return sendTheirs(ctx)
						}), channel))
					}
					return drivertest.ErrInjected
				})
				_ = w.faulty.Subscribe(w.t.Context(), channel, grace) // its caller is dead
				w.mustCountNobodyUnknown(channel)
				w.mustBeSound()
				w.subscribed(channel, grace)
			})
		}
	}
}

// mustCountNobodyUnknown checks that each sub! row has its user's row.
func (w *world) mustCountNobodyUnknown(channel domain.Channel) {
	w.t.Helper()
	for _, row := range w.rows("Blogs") {
		if user, ok := strings.CutPrefix(row.Row, "sub!"); ok {
			_, err := w.table("Subscriptions").Get(w.t.Context(), user, row.Partition+"!"+row.Properties.String("Incarnation"))
			if err != nil {
				w.t.Errorf("%s counts as a subscriber of %s: %v", user, channel.Key(), err)
			}
		}
	}
}

// subscribedLoosely lists a user's subscriptions, whose rows need not agree yet.
func (w *world) subscribedLoosely(user domain.UserName) {
	w.t.Helper()
	_, err := w.store.Subscriptions(w.t.Context(), user)
	w.ok(err)
}

func lateSubscribeSparesNextIncarnation(t *testing.T) {
	eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
		channel := w.create("garden", ada)
		if err := w.faulty.Subscribe(w.t.Context(), channel, grace); err != nil && !errors.Is(err, domain.ErrUnavailable) {
			t.Error(err)
		}
		w.delete(channel)
		again := w.create("garden", eve)
		w.arrive(late)
		if w.subscribed(again, grace) {
			t.Error("a subscription outlived its channel")
		}
		w.mustHaveNoSubscriptions(grace)
		w.mustBeSound()
	})
}

func ownerIsSubscribed(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		list, err := w.store.Subscriptions(t.Context(), ada)
		if err != nil || len(list) != 1 || list[0].Role != domain.RoleOwner || list[0].Channel != channel.Ref() {
			t.Errorf("the owner's subscriptions are %+v, %v, want the new channel as owner", list, err)
		}
	})
}

func oneSubscriptionTooManyIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel, dead := w.create("garden", ada), w.create("dead", ada)
		w.ok(w.store.Subscribe(t.Context(), dead, grace))
		planted := w.table("Subscriptions")
		others := make([]domain.Channel, domain.MaxSubscriptions-1)
		for i := range others {
			others[i] = w.create(fmt.Sprintf("other%d", i), eve)
			w.ok(w.store.Subscribe(t.Context(), others[i], grace))
		}
		var invalid *domain.InvalidError
		if err := w.store.Subscribe(t.Context(), channel, grace); !errors.As(err, &invalid) {
			t.Errorf("subscription %d is answered with %v, want a refusal", domain.MaxSubscriptions+1, err)
		}
		// The deleted channel's row comes back, as a crash would leave it.
		row, err := planted.Get(t.Context(), string(grace), string(dead.Key())+"!"+string(dead.Incarnation))
		w.ok(err)
		w.delete(dead)
		w.ok(planted.Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
		if err := w.store.Subscribe(t.Context(), channel, grace); err != nil {
			t.Errorf("a dangling row among as many counts, and another subscription is refused: %v", err)
		}
	})
}

func manyJoinAndLeaveAgree(t *testing.T) {
	w := newWorld(t)
	channel := w.create("garden", ada)
	atOnce(32, func(i int) {
		var err error
		for range 5 {
			if i%2 == 0 {
				err = errors.Join(err, w.store.Subscribe(context.WithoutCancel(t.Context()), channel, grace))
			} else {
				err = errors.Join(err, w.store.Unsubscribe(context.WithoutCancel(t.Context()), channel.Ref(), grace))
			}
		}
		if err != nil {
			t.Error(err)
		}
	})
	w.subscribed(channel, grace)
	w.mustBeSound()
}

func joinRowOfDeadJoinerIsNotCounted(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		w.arm(deadAfter(4, drivertest.Pass))
		if err := w.faulty.Subscribe(t.Context(), channel, grace); err == nil || !w.has("garden", "join!grace") {
			t.Fatalf("no join! row is left of a joiner who died: %v", err)
		}
		if n, _, err := w.store.Subscribers(t.Context(), channel.Ref()); n != 1 || err != nil {
			t.Errorf("%d subscribers are counted, %v, want the owner alone", n, err)
		}
		for _, old := range []bool{false, true} {
			if breaches, _ := w.run(true); len(breaches) != 0 || w.has("garden", "join!grace") == old {
				t.Errorf("old %v: a repair found %+v, and left the row: %v", old, breaches, !old)
			}
			time.Sleep(patience)
		}
	})
}

func joinRowOfDeadJoinerKeepsNobodyOut(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		w.insert("garden", "join!grace", channel.Incarnation)
		w.ok(w.store.Subscribe(t.Context(), channel, grace))
		w.insert("garden", "join!grace", channel.Incarnation) // a late copy
		if !w.subscribed(channel, grace) {
			t.Error("subscribed, and then not")
		}
		w.ok(w.store.Unsubscribe(t.Context(), channel.Ref(), grace))
		if w.has("garden", "join!grace") || w.has("garden", "sub!grace") {
			t.Error("a user who left has a row in the channel")
		}
		w.insert("garden", "join!grace", channel.Incarnation)
		w.delete(channel)
		w.mustKeepTheNextIncarnation(channel, false)
	})
}

func lateCopiesDoNotSubscribe(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		hook, arrive := copied()
		w.arm(hook)
		w.ok(w.faulty.Subscribe(t.Context(), channel, grace))
		w.ok(w.store.Unsubscribe(t.Context(), channel.Ref(), grace))
		arrive(t.Context())
		w.mustCountNobodyUnknown(channel)
		w.mustBeSound()
	})
}
