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
	"microblogging/storage/schema"
)

func TestCreateOnce(t *testing.T) {
	t.Run("a key that was used for another name, or for other words, is refused", bubble(creationKeyIsForOneRequest))
	t.Run("a key whose channel was deleted makes no other, also if a delayed duplicate of its row takes effect", bubble(creationKeyIsUsedUp))
	t.Run("a name that another user has leaves the key unused", bubble(takenNameLeavesKey))
	t.Run("a name whose channel is being deleted leaves the key unused, unless the key made that channel", bubble(dyingChannelLeavesKey))
	t.Run("of two requests that find the channel deleted, the second gets what the first makes", bubble(laterCreationIsAdopted))
	t.Run("of two requests with one key that make a channel each, the second deletes its own if the first channel is gone", bubble(secondCreationIsDeleted))
	t.Run("the second of them is answered like that although its user undoes the deletion", bubble(secondCreationIsUndone))
	t.Run("a row without a gate does not keep the name, whatever else is left there", bubble(ungatedRowKeepsNoName))
	t.Run("a row whose gate is shut keeps the name, although the row is active", bubble(shutGateKeepsName))
	t.Run("a creation that is sent again keeps a channel that has posts, although the store has lost its gate", bubble(lostGateKeepsPosts))
}

func (w *world) createOnce(channel domain.Channel) (domain.Channel, bool, error) {
	return w.Store.Channels.Create(w.T.Context(), channel, domain.PostersOpen, "key", 0)
}

func creationKeyIsForOneRequest(t *testing.T, w *world) {
	first, _, err := w.createOnce(w.NewChannel("garden", ada))
	w.OK(err)
	described := w.NewChannel("garden", ada)
	described.Description = "another"
	for _, other := range []domain.Channel{w.NewChannel("kitchen", ada), described} {
		if _, _, err := w.createOnce(other); !errors.Is(err, domain.ErrKeyReused) {
			t.Errorf("%+v is answered with %v", other, err)
		}
	}
	for _, recorded := range []bool{true, false} {
		if again, made, err := w.createOnce(w.NewChannel("garden", ada)); err != nil || made || again != first {
			t.Errorf("sent again, it is %+v, made %t, %v", again, made, err)
		}
		if recorded {
			w.unrecord()
		}
	}
}

func creationKeyIsUsedUp(t *testing.T, w *world) {
	channel, _, err := w.createOnce(w.NewChannel("garden", ada))
	w.OK(err)
	row := w.Rows("Channels")[0]
	gone := func() {
		t.Helper()
		if got, _, err := w.createOnce(w.NewChannel("garden", ada)); !errors.Is(err, domain.ErrChannelGone) {
			t.Errorf("the key is answered with %+v, %v", got, err)
		}
	}
	w.Ask(channel)
	gone()
	w.Delete(channel)
	for range 2 {
		gone()
		if rows := w.Rows("Channels"); len(rows) > 0 {
			t.Errorf("left: %v", rows)
		}
		w.OK(w.Table("Channels").Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
	}
}

// unrecord removes the record that the key has made a channel: its request died before it.
func (w *world) unrecord() driver.Entity {
	made, err := w.Table("Users").First(w.T.Context(), 1, schema.Made.In(schema.UserPartition(ada)))
	w.OK(err)
	w.OK(w.Table("Users").Transact(w.T.Context(), made[0].Partition, driver.Delete(made[0].Row, driver.Exists)))
	return made[0]
}

func takenNameLeavesKey(t *testing.T, w *world) {
	w.Create("garden", eve)
	if _, _, err := w.createOnce(w.NewChannel("garden", ada)); !errors.Is(err, domain.ErrExists) {
		t.Errorf("the name of another is answered with %v", err)
	}
	if _, made, err := w.createOnce(w.NewChannel("kitchen", ada)); err != nil || !made {
		t.Errorf("the key then made %t, %v", made, err)
	}
}

func dyingChannelLeavesKey(t *testing.T, w *world) {
	dying := w.Create("garden", eve)
	w.Ask(dying)
	if _, _, err := w.createOnce(w.NewChannel("garden", ada)); !errors.Is(err, domain.ErrStillDeleting) {
		t.Errorf("the name of a channel that is being deleted is answered with %v", err)
	}
	w.CarryOut(w.Messages())
	own, made, err := w.createOnce(w.NewChannel("garden", ada))
	if err != nil || !made {
		t.Errorf("the key then made %t, %v", made, err)
	}
	w.unrecord()
	w.Ask(own)
	for _, step := range storetest.Cascade(w.Store, own.Ref())[:2] {
		w.OK(step(t.Context()))
	}
	if _, _, err := w.createOnce(w.NewChannel("garden", ada)); !errors.Is(err, domain.ErrChannelGone) {
		t.Errorf("the key of a channel that is being deleted is answered with %v", err)
	}
}

func laterCreationIsAdopted(t *testing.T, w *world) {
	former, _, err := w.createOnce(w.NewChannel("garden", ada))
	w.OK(err)
	w.unrecord()
	w.Ask(former)
	var next domain.Channel
	w.Arm(drivertest.Only(drivertest.Writes, storetest.Before(1, func() { // the record
		w.Delete(former)
		next, _, err = w.createOnce(w.NewChannel("garden", ada))
		w.OK(err)
	})))
	got, made, err := w.Faulty.Channels.Create(t.Context(), w.NewChannel("garden", ada), domain.PostersOpen, "key", 0)
	if err != nil || made || got != next || got == former {
		t.Errorf("it is answered with %+v, made %t, %v; the channel is %+v", got, made, err, next)
	}
}

// createSecond makes a channel with a key whose first request has made one, which is deleted, and records that only
// when the second is about to. then is called before each call after that.
func (w *world) createSecond(then func(call drivertest.Call)) (domain.Channel, error) {
	w.T.Helper()
	first, _, err := w.createOnce(w.NewChannel("garden", ada))
	w.OK(err)
	made := w.unrecord()
	w.Delete(first)
	recorded := false
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		switch {
		case len(call.Operations) > 0 && strings.HasPrefix(call.Operations[0].Row, schema.Made.Prefix()):
			recorded = true
			w.OK(w.Table("Users").Transact(ctx, made.Partition, driver.Insert(made.Row, made.Properties...)))
		case recorded:
			then(call)
		}
		return send(ctx)
	})
	got, _, err := w.Faulty.Channels.Create(w.T.Context(), w.NewChannel("garden", ada), domain.PostersOpen, "key", 0)
	return got, err
}

func secondCreationIsDeleted(t *testing.T, w *world) {
	for _, alreadyGone := range []bool{false, true} {
		got, err := w.createSecond(func(drivertest.Call) {
			if alreadyGone && len(w.Rows("Channels")) > 0 {
				w.Delete(w.ReadChannel("garden"))
			}
		})
		if !errors.Is(err, domain.ErrChannelGone) || errors.Is(err, domain.ErrNotFound) {
			t.Errorf("it is answered with %+v, %v", got, err)
		}
		if rows := w.Rows("Channels"); alreadyGone != (len(rows) == 0) {
			t.Errorf("the channels are %v", rows)
		} else if !alreadyGone && rows[0].Properties.String(schema.PropState) == string(domain.ChannelActive) {
			t.Error("the second channel stays")
		}
		w.Arm(drivertest.Pass)
		w.CarryOut(w.Messages())
		w.unrecord()
	}
}

// The user finds the deletion on their list before the channel is set deleting.
func secondCreationIsUndone(t *testing.T, w *world) {
	got, err := w.createSecond(func(call drivertest.Call) {
		if drivertest.Writes(call) && call.Target == "Channels" {
			_, err := w.Store.Deletions.Undo(t.Context(), w.ReadChannel("garden").Ref(), domain.By(ada))
			w.OK(err)
		}
	})
	if !errors.Is(err, domain.ErrChannelGone) || errors.Is(err, domain.ErrConflict) {
		t.Errorf("it is answered with %+v, %v", got, err)
	}
	w.Post(w.ReadChannel("garden"), ada, "a post")
}

// The row was inserted after its channel was deleted, and next to it is a row of an earlier channel.
func ungatedRowKeepsNoName(t *testing.T, w *world) {
	late := w.Create("garden", ada)
	w.Ungate(late)
	w.Insert("garden", "sub!grace", domain.NewIncarnation())
	if next, _, err := w.Store.Channels.Create(t.Context(), w.NewChannel("garden", eve), domain.PostersOpen, "", 0); err != nil || next.Owner != eve {
		t.Errorf("the name is taken with %+v, %v", next, err)
	}
}

// Only a damaged store has such a row. Rows behind the gate may have been removed, so check leaves it too.
func shutGateKeepsName(t *testing.T, w *world) {
	damaged := w.Create("garden", ada)
	w.Ungate(damaged)
	w.Insert("garden", storetest.ShutGateRow(damaged.Incarnation), damaged.Incarnation)
	if _, _, err := w.Store.Channels.Create(t.Context(), w.NewChannel("garden", eve), domain.PostersOpen, "", 0); !errors.Is(err, domain.ErrExists) {
		t.Errorf("the name is taken with %v", err)
	}
	if rows := w.Rows("Channels"); len(rows) != 1 {
		t.Errorf("the channels are %v", rows)
	}
}

func lostGateKeepsPosts(t *testing.T, w *world) {
	channel, _, err := w.createOnce(w.NewChannel("garden", ada))
	w.OK(err)
	w.Post(channel, ada, "a post")
	w.unrecord()
	w.Ungate(channel)
	if again, _, err := w.createOnce(w.NewChannel("garden", ada)); !errors.Is(err, domain.ErrStillDeleting) {
		t.Errorf("it is answered with %+v, %v", again, err)
	}
	if rows := w.Rows("Channels"); len(rows) != 1 {
		t.Errorf("the channels are %v", rows)
	}
}
