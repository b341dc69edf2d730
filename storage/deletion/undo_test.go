package deletion_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestDeletionUndo(t *testing.T) {
	t.Run("is for the user who asked, of what was asked for", bubble(undoIsForWhoeverAsked))
	t.Run("is not repeated by a restore", bubble(undoneIsNotRepeated))
	t.Run("can be asked for until the time that was accepted first", bubble(secondRequestKeepsTheTime))
	t.Run("is not passed by the message of a request that the channel knows nothing of", bubble(unknownRequestIsIgnored))
	t.Run("leaves the deletion of a post alone", bubble(pendingChannelLosesDeletedPost))
	t.Run("that is asked for again undoes a request that died after its message, too", bubble(deadRequestIsUndone))
	t.Run("also records a request that was accepted meanwhile as undone", bubble(laterRequestIsRecordedUndone))
	t.Run("is too late once the deletion is done, even if a delayed insert brings the row back", bubble(doneIsNotUndone))
	t.Run("is too late if the store has lost the gate, and changes nothing", bubble(ungatedIsNotUndone))
	t.Run("is not recorded of a deletion that has ended, whose row a delayed insert brings back", bubble(endedIsNotRecordedUndone))
	t.Run("of a poisoned deletion leaves the next request on the index, whatever a pass does meanwhile", bubble(requestAfterPoisonStaysOnIndex))
	t.Run("of a request that is under way makes that fail", bubble(underWayIsUndone))
	t.Run("leaves the next request on the index if that dies, whatever a pass does meanwhile", bubble(recordOfDeadRequestStaysOnIndex))
}

// forgiving is a store on which the deletion of a channel can be undone.
func (w *world) forgiving() *storage.Parts {
	return storage.New(w.DB, storage.Options{Undo: 30 * time.Second})
}

func (w *world) askUndoable(channel domain.Channel) domain.ChannelRef {
	w.T.Helper()
	asked, err := w.forgiving().Deletions.Request(w.T.Context(), channel.Key(), domain.By(channel.Owner), storetest.AnyIncarnation)
	w.OK(err)
	return asked.Ref()
}

func (w *world) undo(ref domain.ChannelRef, by domain.UserName) error {
	_, err := w.Store.Deletions.Undo(w.T.Context(), ref, domain.By(by))
	return err
}

// mustLive: the channel has its post, whatever messages are handled, and the store is sound.
func (w *world) mustLive(channel domain.Channel) {
	w.T.Helper()
	for _, m := range w.Messages() {
		w.OK(w.Store.Operator.RecordDeletion(w.T.Context(), m))
		if there, err := w.Store.Operator.PassPivot(w.T.Context(), m); there || err != nil {
			w.T.Errorf("a worker goes on with %+v: %t, %v", m, there, err)
		}
	}
	if _, err := w.Store.Channels.Get(w.T.Context(), channel.Key().Address()); err != nil {
		w.T.Errorf("the channel is %v", err)
	}
	if got := w.Texts(channel.Ref()); !slices.Equal(got, []string{"a post"}) {
		w.T.Errorf("the posts are %q", got)
	}
	w.MustBeSound()
}

func undoIsForWhoeverAsked(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	if err := w.undo(channel.Ref(), ada); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("nothing was asked for, and is undone with %v", err)
	}
	ref := w.askUndoable(channel)
	if err := w.undo(ref, grace); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("another user undoes it with %v", err)
	}
	for range 2 {
		w.OK(w.undo(ref, ada))
	}
	w.mustLive(channel)
}

func undoneIsNotRepeated(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	w.OK(w.undo(w.askUndoable(channel), ada))
	if n, err := w.Store.Operator.RepeatDeletions(t.Context(), w.recordsOf()); n != 0 || err != nil {
		t.Errorf("%d deletions are repeated, %v", n, err)
	}
	w.mustLive(channel)
	w.askUndoable(channel)
	records := w.recordsOf()
	w.OK(w.undo(channel.Ref(), ada))
	if n, err := w.Store.Operator.RepeatDeletions(t.Context(), records); n != 0 || err != nil {
		t.Errorf("of an undoing that was not recorded, %d deletions are repeated, %v", n, err)
	}
	w.OK(w.Table("Channels").Transact(t.Context(), string(channel.Key()), // a backup knows nothing of what the records tell
		driver.Merge("", driver.Exists, driver.Int64("UndoCount", 1))))
	if n, err := w.Store.Operator.RepeatDeletions(t.Context(), records); n != 1 || err != nil {
		t.Errorf("%d deletions are repeated, %v", n, err)
	}
	if early := w.Messages(); len(early) > 0 {
		t.Errorf("a worker has %v, and it can be undone again", early)
	}
	time.Sleep(time.Minute)
	w.CarryOut(w.Messages())
	w.OK(w.Table("Deletions").Transact(t.Context(), string(channel.Key()), // the backup has an earlier record, too
		driver.Merge(string(channel.Incarnation), driver.Exists, driver.String("State", "done"))))
	w.MustBeGone(channel)
}

// Another request is accepted, a second later, while the first is about to mark the channel.
func secondRequestKeepsTheTime(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	once := false
	slow := storage.New(drivertest.NewFaults(w.DB, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Channels" && drivertest.Writes(call) && !once {
			once = true
			time.Sleep(time.Second)
			w.askUndoable(channel)
			time.Sleep(time.Second)
		}
		return send(ctx)
	}), storage.Options{Undo: 30 * time.Second})
	began := domain.Now()
	_, err := slow.Deletions.Request(t.Context(), channel.Key(), domain.By(ada), storetest.AnyIncarnation)
	w.OK(err)
	if now, err := w.Store.Operator.ReadChannel(t.Context(), channel.Key()); err != nil || !now.UndoableUntil.Equal(began.Add(31*time.Second)) {
		t.Errorf("it can be undone until %s after the first request, %v", now.UndoableUntil.Sub(began), err)
	}
}

func deadRequestIsUndone(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	ref := w.askUndoable(channel)
	w.OK(w.undo(ref, ada))
	died := errors.New("died")
	dying := storage.New(drivertest.NewFaults(w.DB, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Deletions" && call.Partition == string(ref.Key) { // the record, right after the message
			return died
		}
		return send(ctx)
	}), storage.Options{Undo: 30 * time.Second})
	if _, err := dying.Deletions.Request(t.Context(), ref.Key, domain.By(ada), storetest.AnyIncarnation); !errors.Is(err, died) {
		t.Fatalf("the second request answers %v", err)
	}
	w.OK(w.undo(ref, ada))
	time.Sleep(time.Minute)
	w.mustLive(channel)
}

func laterRequestIsRecordedUndone(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	ref, once := w.askUndoable(channel), false
	slow := storage.New(drivertest.NewFaults(w.DB, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Channels" && !once {
			once = true
			w.OK(w.undo(ref, ada))
			w.askUndoable(channel)
		}
		return send(ctx)
	}), storage.Options{Undo: 30 * time.Second})
	_, err := slow.Deletions.Undo(t.Context(), ref, domain.By(ada))
	w.OK(err)
	if d, err := w.Store.Deletions.Get(t.Context(), ref, domain.By(ada)); err != nil || d.State != domain.DeletionUndone {
		t.Errorf("the record says %q, %v", d.State, err)
	}
	w.mustLive(channel)
}

func doneIsNotUndone(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	row := w.Rows("Channels")[0]
	ref := w.askUndoable(channel)
	w.FinishDeletion(channel, 0)
	w.SetDone(ref)
	w.OK(w.Table("Channels").Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
	if err := w.undo(ref, ada); !errors.Is(err, domain.ErrTooLate) {
		t.Errorf("it is undone with %v", err)
	}
}

// The row comes back with the undo count that it began with. The message that ended the deletion is handled again,
// before anything says that it is done.
func endedIsNotRecordedUndone(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	row := w.Rows("Channels")[0]
	ref := w.askUndoable(channel)
	w.OK(w.undo(ref, ada))
	w.askUndoable(channel)
	time.Sleep(time.Minute)
	messages := w.Messages()
	w.FinishDeletion(channel, 0)
	w.OK(w.Table("Channels").Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
	_, err := w.Store.Operator.PassPivot(t.Context(), messages[len(messages)-1])
	w.OK(err)
	if state := w.deletion(ref).State; state == domain.DeletionUndone {
		t.Error("the deletion is recorded as undone")
	}
	w.MustBeGone(channel)
}

// The undo does not come to record itself, so the record is still poisoned. A pass reads that while the next request is
// under way, and the queue loses the message.
func requestAfterPoisonStaysOnIndex(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	ref := w.askUndoable(channel)
	time.Sleep(time.Minute)
	w.Poison()
	died := errors.New("died")
	at := func(hit func(drivertest.Call) bool, do func(ctx context.Context, send drivertest.Send) error) *storage.Parts {
		return storage.New(drivertest.NewFaults(w.DB, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if hit(call) {
				return do(ctx, send)
			}
			return send(ctx)
		}), storage.Options{Undo: 30 * time.Second})
	}
	dying := at(func(c drivertest.Call) bool { return c.Target == "Deletions" && drivertest.Writes(c) }, func(context.Context, drivertest.Send) error { return died })
	if _, err := dying.Deletions.Undo(t.Context(), ref, domain.By(ada)); !errors.Is(err, died) {
		t.Fatalf("the undo answers %v", err)
	}
	slow := at(func(c drivertest.Call) bool { return c.Method == "Send" }, func(ctx context.Context, send drivertest.Send) error {
		defer w.pass()
		return send(ctx)
	})
	_, err := slow.Deletions.Request(t.Context(), ref.Key, domain.By(ada), storetest.AnyIncarnation)
	w.OK(err)
	time.Sleep(time.Minute)
	w.Messages() // which are lost
	time.Sleep(time.Hour)
	if again := w.pass().Requeued; again != 1 {
		t.Errorf("a later pass queues %d deletions again, want 1", again)
	}
}

// A channel came back with a backup, and the queue has a message of later.
func unknownRequestIsIgnored(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	m := storetest.MessageAbout(channel.Ref())
	m.UndoCount, m.RequestedOn, m.RequestedBy = 1, domain.Now(), ada
	w.OK(w.Store.Operator.ListDeletion(t.Context(), m))
	w.OK(w.Store.Operator.Messages().Send(t.Context(), m.Encode()))
	w.mustLive(channel)
}

// The deletion of a post was accepted before that of its channel, which is undone.
func pendingChannelLosesDeletedPost(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	deleted := w.Post(channel, ada, "another")
	message := domain.Message{Kind: domain.MessageBlog, Channel: channel.Key(), Incarnation: channel.Incarnation, RequestedBy: ada, RequestedOn: domain.Now(),
		Blog: deleted.ID, Revision: deleted.Revision}
	w.askUndoable(channel)
	w.OK(w.Store.Operator.FinishBlog(t.Context(), message, func(int) {}))
	w.OK(w.undo(channel.Ref(), ada))
	w.mustLive(channel)
}

// A pass reads the undone record while the next request is about to replace it. The request dies, and the queue loses
// its message.
func recordOfDeadRequestStaysOnIndex(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	ref := w.askUndoable(channel)
	w.OK(w.undo(ref, ada))
	if w.pass(); len(w.openDeletions()) > 0 {
		t.Error("what was undone stays on the index, where an operator reads that it is open")
	}
	w.Messages()
	died, met := errors.New("died"), false
	dying := storage.New(drivertest.NewFaults(w.DB, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if len(call.Operations) == 0 || call.Partition != string(ref.Key) || call.Operations[0].Action != driver.ActionMerge {
			return send(ctx)
		}
		if !met {
			met = true
			w.pass()
		}
		if err := send(ctx); err != nil {
			return err
		}
		return died
	}), storage.Options{Undo: 30 * time.Second})
	if _, err := dying.Deletions.Request(t.Context(), ref.Key, domain.By(ada), storetest.AnyIncarnation); !errors.Is(err, died) || !met {
		t.Fatalf("the second request answers %v", err)
	}
	if d := w.deletion(ref); d.State != domain.DeletionPending {
		t.Fatalf("the record says %q", d.State)
	}
	time.Sleep(time.Hour)
	w.Messages() // which the queue has lost
	time.Sleep(time.Hour)
	w.pass()
	time.Sleep(time.Hour)
	if lost := w.Messages(); len(lost) != 1 {
		t.Errorf("the record says %q, and a pass sends %v", w.deletion(ref).State, lost)
	}
}

// underWayIsUndone: the user finds the record on the list of deletions, before the channel is pending.
func underWayIsUndone(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	slow := storage.New(drivertest.NewFaults(w.DB, drivertest.Only(func(call drivertest.Call) bool {
		return drivertest.Writes(call) && call.Target == "Channels"
	}, storetest.Before(1, func() { w.OK(w.undo(channel.Ref(), ada)) }))), storage.Options{Undo: 30 * time.Second})
	if _, err := slow.Deletions.Request(t.Context(), channel.Key(), domain.By(ada), storetest.AnyIncarnation); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("the request ends with %v", err)
	}
	time.Sleep(time.Minute)
	w.mustLive(channel)
}

func ungatedIsNotUndone(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	ref := w.askUndoable(channel)
	w.OK(w.Table("Blogs").Transact(t.Context(), "garden", driver.Delete(storetest.OpenGateRow(channel.Incarnation), driver.Exists)))
	before := w.Rows("Channels")
	if err := w.undo(ref, ada); !errors.Is(err, domain.ErrTooLate) {
		t.Errorf("it is undone with %v", err)
	}
	if after := w.Rows("Channels"); after[0].ETag != before[0].ETag {
		t.Errorf("the channel was %v and is %v", before, after)
	}
}
