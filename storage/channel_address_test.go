package storage_test

import (
	"errors"
	"fmt"
	"testing"

	"microblogging/domain"
)

func TestChannelAddress(t *testing.T) {
	t.Run("channel is read if its incarnation is accepted", acceptedIncarnationIsRead)
	t.Run("what was made for one incarnation never lands in the next", staleRequestSparesNextIncarnation)
	t.Run("key that was used before makes no post in the next incarnation", usedKeyMakesNoPostInNextIncarnation)
}

// mustBeReplaced checks that a request was refused because of this channel.
func (w *world) mustBeReplaced(what string, by domain.Channel, err error) {
	w.t.Helper()
	var replaced *domain.ReplacedError
	if !errors.As(err, &replaced) || replaced.Current != by {
		w.t.Errorf("%s: %v, want to be refused because of the channel that has the name now", what, err)
	}
	if !errors.Is(err, domain.ErrConflict) || !errors.Is(err, domain.ErrNotFound) {
		w.t.Errorf("%s: %v is not both a conflict and not found", what, err)
	}
}

func acceptedIncarnationIsRead(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		old := w.create("garden", ada)
		at := old.Ref().Address()
		if got, err := w.store.ChannelAt(t.Context(), at); err != nil || got != old {
			t.Errorf("read %+v, %v", got, err)
		}
		for step, want := range []error{domain.ErrGone, domain.ErrGone, domain.ErrGone, domain.ErrGone, domain.ErrNotFound} {
			w.ok(cascade(w.store, old.Ref())[step](t.Context()))
			if _, err := w.store.ChannelAt(t.Context(), at); !errors.Is(err, want) || errors.Is(err, domain.ErrConflict) {
				t.Errorf("after step %d: %v, want %v", step+1, err, want)
			}
		}
		next := w.create("garden", eve)
		_, err := w.store.ChannelAt(t.Context(), at)
		w.mustBeReplaced("reading the old incarnation", next, err)
		for _, accepted := range []domain.Precondition[domain.Incarnation]{
			domain.Any[domain.Incarnation](), domain.OneOf(old.Incarnation, next.Incarnation),
		} {
			at.Expected = accepted
			if got, err := w.store.ChannelAt(t.Context(), at); err != nil || got != next {
				t.Errorf("read %+v, %v, want the next incarnation", got, err)
			}
		}
		at.Expected = domain.Precondition[domain.Incarnation]{}
		_, err = w.store.ChannelAt(t.Context(), at)
		w.mustBeReplaced("reading what accepts no incarnation", next, err)
	})
}

// A page is read, and then somebody deletes the channel and creates it again. What the
// page's reader sends is refused, or lands in the incarnation that was read, whatever
// happens between two calls of the request.
func staleRequestSparesNextIncarnation(t *testing.T) {
	for name, send := range map[string]func(w *world, at domain.ChannelAddress) error{
		"post": func(w *world, at domain.ChannelAddress) error {
			channel, err := w.faulty.ChannelAt(w.t.Context(), at)
			if err == nil {
				_, _, err = w.faulty.Post(w.t.Context(), posting(channel, grace, "for the old one"))
			}
			return err
		},
		"subscription": func(w *world, at domain.ChannelAddress) error {
			channel, err := w.faulty.ChannelAt(w.t.Context(), at)
			if err == nil {
				err = w.faulty.Subscribe(w.t.Context(), channel, grace)
			}
			return err
		},
		"description": func(w *world, at domain.ChannelAddress) error {
			channel, err := w.faulty.ChannelAt(w.t.Context(), at)
			if err == nil {
				_, err = w.faulty.Describe(w.t.Context(), channel.Ref(), ada, "for the old one")
			}
			return err
		},
	} {
		for steps := range stages {
			eachCall(t, fmt.Sprintf("%s is overtaken by %d steps", name, steps), func(w *world, n int) {
				old := w.create("garden", ada)
				w.arm(before(n, func() { w.advance(old, steps) }))
				err := send(w, old.Ref().Address())
				if w.calls.Load() < int64(n) {
					return
				}
				w.finishDeletion(old, steps)
				w.mustKeepTheNextIncarnation(old, steps >= 6)
				if steps < 6 {
					return
				}
				next, readErr := w.store.Channel(w.t.Context(), old.Key())
				w.ok(readErr)
				if err != nil {
					w.mustBeReplaced(name, next, err)
				}
				if next.Description != "" || w.subscribed(next, grace) {
					w.t.Errorf("the next incarnation is described as %q, or has the reader of the old one", next.Description)
				}
			})
		}
	}
}

func usedKeyMakesNoPostInNextIncarnation(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		old := w.create("garden", ada)
		w.post(old, grace, "one")
		w.delete(old)
		next := w.create("garden", ada)
		_, created, err := w.store.Post(t.Context(), posting(old, grace, "one"))
		w.mustBeReplaced("posting again", next, err)
		if created || len(w.texts(next.Ref())) != 0 {
			t.Errorf("created %v; the next incarnation has the posts %q", created, w.texts(next.Ref()))
		}
		w.mustBeSound()
	})
}
