package reader_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestSubscribe(t *testing.T) {
	t.Run("owner is subscribed from the start", bubble(ownerIsSubscribed))
	t.Run("each subscriber's own row goes with the channel", bubble(ownRowsGoWithTheChannel))
	t.Run("a request to leave that died is finished by the next list", bubble(leavingIsFinished))
	t.Run("a subscription that began since a request to leave died is not ended", bubble(laterSubscriptionStays(2, func(c drivertest.Call) bool {
		return c.Row == schema.SubRow(grace)
	})))
	t.Run("nor is one that began right before the write that finishes the leaving", bubble(laterSubscriptionStays(1, func(c drivertest.Call) bool {
		return slices.ContainsFunc(c.Operations, func(op driver.Operation) bool { return op.Row == schema.SubRow(grace) })
	})))
	t.Run("a delayed duplicate of a request to leave does not end a later one", bubble(lateLeaveEndsNothing))
	t.Run("a delayed duplicate of a request to join does not let a reader end a later one", bubble(lateJoinEndsNothing))
	t.Run("a request that dies before the channel has the subscriber does not say that the user subscribes", bubble(diedJoinSaysNothing))
	t.Run("to leave succeeds although the user's own row is written meanwhile", bubble(leavingMeetsOtherWrite))
	t.Run("to join succeeds although another device of the user leaves meanwhile", bubble(joiningMeetsLeaving))
	t.Run("to leave removes the row in the channel, although that is written meanwhile", bubble(leavingMeetsKeeping))
	t.Run("a reader leaves alone what another request writes meanwhile", bubble(repairMeetsOtherWrite))
	t.Run("a reader who finds a request that joined just now keeps the user's own row", bubble(repairMeetsJoining))
	t.Run("a reader removes the user's own row last", bubble(repairRemovesOwnRowLast))
	t.Run("to subscribe again writes nothing, unless the channel lacks the subscriber's row", bubble(subscribingAgain))
	t.Run("a count of 1000 is exact, and one more is counted as more", bubble(countIsExactToItsLimit))
	t.Run("one too many is refused and dangling rows do not count", bubble(oneSubscriptionTooManyIsRefused))
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

func ownRowsGoWithTheChannel(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
	w.OK(w.Store.Subscriptions.Create(t.Context(), channel, eve))
	w.Delete(channel)
	for _, user := range []domain.UserName{ada, grace, eve} {
		if joined, err := w.Store.Subscriptions.Joined(t.Context(), user); err != nil || len(joined) > 0 {
			t.Errorf("%s's own rows say %+v, %v after the channel was deleted", user, joined, err)
		}
	}
}

// leftHalfway is a channel that grace subscribed to, and began to leave when the request died.
func (w *world) leftHalfway() domain.Channel {
	w.T.Helper()
	channel := w.Create("garden", ada)
	w.OK(w.Store.Subscriptions.Create(w.T.Context(), channel, grace))
	w.OK(w.Table(schema.TableSubscriptions).Transact(w.T.Context(), schema.UserPartition(grace),
		driver.Merge(schema.RefRow(channel.Ref()), driver.Exists, driver.String(schema.PropState, schema.SubscriptionLeaving))))
	return channel
}

// own is the row of grace about a channel, in her own partition.
func (w *world) own(channel domain.Channel) driver.Entity {
	w.T.Helper()
	row, err := w.Table(schema.TableSubscriptions).Find(w.T.Context(), schema.UserPartition(grace), schema.RefRow(channel.Ref()))
	w.OK(err)
	return row
}

// toSubscriptions matches the transactions on the users' own rows.
func toSubscriptions(call drivertest.Call) bool {
	return call.Target == schema.TableSubscriptions && call.Method == driver.CallTransact
}

func lateLeaveEndsNothing(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	for n := range 2 { // the mark, and the removal of the row
		w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
		var late drivertest.Send
		w.Arm(drivertest.Only(toSubscriptions, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Seq == n+1 {
				late = send
			}
			return send(ctx)
		}))
		w.OK(w.Faulty.Subscriptions.Delete(t.Context(), channel.Ref(), grace))
		w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
		if err := late(t.Context()); err == nil || w.own(channel).Properties.String(schema.PropState) != schema.SubscriptionJoined {
			t.Errorf("the late write %d is answered with %v, and leaves %v", n+1, err, w.own(channel))
		}
		w.OK(w.Store.Subscriptions.Delete(t.Context(), channel.Ref(), grace))
	}
}

func leavingMeetsOtherWrite(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	for n := range 2 {
		w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
		w.Arm(drivertest.Only(toSubscriptions, storetest.Before(n+1, func() {
			row := w.own(channel)
			w.OK(w.Table(schema.TableSubscriptions).Transact(t.Context(), row.Partition, driver.Merge(row.Row, driver.Exists)))
		})))
		w.OK(w.Faulty.Subscriptions.Delete(t.Context(), channel.Ref(), grace))
		if w.own(channel).Found() || w.Has(channel.Key(), schema.SubRow(grace)) {
			t.Errorf("before write %d another came, and the subscription is left: %v", n+1, w.own(channel))
		}
	}
}

// A request to join finds a subscription that is half left, and so does the next. A reader is about to finish that
// leaving while the next joins, which has begun before the duplicate arrives.
func lateJoinEndsNothing(t *testing.T, w *world) {
	channel := w.leftHalfway()
	var late drivertest.Send
	w.Arm(drivertest.Only(toSub, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		late = send
		return send(ctx)
	}))
	w.OK(w.Faulty.Subscriptions.Create(t.Context(), channel, grace))
	w.changeOwn(channel, schema.SubscriptionLeaving)

	begun, planned, joined := make(chan struct{}), make(chan struct{}), make(chan error)
	next := w.Through(drivertest.Only(toSubscriptions, storetest.Before(1, func() { close(begun); <-planned })))
	go func() { joined <- next.Subscriptions.Create(t.Context(), channel, grace) }()
	<-begun
	duplicate := late(t.Context())
	w.Arm(drivertest.Only(toSub, storetest.Before(1, func() { close(planned); w.OK(<-joined) })))
	_, err := w.Faulty.Subscriptions.ListAll(t.Context(), grace)
	if w.OK(err); !w.Has(channel.Key(), schema.SubRow(grace)) {
		t.Errorf("the subscription is gone; the duplicate was answered with %v", duplicate)
	}
	w.MustBeSound()
}

// The channel has the row of a subscription that an earlier request began to leave.
func joiningMeetsLeaving(t *testing.T, w *world) {
	channel := w.leftHalfway()
	w.Arm(drivertest.Only(toSub, storetest.Before(1, func() { w.OK(w.Store.Subscriptions.Delete(t.Context(), channel.Ref(), grace)) })))
	w.OK(w.Faulty.Subscriptions.Create(t.Context(), channel, grace))
	if !w.Has(channel.Key(), schema.SubRow(grace)) || w.own(channel).Properties.String(schema.PropState) != schema.SubscriptionJoined {
		t.Errorf("the subscription is %v", w.own(channel))
	}
	w.MustBeSound()
}

// toSub matches the transactions on the row of grace in a channel.
func toSub(call drivertest.Call) bool {
	return slices.ContainsFunc(call.Operations, func(op driver.Operation) bool { return op.Row == schema.SubRow(grace) })
}

func diedJoinSaysNothing(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Arm(drivertest.Only(toSub, drivertest.FailBefore(1)))
	if err := w.Faulty.Subscriptions.Create(t.Context(), channel, grace); err == nil {
		t.Error("the request did not die")
	}
	if subscribes, err := w.Store.Subscriptions.Has(t.Context(), channel.Ref(), grace); err != nil || subscribes {
		t.Errorf("the user subscribes: %t, %v", subscribes, err)
	}
}

func leavingMeetsKeeping(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
	w.Arm(drivertest.Only(toSub, storetest.Before(1, func() {
		w.OK(w.Table(schema.TableBlogs).Transact(t.Context(), "garden", driver.Merge(schema.SubRow(grace), driver.Exists)))
	})))
	w.OK(w.Faulty.Subscriptions.Delete(t.Context(), channel.Ref(), grace))
	if w.own(channel).Found() || w.Has(channel.Key(), schema.SubRow(grace)) {
		t.Errorf("the subscription is left: %v", w.own(channel))
	}
}

// changeOwn writes the user's own row in this state.
func (w *world) changeOwn(channel domain.Channel, state string) {
	w.T.Helper()
	w.OK(w.Table(schema.TableSubscriptions).Transact(w.T.Context(), schema.UserPartition(grace),
		driver.Merge(schema.RefRow(channel.Ref()), driver.Exists, driver.String(schema.PropState, state))))
}

func repairMeetsOtherWrite(t *testing.T, w *world) {
	for _, name := range []string{"garden", "kitchen"} { // a row to complete, and one to remove
		channel := w.Create(name, ada)
		w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
		w.changeOwn(channel, schema.SubscriptionJoining)
		if name == "kitchen" {
			w.Delete(channel)
			w.OK(w.Table(schema.TableSubscriptions).Transact(t.Context(), schema.UserPartition(grace),
				driver.Insert(schema.RefRow(channel.Ref()), driver.String(schema.PropState, schema.SubscriptionJoined),
					driver.String(schema.PropRole, string(domain.RoleReader)))))
		}
		w.Arm(drivertest.Only(toSubscriptions, storetest.Before(1, func() { w.changeOwn(channel, schema.SubscriptionLeaving) })))
		_, err := w.Faulty.Subscriptions.ListAll(t.Context(), grace)
		if w.OK(err); w.own(channel).Properties.String(schema.PropState) != schema.SubscriptionLeaving {
			t.Errorf("what was written meanwhile is %v", w.own(channel))
		}
	}
}

// The request dies before it writes the user's own row again.
func repairMeetsJoining(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
	w.changeOwn(channel, schema.SubscriptionJoining)
	sub, err := w.Table(schema.TableBlogs).Get(t.Context(), "garden", schema.SubRow(grace))
	w.OK(err)
	w.OK(w.Table(schema.TableBlogs).Transact(t.Context(), "garden", driver.Delete(sub.Row, driver.Exists)))
	looks := func(call drivertest.Call) bool {
		return call.Method == driver.CallGet && call.Row == schema.JoinRow(grace)
	}
	w.Arm(drivertest.Only(looks, storetest.Before(1, func() {
		w.OK(w.Table(schema.TableBlogs).Transact(t.Context(), "garden", driver.Insert(sub.Row, sub.Properties...)))
	})))
	_, err = w.Faulty.Subscriptions.ListAll(t.Context(), grace)
	if w.OK(err); !w.own(channel).Found() {
		t.Error("the user's own row is gone, and the channel has the subscriber")
	}
	w.MustBeSound()
}

func repairRemovesOwnRowLast(t *testing.T, w *world) {
	channel := w.leftHalfway()
	w.Arm(drivertest.Only(toSub, drivertest.FailBefore(1)))
	_, err := w.Faulty.Subscriptions.ListAll(t.Context(), grace)
	if !w.own(channel).Found() {
		t.Errorf("the channel still has the subscriber, whose own row is gone (%v)", err)
	}
}

func leavingIsFinished(t *testing.T, w *world) {
	channel := w.leftHalfway()
	if list, err := w.Store.Subscriptions.ListAll(t.Context(), grace); err != nil || len(list) > 0 {
		t.Errorf("the list has %+v, %v", list, err)
	}
	row, err := w.Table(schema.TableSubscriptions).Find(t.Context(), schema.UserPartition(grace), schema.RefRow(channel.Ref()))
	if err != nil || row.Found() || w.Has(channel.Key(), schema.SubRow(grace)) {
		t.Errorf("rows of the subscription are left: %v, %v", row, err)
	}
}

// laterSubscriptionStays subscribes again before call n of these, while a list finishes the leaving.
func laterSubscriptionStays(n int, of func(drivertest.Call) bool) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		channel := w.leftHalfway()
		w.Arm(drivertest.Only(of, storetest.Before(n, func() {
			w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
		})))
		_, err := w.Faulty.Subscriptions.ListAll(t.Context(), grace)
		w.OK(err)
		if list, err := w.Store.Subscriptions.ListAll(t.Context(), grace); err != nil || len(list) != 1 || !w.Has(channel.Key(), schema.SubRow(grace)) {
			t.Errorf("the list has %+v, %v", list, err)
		}
	}
}

func subscribingAgain(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Writes() {
			t.Errorf("it writes %+v", call.Operations)
		}
		return send(ctx)
	})
	w.OK(w.Faulty.Subscriptions.Create(t.Context(), channel, grace))
	w.OK(w.Table(schema.TableBlogs).Transact(t.Context(), schema.ChannelPartition(channel.Key()), driver.Delete(schema.SubRow(grace), driver.Exists)))
	if w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace)); !w.Has(channel.Key(), schema.SubRow(grace)) {
		t.Error("the channel still lacks the row")
	}
}

func countIsExactToItsLimit(t *testing.T, w *world) {
	channel := w.Create("garden", ada) // who subscribes
	for i := range 1000 {
		if i == 999 {
			if n, more, err := w.Store.Subscriptions.Count(t.Context(), channel.Ref()); n != 1000 || more || err != nil {
				t.Errorf("1000 are counted as %d, and more: %t, %v", n, more, err)
			}
		}
		w.Insert(channel.Key(), schema.SubRow(domain.UserName(fmt.Sprint("u", i))), channel.Incarnation)
	}
	if n, more, err := w.Store.Subscriptions.Count(t.Context(), channel.Ref()); n != 1000 || !more || err != nil {
		t.Errorf("1001 are counted as %d, and more: %t, %v", n, more, err)
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
