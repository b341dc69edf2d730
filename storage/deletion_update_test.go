package storage_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestDeletionUpdate(t *testing.T) {
	t.Run("deletion that is done stays done", bubble(doneDeletionStaysDone))
	t.Run("echo is recognised after others wrote", bubble(updateEchoIsRecognised))
	t.Run("change that declines writes nothing", bubble(declinedUpdateWritesNothing))
}

func doneDeletionStaysDone(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.ask(channel)
	messages := w.messages()
	w.carryOut(messages)
	done := w.deletion(channel.Ref())
	time.Sleep(time.Hour)
	w.ok(w.store.UpdateDeletion(t.Context(), channel.Ref(), func(*domain.Deletion) bool {
		t.Error("a deletion that is done was to be changed")
		return true
	}))
	w.ok(w.store.RecordDeletion(t.Context(), messages[0]))
	w.ok(w.store.Messages().Send(t.Context(), messages[0].Encode()))
	w.poison()
	if n, err := w.store.Requeue(t.Context(), ""); err != nil || n != 0 {
		t.Errorf("requeued %d that are done, %v", n, err)
	}
	if now := w.deletion(channel.Ref()); !reflect.DeepEqual(now, done) || now.State != domain.DeletionDone {
		t.Errorf("the deletion that was %+v is %+v", done, now)
	}
}

func addRows(n int64) func(*domain.Deletion) bool {
	return func(d *domain.Deletion) bool { d.RowsDeleted += n; d.State = domain.DeletionRunning; return true }
}

// An echo is recognised if fewer than eight others have written since.
func updateEchoIsRecognised(t *testing.T, w *world) {
	ref := w.ask(w.create("garden", ada))
	w.arm(drivertest.Only(drivertest.Writes, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		_ = send(ctx) // the answer that is lost
		for range 7 {
			w.ok(w.store.UpdateDeletion(ctx, ref, addRows(1)))
		}
		return send(ctx)
	}))
	w.ok(w.faulty.UpdateDeletion(t.Context(), ref, addRows(1)))
	if got := w.deletion(ref).RowsDeleted; got != 8 {
		t.Errorf("%d rows are counted, want 8", got)
	}
}

func declinedUpdateWritesNothing(t *testing.T, w *world) {
	ref := w.ask(w.create("garden", ada))
	before := w.rows("Deletions")
	time.Sleep(time.Minute)
	w.ok(w.store.UpdateDeletion(t.Context(), ref, func(d *domain.Deletion) bool { d.RowsDeleted = 9; return false }))
	if after := w.rows("Deletions"); after[0].ETag != before[0].ETag {
		t.Errorf("the row was %+v and is %+v", before[0], after[0])
	}
	if err := w.store.UpdateDeletion(t.Context(), domain.ChannelRef{Key: "never", Incarnation: ref.Incarnation}, addRows(1)); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("progress of a deletion that never was: %v", err)
	}
}
