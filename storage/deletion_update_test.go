package storage_test

import (
	"reflect"
	"testing"
	"time"

	"microblogging/domain"
)

func TestDeletionUpdate(t *testing.T) {
	t.Run("deletion that is done stays done", bubble(doneDeletionStaysDone))
}

func doneDeletionStaysDone(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.ask(channel)
	messages := w.messages()
	w.carryOut(messages)
	done := w.deletion(channel.Ref())
	time.Sleep(time.Hour)
	w.ok(w.store.Operator.UpdateRecord(t.Context(), messageAbout(channel.Ref()), func(*domain.Deletion) bool {
		t.Error("a deletion that is done was to be changed")
		return true
	}))
	w.ok(w.store.Operator.RecordDeletion(t.Context(), messages[0]))
	w.ok(w.store.Operator.Messages().Send(t.Context(), messages[0].Encode()))
	w.poison()
	if n, err := w.store.Operator.Requeue(t.Context(), ""); err != nil || n != 0 {
		t.Errorf("requeued %d that are done, %v", n, err)
	}
	if now := w.deletion(channel.Ref()); !reflect.DeepEqual(now, done) || now.State != domain.DeletionDone {
		t.Errorf("the deletion that was %+v is %+v", done, now)
	}
}
