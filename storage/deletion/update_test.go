package deletion_test

import (
	"reflect"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/internal/storetest"
)

func TestDeletionUpdate(t *testing.T) {
	t.Run("deletion that is done stays done", bubble(doneDeletionStaysDone))
}

func doneDeletionStaysDone(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Ask(channel)
	messages := w.Messages()
	w.CarryOut(messages)
	done := w.deletion(channel.Ref())
	time.Sleep(time.Hour)
	w.OK(w.Store.Operator.UpdateRecord(t.Context(), storetest.MessageAbout(channel.Ref()), func(*domain.Deletion) bool {
		t.Error("a deletion that is done was to be changed")
		return true
	}))
	w.OK(w.Store.Operator.RecordDeletion(t.Context(), messages[0]))
	w.OK(w.Store.Operator.Messages().Send(t.Context(), messages[0].Encode()))
	w.Poison()
	if n, err := w.Store.Operator.Requeue(t.Context(), ""); err != nil || n != 0 {
		t.Errorf("requeued %d that are done, %v", n, err)
	}
	if now := w.deletion(channel.Ref()); !reflect.DeepEqual(now, done) || now.State != domain.DeletionDone {
		t.Errorf("the deletion that was %+v is %+v", done, now)
	}
}
