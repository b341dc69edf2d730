package storage_test

import (
	"errors"
	"sync"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

func TestCreateChannelOnce(t *testing.T) {
	t.Run("one key makes one channel", oneKeyMakesOneChannel)
	t.Run("fault does not keep the creator from the name", createOnceFaultKeepsName)
	t.Run("many with one key get the same channel", manyWithOneKeyGetOneChannel)
	t.Run("requests that meet are told one channel", requestsThatMeetGetOneChannel)
	t.Run("owner without room can ask again", ownerWithoutRoomCanAskAgain)
	t.Run("late request makes no second channel", lateCreateMakesNoSecondChannel)
}

// createOnce creates the channel garden for ada with the key k.
func (w *world) createOnce(s *storage.Store) (domain.Channel, bool, error) {
	w.t.Helper()
	return s.CreateChannelOnce(w.t.Context(), w.channel("garden", ada), "k", 0)
}

func oneKeyMakesOneChannel(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
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
	})
}

// Whatever fault a call has, the creator who asks again gets the channel.
func createOnceFaultKeepsName(t *testing.T) {
	eachFault(t, func(w *world) {
		first, _, err := w.createOnce(w.faulty)
		again, made, againErr := w.createOnce(w.store)
		switch {
		case againErr != nil:
			w.t.Errorf("told %v, and then %v", err, againErr)
		case err == nil && (made || again != first):
			w.t.Errorf("told %s, and then %s", first.Incarnation, again.Incarnation)
		}
		w.mustBeSound()
	})
}

func manyWithOneKeyGetOneChannel(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	told := map[domain.Incarnation]int{}
	makers := 0
	atOnce(12, func(int) {
		channel, made, err := w.createOnce(w.store)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		if told[channel.Incarnation]++; made {
			makers++
		}
	})
	if len(told) != 1 || makers > 1 {
		t.Errorf("told of %d channels, and %d made one", len(told), makers)
	}
	w.mustBeSound()
}

// Before any call of a request, another with the same key comes to its end, and the
// channel may be deleted.
func requestsThatMeetGetOneChannel(t *testing.T) {
	for name, deleted := range map[string]bool{"stays": false, "is deleted": true} {
		eachCall(t, "is overtaken, and the channel "+name, func(w *world, n int) {
			var other domain.Channel
			w.arm(before(n, func() {
				var err error
				other, _, err = w.createOnce(w.store)
				w.ok(err)
				if deleted {
					w.delete(other)
				}
			}))
			channel, _, err := w.createOnce(w.faulty)
			if errors.Is(err, domain.ErrChannelGone) {
				if late, readErr := w.store.Channel(w.t.Context(), "garden"); readErr == nil {
					w.t.Errorf("told that the channel was deleted, and %s stands", late.Incarnation)
				}
			}
			switch {
			case deleted && err == nil && other.Incarnation != "" && channel.Incarnation != other.Incarnation:
				w.t.Error("one key was told two channels")
			case deleted && err != nil && !errors.Is(err, domain.ErrGone) && !errors.Is(err, domain.ErrStillDeleting):
				w.t.Error(err)
			case !deleted && err != nil:
				w.t.Error(err)
			case !deleted && other.Incarnation != "" && channel != other:
				w.t.Errorf("told %s and %s", channel.Incarnation, other.Incarnation)
			}
			w.mustBeSound()
		})
	}
}

// A request lands when the channel is deleted. The key makes no second one.
func lateCreateMakesNoSecondChannel(t *testing.T) {
	eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
		if _, _, err := w.createOnce(w.faulty); err != nil {
			return // nobody was told of a channel
		}
		channel, _, err := w.createOnce(w.store)
		w.ok(err)
		w.delete(channel)
		w.arrive(late)
		if again, _, err := w.createOnce(w.store); !errors.Is(err, domain.ErrChannelGone) {
			w.t.Errorf("the key made %s, which is deleted, and then gave %s, %v", channel.Incarnation, again.Incarnation, err)
		}
	})
}

// The limit of an owner's channels does not keep the creator of the last one from asking
// again.
func ownerWithoutRoomCanAskAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
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
	})
}
