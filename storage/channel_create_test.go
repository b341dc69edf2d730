package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"microblogging/domain"
)

func TestChannelCreate(t *testing.T) {
	t.Run("name of a channel that lost its gate is taken, and its rows wait for a repair", bubble(lostGateKeepsName))
	t.Run("channel is read as it was made", bubble(channelIsReadAsMade))
	t.Run("name is taken in any spelling", bubble(nameIsTakenInAnySpelling))
	t.Run("name is taken until its deletion has ended", bubble(nameIsTakenUntilDeleted))
	t.Run("succeeds whenever a repair comes between its calls", createSucceedsBesideRepair)
	t.Run("one of many creators wins", oneOfManyCreatorsWins)
}

func channelIsReadAsMade(t *testing.T, w *world) {
	channel, err := domain.NewChannel("Café.Straße-9", " two\r\nlines ", ada)
	w.ok(err)
	made, err := w.store.CreateChannel(t.Context(), channel)
	w.ok(err)
	read, err := w.store.Channel(t.Context(), channel.Key())
	if err != nil || read != made || made != channel {
		t.Errorf("asked for %+v, made %+v, read %+v (%v)", channel, made, read, err)
	}
	if read.Description != "two\nlines" || read.Owner != ada || read.State != domain.ChannelActive {
		t.Errorf("read %+v", read)
	}
	w.mustBeSound()
}

func nameIsTakenInAnySpelling(t *testing.T, w *world) {
	w.create("Café-Straße", ada)
	for _, name := range []string{"Café-Straße", "CAFÉ-STRASSE", "cafe\u0301-strasse", "Cafe\u0301-stra\u1e9ee"} {
		_, err := w.store.CreateChannel(t.Context(), w.channel(name, grace))
		if !errors.Is(err, domain.ErrExists) || errors.Is(err, domain.ErrStillDeleting) {
			t.Errorf("creating %q: %v, want ErrExists", name, err)
		}
	}
	w.create("Cafe-Strasse", grace) // another name: accents are not case
	w.mustBeSound()
}

func nameIsTakenUntilDeleted(t *testing.T, w *world) {
	first := w.create("garden", ada)
	for i, step := range cascade(w.store, first.Ref()) {
		w.ok(step(t.Context()))
		if i == 4 {
			break
		}
		if _, err := w.store.CreateChannel(t.Context(), w.channel("garden", ada)); !errors.Is(err, domain.ErrStillDeleting) {
			t.Errorf("creating after step %d: %v, want ErrStillDeleting", i+1, err)
		}
	}
	if again := w.create("garden", ada); again.Incarnation == first.Incarnation {
		t.Error("an incarnation has returned")
	}
	w.mustBeSound()
}

// mustBeWhole checks a creation whose creator was told err. After a success, the
// channel is there as the creator was told. Whatever was told, a channel that is
// there accepts a post, and the store is sound.
func (w *world) mustBeWhole(made domain.Channel, err error) {
	w.t.Helper()
	w.reconcile()
	read, readErr := w.store.Channel(w.t.Context(), made.Key())
	switch {
	case err == nil && (readErr != nil || read != made):
		w.t.Errorf("created %+v, and there is %+v, %v", made, read, readErr)
	case errors.Is(readErr, domain.ErrNotFound):
	case readErr != nil:
		w.t.Error(readErr)
	default:
		w.post(read, grace, "first")
	}
	w.mustBeSound()
}

// A repair removes the gate of a creation under way. No scenario of the lab has repairs.
func createSucceedsBesideRepair(t *testing.T) {
	eachCall(t, "comes after a repair", func(w *world, n int) {
		w.arm(before(n, func() { w.run(true) }))
		made, err := w.faulty.CreateChannel(w.t.Context(), w.channel("garden", ada))
		w.ok(err)
		w.mustBeWhole(made, err)
	})
}

func oneOfManyCreatorsWins(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var winners []domain.Channel
	atOnce(32, func(i int) {
		made, err := w.store.CreateChannel(t.Context(), w.channel("Garden", domain.UserName(fmt.Sprintf("user%d", i))))
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			winners = append(winners, made)
		case !errors.Is(err, domain.ErrExists) || errors.Is(err, domain.ErrStillDeleting):
			t.Errorf("creator %d: %v", i, err)
		}
	})
	if len(winners) != 1 {
		t.Fatalf("%d creators won: %+v", len(winners), winners)
	}
	read, err := w.store.Channel(t.Context(), "garden")
	if err != nil || read != winners[0] {
		t.Errorf("the winner made %+v, and there is %+v, %v", winners[0], read, err)
	}
	var left []string
	for _, row := range w.rows("Blogs") {
		left = append(left, row.Row)
	}
	if !slices.Equal(left, []string{openGateRow(read.Incarnation), "sub!" + string(read.Owner)}) {
		t.Errorf("the partition holds %s, want the winner's gate and subscription alone", strings.Join(left, ", "))
	}
}

func lostGateKeepsName(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.post(channel, grace, "one")
	w.loseGate(channel)
	if _, err := w.store.CreateChannel(t.Context(), w.channel("garden", eve)); !errors.Is(err, domain.ErrExists) {
		t.Errorf("who wants the name is told %v", err)
	}
	if w.run(true); !slices.Equal(w.texts(channel.Ref()), []string{"one"}) {
		t.Errorf("after a repair, the channel has %q", w.texts(channel.Ref()))
	}
	w.mustBeSound()
}
