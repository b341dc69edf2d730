package deletion_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage/internal/storetest"
)

func (w *world) deletion(ref domain.ChannelRef) domain.Deletion {
	w.T.Helper()
	d, err := w.Store.Deletions.Get(w.T.Context(), ref, domain.By(ada))
	w.OK(err)
	return d
}

func TestDeletionAsk(t *testing.T) {
	t.Run("accepted deletion is queued, recorded and hidden", bubble(acceptedDeletionIsQueuedRecordedHidden))
}

func acceptedDeletionIsQueuedRecordedHidden(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	asked := domain.Now()
	accepted, err := w.Store.Deletions.Request(t.Context(), channel.Key(), domain.By(ada), storetest.AnyIncarnation)
	if err != nil || accepted.Ref() != channel.Ref() {
		t.Errorf("asked to delete %+v, accepted %+v, %v", channel.Ref(), accepted, err)
	}
	want := domain.Deletion{
		Channel: channel.Ref(), Name: "Garden", RequestedBy: ada, RequestedOn: asked,
		State: domain.DeletionQueued, UpdatedOn: asked,
	}
	if got := w.deletion(channel.Ref()); !reflect.DeepEqual(got, want) {
		t.Errorf("recorded %+v\nwant %+v", got, want)
	}
	if _, err := w.Store.Channels.Get(t.Context(), channel.Key().Address()); !errors.Is(err, domain.ErrGone) {
		t.Errorf("the channel is read as %v", err)
	}
	wantMessage := domain.Message{
		Kind: domain.MessageChannel, Channel: "garden", Incarnation: channel.Incarnation, Name: "Garden", RequestedBy: ada, RequestedOn: asked, QueuedOn: asked,
	}
	messages := w.Messages()
	if !slices.Equal(messages, []domain.Message{wantMessage}) {
		t.Errorf("queued %+v\nwant %+v", messages, wantMessage)
	}
	w.CarryOut(messages)
	w.MustBeGone(channel)
}
