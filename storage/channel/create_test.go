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
	t.Run("longest name fits in every table", bubble(longestNameFits))
	t.Run("owner without room for a subscription creates though a repair took the gate", bubble(fullOwnerCreatesWithoutGate))
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
	made, _, err := w.Faulty.Channels.Create(t.Context(), channel, "", 0)
	if w.OK(err); !taken || made.Incarnation == channel.Incarnation {
		t.Errorf("the gate was taken: %t, and the channel has the incarnation that lost it: %+v", taken, made)
	}
	if read, err := w.Store.Channels.Get(t.Context(), channel.Key().Address()); err != nil || read != made {
		t.Errorf("made %+v and read %+v (%v)", made, read, err)
	}
}

func nameIsTakenInAnySpelling(t *testing.T, w *world) {
	w.Create("Café-Straße", ada)
	for _, name := range []string{"Café-Straße", "CAFÉ-STRASSE", "cafe\u0301-strasse", "Cafe\u0301-stra\u1e9ee"} {
		_, _, err := w.Store.Channels.Create(t.Context(), w.NewChannel(name, grace), "", 0)
		if !errors.Is(err, domain.ErrExists) || errors.Is(err, domain.ErrStillDeleting) {
			t.Errorf("creating %q: %v, want ErrExists", name, err)
		}
	}
	w.Create("Cafe-Strasse", grace) // another name: accents are not case
	w.MustBeSound()
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
