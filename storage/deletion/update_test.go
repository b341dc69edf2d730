package deletion_test

import (
	"reflect"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestDeletionUpdate(t *testing.T) {
	t.Run("deletion that is done stays done", bubble(doneDeletionStaysDone))
	t.Run("message of a request that died before its record replaces that of an earlier request", bubble(receivedReplacesEarlier))
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

func receivedReplacesEarlier(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Post(channel, ada, "a post")
	ref := w.askUndoable(channel)
	w.OK(w.undo(ref, ada))
	time.Sleep(time.Minute)
	w.mustLive(channel)
	w.Arm(drivertest.Only(func(call drivertest.Call) bool {
		return drivertest.Writes(call) && call.Target == "Deletions" && call.Partition == string(ref.Key)
	}, drivertest.FailBefore(1)))
	if _, err := w.Faulty.Deletions.Request(t.Context(), ref.Key, domain.By(ada), storetest.AnyIncarnation); err == nil {
		t.Fatal("a request that was to die succeeded")
	}
	for _, m := range w.Messages() {
		if over, err := w.Store.Operator.RecordReceived(t.Context(), m); over || err != nil {
			t.Errorf("the message asks for nothing: %t, %v", over, err)
		}
	}
	if d := w.deletion(ref); d.State != domain.DeletionQueued || d.UndoCount != 1 {
		t.Errorf("the record says %s of %d, want queued of 1", d.State, d.UndoCount)
	}
}
