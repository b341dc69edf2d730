package channel_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/internal/storetest"
)

func TestChannelAddress(t *testing.T) {
	t.Run("channel is read if its incarnation is accepted", bubble(acceptedIncarnationIsRead))
}

// mustBeReplaced checks that a request was refused because of this channel.
func (w *world) mustBeReplaced(what string, by domain.Channel, err error) {
	w.T.Helper()
	var replaced *domain.ReplacedError
	if !errors.As(err, &replaced) || replaced.Current != by {
		w.T.Errorf("%s: %v, want to be refused because of the channel that has the name now", what, err)
	}
	if !errors.Is(err, domain.ErrConflict) || !errors.Is(err, domain.ErrNotFound) {
		w.T.Errorf("%s: %v is not both a conflict and not found", what, err)
	}
}

func acceptedIncarnationIsRead(t *testing.T, w *world) {
	old := w.Create("garden", ada)
	at := old.Ref().Address()
	if got, err := w.Store.Channels.Get(t.Context(), at); err != nil || got != old {
		t.Errorf("read %+v, %v", got, err)
	}
	for step, want := range []error{domain.ErrGone, domain.ErrGone, domain.ErrGone, domain.ErrGone, domain.ErrNotFound} {
		w.OK(storetest.Cascade(w.Store, old.Ref())[step](t.Context()))
		if _, err := w.Store.Channels.Get(t.Context(), at); !errors.Is(err, want) || errors.Is(err, domain.ErrConflict) {
			t.Errorf("after step %d: %v, want %v", step+1, err, want)
		}
	}
	next := w.Create("garden", eve)
	_, err := w.Store.Channels.Get(t.Context(), at)
	w.mustBeReplaced("reading the old incarnation", next, err)
	for _, accepted := range []domain.Precondition[domain.Incarnation]{
		storetest.AnyIncarnation, domain.OneOf(old.Incarnation, next.Incarnation),
	} {
		at.Expected = accepted
		if got, err := w.Store.Channels.Get(t.Context(), at); err != nil || got != next {
			t.Errorf("read %+v, %v, want the next incarnation", got, err)
		}
	}
	at.Expected = domain.Precondition[domain.Incarnation]{}
	_, err = w.Store.Channels.Get(t.Context(), at)
	w.mustBeReplaced("reading what accepts no incarnation", next, err)
}
