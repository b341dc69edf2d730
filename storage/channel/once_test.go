package channel_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

func TestCreateOnce(t *testing.T) {
	t.Run("a key that was used for another name, or for other words, is refused", bubble(creationKeyIsForOneRequest))
	t.Run("a key whose channel was deleted makes no other, also if a delayed duplicate of its row takes effect", bubble(creationKeyIsUsedUp))
	t.Run("a row without a gate does not keep the name, whatever else is left there", bubble(ungatedRowKeepsNoName))
	t.Run("a creation that is sent again keeps a channel that has posts, although the store has lost its gate", bubble(lostGateKeepsPosts))
}

func (w *world) createOnce(channel domain.Channel) (domain.Channel, bool, error) {
	return w.Store.Channels.Create(w.T.Context(), channel, "key", 0)
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
	if again, made, err := w.createOnce(w.NewChannel("garden", ada)); err != nil || made || again != first {
		t.Errorf("sent again, it is %+v, made %t, %v", again, made, err)
	}
}

func creationKeyIsUsedUp(t *testing.T, w *world) {
	channel, _, err := w.createOnce(w.NewChannel("garden", ada))
	w.OK(err)
	row := w.Rows("Channels")[0]
	w.Delete(channel)
	for range 2 {
		if got, _, err := w.createOnce(w.NewChannel("garden", ada)); !errors.Is(err, domain.ErrChannelGone) {
			t.Errorf("the key is answered with %+v, %v", got, err)
		}
		if rows := w.Rows("Channels"); len(rows) > 0 {
			t.Errorf("left: %v", rows)
		}
		w.OK(w.Table("Channels").Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
	}
}

// The row was inserted after its channel was deleted, and next to it is a row of an earlier channel.
func ungatedRowKeepsNoName(t *testing.T, w *world) {
	late := w.Create("garden", ada)
	w.Ungate(late)
	w.Insert("garden", "sub!grace", domain.NewIncarnation())
	if next, _, err := w.Store.Channels.Create(t.Context(), w.NewChannel("garden", eve), "", 0); err != nil || next.Owner != eve {
		t.Errorf("the name is taken with %+v, %v", next, err)
	}
}

func lostGateKeepsPosts(t *testing.T, w *world) {
	channel, _, err := w.createOnce(w.NewChannel("garden", ada))
	w.OK(err)
	w.Post(channel, ada, "a post")
	made, err := w.Table("Users").First(t.Context(), 1, schema.Made.In(schema.UserPartition(ada)))
	w.OK(err)
	w.OK(w.Table("Users").Transact(t.Context(), made[0].Partition, driver.Delete(made[0].Row, driver.Exists))) // the first request died before it
	w.Ungate(channel)
	if again, _, err := w.createOnce(w.NewChannel("garden", ada)); !errors.Is(err, domain.ErrStillDeleting) {
		t.Errorf("it is answered with %+v, %v", again, err)
	}
	if rows := w.Rows("Channels"); len(rows) != 1 {
		t.Errorf("the channels are %v", rows)
	}
}
