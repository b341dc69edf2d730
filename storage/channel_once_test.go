package storage_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

func TestCreateChannelOnce(t *testing.T) {
	t.Run("one key makes one channel", bubble(oneKeyMakesOneChannel))
	t.Run("owner without room can ask again", bubble(ownerWithoutRoomCanAskAgain))
}

// createOnce creates the channel garden for ada with the key k.
func (w *world) createOnce(s *storage.Store) (domain.Channel, bool, error) {
	w.t.Helper()
	return s.CreateChannelOnce(w.t.Context(), w.channel("garden", ada), "k", 0)
}

func oneKeyMakesOneChannel(t *testing.T, w *world) {
	first, made, err := w.createOnce(w.store)
	if err != nil || !made {
		t.Fatalf("created: %t, %v", made, err)
	}
	again, made, err := w.createOnce(w.store)
	if err != nil || made || again != first {
		t.Errorf("created %+v again as %+v, %t, %v", first, again, made, err)
	}
	other := w.channel("garden", ada)
	other.Description = "another"
	for what, try := range map[string]struct {
		channel domain.Channel
		key     string
		want    error
	}{
		"another description": {other, "k", domain.ErrKeyReused},
		"another name":        {w.channel("orchard", ada), "k", domain.ErrKeyReused},
		"another key":         {w.channel("garden", ada), "k2", domain.ErrExists},
		"another user":        {w.channel("garden", grace), "k", domain.ErrExists},
	} {
		if _, _, err := w.store.CreateChannelOnce(t.Context(), try.channel, try.key, 0); !errors.Is(err, try.want) {
			t.Errorf("%s: %v, want %v", what, err, try.want)
		}
	}
	if _, made, err := w.store.CreateChannelOnce(t.Context(), w.channel("yard", ada), "k2", 0); err != nil || !made {
		t.Errorf("a key that was refused because the name was taken: %t, %v", made, err)
	}
	w.ask(first)
	for range 2 { // while the deletion runs, and when it is done
		if _, _, err := w.createOnce(w.store); !errors.Is(err, domain.ErrChannelGone) {
			t.Errorf("the channel was deleted, and the key gives %v", err)
		}
		w.delete(first)
	}
	next := w.create("garden", ada)
	if _, _, err := w.createOnce(w.store); !errors.Is(err, domain.ErrChannelGone) {
		t.Errorf("the next incarnation is %s, and the key gives %v", next.Incarnation, err)
	}
	w.mustBeSound()
}

// The limit of an owner's channels does not keep the creator of the last one from asking
// again.
func ownerWithoutRoomCanAskAgain(t *testing.T, w *world) {
	const limit = 2
	once := func(name, key string) (domain.Channel, bool, error) {
		return w.store.CreateChannelOnce(t.Context(), w.channel(name, ada), key, limit)
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
