package storage_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"microblogging/domain"
)

var anyIncarnation = domain.Any[domain.Incarnation]()

func (w *world) ask(channel domain.Channel) domain.ChannelRef {
	w.t.Helper()
	asked, err := w.store.Deletions.Request(w.t.Context(), channel.Key(), channel.Owner, anyIncarnation)
	w.ok(err)
	return asked.Ref()
}

func (w *world) deletion(ref domain.ChannelRef) domain.Deletion {
	w.t.Helper()
	d, err := w.store.Deletions.Get(w.t.Context(), ref, ada)
	w.ok(err)
	return d
}

// change changes the row of a deletion.
func (w *world) change(ref domain.ChannelRef, change func(d *domain.Deletion)) {
	w.t.Helper()
	w.ok(w.store.Operator.UpdateRecord(w.t.Context(), messageAbout(ref), func(d *domain.Deletion) bool { change(d); return true }))
}

func (w *world) setDone(ref domain.ChannelRef) {
	w.t.Helper()
	w.change(ref, func(d *domain.Deletion) { d.State, d.FinishedOn = domain.DeletionDone, domain.Now() })
}

const someTraceParent domain.TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestDeletionAsk(t *testing.T) {
	t.Run("accepted deletion is queued, recorded and hidden", bubble(acceptedDeletionIsQueuedRecordedHidden))
}

func acceptedDeletionIsQueuedRecordedHidden(t *testing.T, w *world) {
	channel := w.create("Garden", ada)
	asked := domain.Now()
	accepted, err := w.store.Deletions.Request(domain.WithTraceParent(t.Context(), someTraceParent), channel.Key(), ada, anyIncarnation)
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
	if _, err := w.store.Channels.Get(t.Context(), channel.Key().Address()); !errors.Is(err, domain.ErrGone) {
		t.Errorf("the channel is read as %v", err)
	}
	wantMessage := domain.Message{
		Kind: domain.MessageChannel, Channel: "garden", Incarnation: channel.Incarnation, Name: "Garden", RequestedBy: ada, RequestedOn: asked, QueuedOn: asked,
		TraceParent: someTraceParent,
	}
	messages := w.messages()
	if !slices.Equal(messages, []domain.Message{wantMessage}) {
		t.Errorf("queued %+v\nwant %+v", messages, wantMessage)
	}
	w.carryOut(messages)
	w.mustKeepTheNextIncarnation(channel, false)
}
