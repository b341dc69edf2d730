package channel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestCreateChannelWithin(t *testing.T) {
	t.Run("one more than the limit is refused until one has gone", bubble(oneMoreThanTheLimitIsRefusedUntilOneHasGone))
	t.Run("a creation that fails again and again counts as one", bubble(creationThatFailsAgainAndAgainTakesTheRoomOfOne))
	t.Run("an owner without room can ask again for the last", bubble(ownerWithoutRoomCanAskAgain))
	t.Run("a name that was taken takes no room", bubble(nameThatWasTakenTakesNoRoom))
	t.Run("a name that is taken again meanwhile keeps its row", bubble(nameTakenAgainKeepsItsRow))
	t.Run("a lower limit removes nothing", bubble(lowerLimitRemovesNothing))
	t.Run("a creation that died by a clock that was a day ahead takes no room", bubble(aheadRowTakesNoRoom))
}

// within creates a channel under a limit, on the sound side.
func (w *world) within(limit int, name string) error {
	_, _, err := w.Store.Channels.Create(w.T.Context(), w.NewChannel(name, ada), domain.PostersOpen, "", limit)
	return err
}

func (w *world) wantFull(err error, limit int) {
	w.T.Helper()
	var full *domain.TooManyChannelsError
	if !errors.As(err, &full) || full.Limit != limit {
		w.T.Errorf("%v, want a refusal at %d", err, limit)
	}
}

// owned counts the channels of ada, in whatever state.
func (w *world) owned() int {
	n := 0
	for _, row := range w.Rows("Channels") {
		if row.Properties.String("Owner") == string(ada) {
			n++
		}
	}
	return n
}

func oneMoreThanTheLimitIsRefusedUntilOneHasGone(t *testing.T, w *world) {
	for _, name := range []string{"a", strings.Repeat("և", 32), strings.Repeat("𐐀", 64)} {
		w.OK(w.within(3, name))
	}
	w.wantFull(w.within(3, "d"), 3)
	w.Create("grace", grace)
	channel, err := w.Store.Channels.Get(t.Context(), domain.ChannelKey("a").Address())
	w.OK(err)
	_, err = w.Store.Deletions.Request(t.Context(), "a", domain.By(ada), storetest.AnyIncarnation)
	w.OK(err)
	w.wantFull(w.within(3, "d"), 3) // it counts until it is gone
	w.Delete(channel)
	w.Create("a", grace) // what she has is no longer ada's
	w.OK(w.within(3, "d"))
	w.wantFull(w.within(3, "e"), 3)
	if n := w.owned(); n != 3 {
		t.Errorf("%d channels", n)
	}
	w.MustBeSound()
}

// No gate opens, while the owner's list is written.
func creationThatFailsAgainAndAgainTakesTheRoomOfOne(t *testing.T, w *world) {
	cut := w.Through(drivertest.Only(opensGate,
		func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected }))
	for range 20 {
		if _, _, err := cut.Channels.Create(t.Context(), w.NewChannel("a", ada), domain.PostersOpen, "", 2); !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("creating on a store that does not answer: %v", err)
		}
	}
	w.OK(w.within(2, "b"))
	w.wantFull(w.within(2, "c"), 2)
	w.OK(w.within(2, "a"))
	w.wantFull(w.within(2, "c"), 2)
}

// opensGate reports whether a call puts an open gate up.
func opensGate(call drivertest.Call) bool {
	return slices.ContainsFunc(call.Operations, func(op driver.Operation) bool {
		return op.Action == driver.ActionInsert && schema.OpenGate.Has(op.Row)
	})
}

// fillUp lets the rows of creations that died run out, and creates channels up to the limit.
func (w *world) fillUp(limit int) {
	w.T.Helper()
	time.Sleep(11 * time.Minute)
	w.Reconcile()
	for n := range limit + 1 {
		err := w.within(limit, fmt.Sprintf("more%d", n))
		if full := w.owned() == limit && err != nil; full {
			w.wantFull(err, limit)
			break
		}
		w.OK(err)
	}
	if n := w.owned(); n != limit {
		w.T.Errorf("%d channels, want %d", n, limit)
	}
	w.wantFull(w.within(limit, "onemore"), limit)
}

func nameThatWasTakenTakesNoRoom(t *testing.T, w *world) {
	w.Create("taken", grace)
	for range 5 {
		if err := w.within(2, "taken"); !errors.Is(err, domain.ErrExists) {
			t.Errorf("creating a taken name: %v", err)
		}
	}
	w.OK(w.within(2, "a"))
	w.OK(w.within(2, "b"))
	w.wantFull(w.within(2, "c"), 2)
}

// A request for another name finds the row of a channel that has gone, and removes it while the name is taken again.
func nameTakenAgainKeepsItsRow(t *testing.T, w *world) {
	w.OK(w.within(2, "garden"))
	w.Delete(w.ReadChannel("garden"))
	time.Sleep(time.Hour)
	w.Arm(drivertest.Only(func(call drivertest.Call) bool {
		return call.Target == "Users" && len(call.Operations) == 1 && call.Operations[0].Action == driver.ActionDelete
	}, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		w.OK(w.within(2, "garden"))
		return send(ctx)
	}))
	_, _, err := w.Faulty.Channels.Create(t.Context(), w.NewChannel("kitchen", ada), domain.PostersOpen, "", 1)
	w.wantFull(err, 1)
	if got, _ := w.owns(ada, 10); !slices.Equal(got, []string{"garden"}) {
		t.Errorf("on the list: %q", got)
	}
}

func lowerLimitRemovesNothing(t *testing.T, w *world) {
	for n := range 5 {
		w.OK(w.within(0, fmt.Sprintf("channel%d", n))) // 0 is no limit
	}
	w.wantFull(w.within(3, "more"), 3)
	if err := w.within(3, "CHANNEL0"); !errors.Is(err, domain.ErrExists) {
		t.Errorf("creating what is their own again: %v", err)
	}
	if n := w.owned(); n != 5 {
		t.Errorf("%d channels", n)
	}
	w.OK(w.within(6, "more"))
}

// The limit of an owner's channels does not keep the creator of the last one from asking
// again.
func ownerWithoutRoomCanAskAgain(t *testing.T, w *world) {
	const limit = 2
	once := func(name, key string) (domain.Channel, bool, error) {
		return w.Store.Channels.Create(t.Context(), w.NewChannel(name, ada), domain.PostersOpen, key, limit)
	}
	first, made, err := once("garden", "k")
	if err != nil || !made {
		t.Fatalf("created: %t, %v", made, err)
	}
	if _, made, err := once("yard", "k2"); err != nil || !made {
		t.Errorf("the last: %t, %v", made, err)
	}
	if again, made, err := once("garden", "k"); err != nil || made || again != first {
		t.Errorf("asked again: %+v, %t, %v", again, made, err)
	}
	var many *domain.TooManyChannelsError
	if _, _, err := once("shed", "k3"); !errors.As(err, &many) {
		t.Errorf("one too many: %v", err)
	}
}

func aheadRowTakesNoRoom(t *testing.T, w *world) {
	w.Arm(drivertest.Only(opensGate,
		func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected }))
	if _, _, err := w.Faulty.Channels.Create(t.Context(), w.NewChannel("died", ada), domain.PostersOpen, "", 1); !errors.Is(err, domain.ErrUnavailable) {
		t.Fatal(err)
	}
	w.wantFull(w.within(1, "garden"), 1)
	w.Postdate("Users", 24*time.Hour)
	w.OK(w.within(1, "garden"))
}
