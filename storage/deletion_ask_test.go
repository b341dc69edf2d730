package storage_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

var anyIncarnation = domain.Any[domain.Incarnation]()

func (w *world) ask(channel domain.Channel) domain.ChannelRef {
	w.t.Helper()
	asked, err := w.store.AskDeletion(w.t.Context(), channel.Key(), channel.Owner, anyIncarnation)
	w.ok(err)
	return asked.Ref()
}

func (w *world) deletion(ref domain.ChannelRef) domain.Deletion {
	w.t.Helper()
	d, err := w.store.Deletion(w.t.Context(), ref, ada)
	w.ok(err)
	return d
}

// change changes the row of a deletion.
func (w *world) change(ref domain.ChannelRef, change func(d *domain.Deletion)) {
	w.t.Helper()
	w.ok(w.store.UpdateDeletion(w.t.Context(), ref, func(d *domain.Deletion) bool { change(d); return true }))
}

func (w *world) setDone(ref domain.ChannelRef) {
	w.t.Helper()
	w.change(ref, func(d *domain.Deletion) { d.State, d.FinishedOn = domain.DeletionDone, domain.Now() })
}

const someTraceParent domain.TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestDeletionAsk(t *testing.T) {
	t.Run("accepted deletion is queued, recorded and hidden", bubble(acceptedDeletionIsQueuedRecordedHidden))
	t.Run("only the owner may ask and follow", bubble(onlyOwnerDeletesChannel))
	t.Run("another incarnation is a conflict", bubble(askForAnotherIncarnationIsConflict))
	t.Run("second request returns the deletion under way", bubble(askAgainReturnsDeletionUnderWay))
}

func acceptedDeletionIsQueuedRecordedHidden(t *testing.T, w *world) {
	channel := w.create("Garden", ada)
	asked := domain.Now()
	accepted, err := w.store.AskDeletion(storage.WithTraceParent(t.Context(), someTraceParent), channel.Key(), ada, anyIncarnation)
	if err != nil || accepted.Ref() != channel.Ref() {
		t.Errorf("asked to delete %+v, accepted %+v, %v", channel.Ref(), accepted, err)
	}
	want := domain.Deletion{
		Channel: channel.Ref(), Name: "Garden", RequestedBy: ada, RequestedOn: asked,
		State: domain.DeletionQueued, UpdatedOn: asked, TraceParent: someTraceParent,
	}
	if got := w.deletion(channel.Ref()); !reflect.DeepEqual(got, want) {
		t.Errorf("recorded %+v\nwant %+v", got, want)
	}
	if _, err := w.store.Channel(t.Context(), channel.Key()); !errors.Is(err, domain.ErrGone) {
		t.Errorf("the channel is read as %v", err)
	}
	wantMessage := domain.Message{
		Kind: domain.MessageChannel, Channel: "garden", Incarnation: channel.Incarnation, Name: "Garden", By: ada, AskedOn: asked, QueuedOn: asked,
		TraceParent: someTraceParent,
	}
	messages := w.messages()
	if !slices.Equal(messages, []domain.Message{wantMessage}) {
		t.Errorf("queued %+v\nwant %+v", messages, wantMessage)
	}
	w.carryOut(messages)
	w.mustKeepTheNextIncarnation(channel, false)
}

func onlyOwnerDeletesChannel(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	for _, by := range []domain.UserName{grace, ""} {
		if _, err := w.store.AskDeletion(t.Context(), channel.Key(), by, anyIncarnation); !errors.Is(err, domain.ErrForbidden) {
			t.Errorf("asked by %q: %v", by, err)
		}
	}
	if messages := w.messages(); len(messages) != 0 {
		t.Errorf("a refused request queued %+v", messages)
	}
	if _, err := w.store.AskDeletion(t.Context(), "never", ada, anyIncarnation); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("deleting a channel that never was: %v", err)
	}
	if _, err := w.store.Deletion(t.Context(), channel.Ref(), ada); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a deletion that nobody asked for: %v", err)
	}
	w.ask(channel)
	if _, err := w.store.Deletion(t.Context(), channel.Ref(), grace); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("followed by another: %v", err)
	}
}

func askForAnotherIncarnationIsConflict(t *testing.T, w *world) {
	first := w.create("garden", ada)
	w.delete(first)
	second := w.create("garden", ada)
	for _, expected := range []domain.Precondition[domain.Incarnation]{domain.OneOf(first.Incarnation), {}, domain.OneOf[domain.Incarnation]()} {
		if _, err := w.store.AskDeletion(t.Context(), "garden", ada, expected); !errors.Is(err, domain.ErrConflict) {
			t.Errorf("asked under %+v: %v", expected, err)
		}
	}
	if _, err := w.store.Channel(t.Context(), "garden"); err != nil || len(w.messages()) != 0 {
		t.Errorf("a refused request has had an effect: %v", err)
	}
	_, err := w.store.AskDeletion(t.Context(), "garden", ada, domain.OneOf(first.Incarnation, second.Incarnation))
	w.ok(err)
}

func askAgainReturnsDeletionUnderWay(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.post(channel, grace, "one")
	first := w.ask(channel)
	messages := w.messages()
	for i, step := range cascade(w.store, channel.Ref())[:4] {
		w.ok(step(t.Context()))
		again, err := w.store.AskDeletion(t.Context(), channel.Key(), ada, domain.OneOf(channel.Incarnation))
		if err != nil || again.Ref() != first {
			t.Errorf("asked again after step %d: %+v, %v", i+1, again, err)
		}
	}
	w.carryOut(append(messages, w.messages()...))
	w.mustKeepTheNextIncarnation(channel, false)
}
