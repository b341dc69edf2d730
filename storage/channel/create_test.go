package channel_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestChannelCreate(t *testing.T) {
	t.Run("name is taken in any spelling", bubble(nameIsTakenInAnySpelling))
	t.Run("name that looks like another in ASCII is refused while that is there, and names it", bubble(lookAlikeIsRefused))
	t.Run("channel whose name looks like another is there for a request that is sent again, and for its readers", bubble(lookAlikeStays))
	t.Run("name costs a read more if it looks like another", bubble(lookAlikeCostsARead))
	t.Run("longest name fits in every table", bubble(longestNameFits))
	t.Run("owner without room for a subscription creates though a repair took the gate", bubble(fullOwnerCreatesWithoutGate))
	t.Run("row of a channel that is deleted before its creator is subscribed stays until the name is released", bubble(deletedUnderCreation))
	t.Run("channel whose row comes late is its creator's, if it has a post by then", bubble(lateRowWithPost))
	t.Run("of two who find a row without a gate, the slower leaves the channel of the other alone", bubble(slowReclaimSparesChannel))
}

func fullOwnerCreatesWithoutGate(t *testing.T, w *world) {
	w.Follow(domain.MaxSubscriptions)
	channel, taken := w.NewChannel("garden", grace), false
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		gate := storetest.OpenGateRow(channel.Incarnation)
		if len(call.Operations) > 0 && call.Operations[0].Row == gate && !taken {
			taken = true
			w.OK(w.Table("Blogs").Transact(ctx, "garden", driver.Delete(gate, driver.Exists)))
		}
		return send(ctx)
	})
	made, _, err := w.Faulty.Channels.Create(t.Context(), channel, domain.PostersOpen, "", 0)
	if w.OK(err); !taken || made.Incarnation == channel.Incarnation {
		t.Errorf("the gate was taken: %t, and the channel has the incarnation that lost it: %+v", taken, made)
	}
	if subscribed, err := w.Store.Subscriptions.Has(t.Context(), made.Ref(), grace); err != nil || subscribed {
		t.Errorf("an owner without room is subscribed: %t, %v", subscribed, err)
	}
	if read, err := w.Store.Channels.Get(t.Context(), channel.Key().Address()); err != nil || read != made {
		t.Errorf("made %+v and read %+v (%v)", made, read, err)
	}
}

// A worker has shut the gate, and is about to sweep.
func deletedUnderCreation(t *testing.T, w *world) {
	channel := w.NewChannel("garden", grace)
	reads := func(call drivertest.Call) bool { return call.Target == "Channels" && call.Method == driver.CallGet }
	w.Arm(drivertest.Only(reads, storetest.Before(2, func() {
		w.Ask(channel)
		for _, step := range storetest.Cascade(w.Store, channel.Ref())[:2] {
			w.OK(step(t.Context()))
		}
	})))
	if _, _, err := w.Faulty.Channels.Create(t.Context(), channel, domain.PostersOpen, "", 0); !errors.Is(err, domain.ErrStillDeleting) {
		t.Errorf("its creator is told %v", err)
	}
	if rows := w.Rows("Channels"); len(rows) != 1 {
		t.Errorf("while it is swept, the channels are %v", rows)
	}
}

// The insert of the row is not answered. It takes effect right before its creator withdraws the gate.
func lateRowWithPost(t *testing.T, w *world) {
	channel := w.NewChannel("garden", ada)
	var insert drivertest.Send
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		switch {
		case call.Target == "Channels" && call.Method == driver.CallTransact && insert == nil:
			insert = send
			return drivertest.ErrInjected
		case len(call.Operations) == 1 && call.Operations[0].Row == storetest.OpenGateRow(channel.Incarnation):
			w.OK(insert(ctx))
			w.Post(w.ReadChannel("garden"), eve, "early")
		}
		return send(ctx)
	})
	made, _, err := w.Faulty.Channels.Create(t.Context(), channel, domain.PostersOpen, "", 0)
	if w.OK(err); made.Incarnation != channel.Incarnation {
		t.Errorf("it made another channel: %+v", made)
	}
	w.MustBeSound()
}

// A delayed duplicate of an insert has brought the row back. Both creators are about to delete it.
func slowReclaimSparesChannel(t *testing.T, w *world) {
	former := w.Create("garden", ada)
	row, err := w.Table("Channels").Get(t.Context(), "garden", "")
	w.OK(err)
	w.Delete(former)
	w.OK(w.Table("Channels").Transact(t.Context(), "garden", driver.Insert("", row.Properties...)))
	var made domain.Channel
	reclaims := func(call drivertest.Call) bool {
		return call.Target == "Channels" && len(call.Operations) > 0 && call.Operations[0].Action == driver.ActionDelete
	}
	w.Arm(drivertest.Only(reclaims, storetest.Before(1, func() { made = w.Create("garden", grace) })))
	if _, _, err := w.Faulty.Channels.Create(t.Context(), w.NewChannel("garden", eve), domain.PostersOpen, "", 0); !errors.Is(err, domain.ErrExists) {
		t.Errorf("the slower one is told %v", err)
	}
	if read, err := w.Store.Channels.Get(t.Context(), made.Key().Address()); err != nil || read != made {
		t.Errorf("made %+v and read %+v (%v)", made, read, err)
	}
	w.MustBeSound()
}

func nameIsTakenInAnySpelling(t *testing.T, w *world) {
	w.Create("Café-Straße", ada)
	for _, name := range []string{"Café-Straße", "CAFÉ-STRASSE", "cafe\u0301-strasse", "Cafe\u0301-stra\u1e9ee"} {
		_, _, err := w.Store.Channels.Create(t.Context(), w.NewChannel(name, grace), domain.PostersOpen, "", 0)
		if !errors.Is(err, domain.ErrExists) || errors.Is(err, domain.ErrStillDeleting) {
			t.Errorf("creating %q: %v, want ErrExists", name, err)
		}
	}
	w.Create("Cafe-Strasse", grace) // another name: accents are not case
	w.MustBeSound()
}

// The Cyrillic letters сосо look like coco.
func lookAlikeIsRefused(t *testing.T, w *world) {
	refused := func(name, like string) {
		t.Helper()
		_, made, err := w.Store.Channels.Create(t.Context(), w.NewChannel(name, grace), domain.PostersOpen, "key", 1)
		invalid, is := errors.AsType[*domain.InvalidError](err)
		if want := (domain.FieldError{Field: "name", Detail: "looks like “" + like + "”, which another channel has"}); !is || made || invalid.Fields[0] != want {
			t.Errorf("creating %q: %v, made %t; want %q", name, err, made, want.Detail)
		}
	}
	coco := w.Create("Coco", ada)
	before := append(w.AllRows("Users"), w.AllRows("Channels")...)
	refused("сосо", "Coco")
	refused("СОСО", "Coco")
	if after := append(w.AllRows("Users"), w.AllRows("Channels")...); len(after) != len(before) {
		t.Errorf("the refused requests wrote: %v, and before %v", after, before)
	}
	w.Ask(coco)
	refused("сосо", "Coco")
	w.CarryOut(w.Messages())
	w.Create("сосо", grace)
	w.Create("coco", ada) // a name of ASCII is never refused
	w.MustBeSound()
}

func lookAlikeStays(t *testing.T, w *world) {
	request := w.NewChannel("сосо", grace)
	first, made, err := w.Store.Channels.Create(t.Context(), request, domain.PostersOpen, "key", 1)
	if w.OK(err); !made {
		t.Error("no channel looks like it, and none is made")
	}
	w.Create("coco", ada)
	request.Incarnation = domain.NewIncarnation()
	if again, made, err := w.Store.Channels.Create(t.Context(), request, domain.PostersOpen, "key", 1); err != nil || made || again != first {
		t.Errorf("sent again, it is %+v, made %t, %v", again, made, err)
	}
	if _, _, err := w.Store.Channels.Create(t.Context(), w.NewChannel("сосо", eve), domain.PostersOpen, "", 0); !errors.Is(err, domain.ErrExists) {
		t.Errorf("the name of a channel that is there is answered with %v", err)
	}
	w.Post(w.ReadChannel(first.Key()), eve, "text")
	w.MustBeSound()
}

func lookAlikeCostsARead(t *testing.T, w *world) {
	calls := map[string]int{}
	for _, name := range []string{"moscow", "москва", "сосо"} {
		w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			calls[name]++
			return send(ctx)
		})
		_, _, err := w.Faulty.Channels.Create(t.Context(), w.NewChannel(name, ada), domain.PostersOpen, "", 0)
		w.OK(err)
	}
	if calls["moscow"] == 0 || calls["москва"] != calls["moscow"] || calls["сосо"] != calls["moscow"]+1 {
		t.Errorf("they cost %v calls", calls)
	}
}

// mustBeWhole checks the creation of the channel garden, whose creator was told err. After a
// success, the channel is there. Whatever was told, a channel that is there accepts a post,
// and the store is sound.
func (w *world) mustBeWhole(err error) {
	w.T.Helper()
	w.Reconcile()
	read, readErr := w.Store.Channels.Get(w.T.Context(), domain.ChannelKey("garden").Address())
	if readErr == nil {
		w.Post(read, grace, "first")
	} else if err == nil || !errors.Is(readErr, domain.ErrNotFound) {
		w.T.Errorf("told %v, and there is %v", err, readErr)
	}
	w.MustBeSound()
}

// The longest key is of a name of 32 ligatures, each of which folds to two letters.
func longestNameFits(t *testing.T, w *world) {
	for _, name := range []string{strings.Repeat("և", 32), strings.Repeat("𐐀", 64)} {
		channel := w.Create(name, ada)
		blog := w.Post(channel, grace, "text")
		w.Ask(channel)
		if _, err := w.Store.Posts.Get(t.Context(), channel.Ref(), blog.ID); err != nil {
			t.Error(err)
		}
		w.Delete(channel)
	}
	w.MustBeSound()
}
