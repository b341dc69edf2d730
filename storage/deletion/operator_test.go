package deletion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

var otto, olivia = domain.Actor{User: "otto", Operator: true}, domain.Actor{User: "olivia", Operator: true}

func TestDeletionByOperator(t *testing.T) {
	t.Run("is read by the owner, who cannot undo it, and undone by any operator", bubble(operatorDeletes))
	t.Run("is the operator’s also if their request dies before its record", bubble(recordOfWorkerNamesOperator))
	t.Run("is the operator’s also after a restore has repeated it", bubble(repeatedNamesOperator))
	t.Run("is among those that wait for an operator, if it is poisoned", bubble(operatorReadsPoisoned))
	t.Run("leaves the owner’s own deletion to the owner", bubble(ownDeletionStaysOwn))
	t.Run("is not undone by an owner who has read the record of an earlier request", bubble(earlierRecordUndoesNothing))
}

func (w *world) undoAs(ref domain.ChannelRef, by domain.Actor) error {
	_, err := w.Store.Deletions.Undo(w.T.Context(), ref, by)
	return err
}

// closed is a channel with a post that an operator has deleted.
func (w *world) closed() domain.Channel {
	w.T.Helper()
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	_, err := w.forgiving().Deletions.Request(w.T.Context(), channel.Key(), otto, storetest.AnyIncarnation)
	w.OK(err)
	return channel
}

func operatorDeletes(t *testing.T, w *world) {
	channel := w.closed()
	for _, by := range []domain.Actor{domain.By(ada), otto, olivia} {
		d, err := w.Store.Deletions.Get(t.Context(), channel.Ref(), by)
		if w.OK(err); d.RequestedBy != ada || d.ByOperator != otto.User {
			t.Errorf("%s reads %+v", by.User, d)
		}
	}
	if list, err := w.Store.Deletions.List(t.Context(), ada, "", 10); err != nil || len(list.Items) != 1 || list.Items[0].ByOperator != otto.User {
		t.Errorf("the owner's list is %+v, %v", list.Items, err)
	}
	for _, by := range []domain.Actor{domain.By(ada), domain.By(grace), domain.By(otto.User)} {
		if err := w.undoAs(channel.Ref(), by); !errors.Is(err, domain.ErrForbidden) {
			t.Errorf("%+v undoes it with %v", by, err)
		}
	}
	w.OK(w.undoAs(channel.Ref(), olivia))
	w.mustLive(channel)
}

func recordOfWorkerNamesOperator(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	died := errors.New("died")
	dying := storage.New(drivertest.NewFaults(w.DB, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Deletions" && drivertest.Writes(call) && call.Partition == string(channel.Key()) {
			return died
		}
		return send(ctx)
	}), storage.Options{Undo: 30 * time.Second})
	if _, err := dying.Deletions.Request(t.Context(), channel.Key(), otto, storetest.AnyIncarnation); !errors.Is(err, died) {
		t.Fatalf("the request answers %v", err)
	}
	time.Sleep(time.Minute)
	for _, m := range w.Messages() {
		_, err := w.Store.Operator.RecordReceived(t.Context(), m)
		w.OK(err)
	}
	if err := w.undoAs(channel.Ref(), domain.By(ada)); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the owner undoes it with %v", err)
	}
	w.OK(w.undoAs(channel.Ref(), otto))
}

func repeatedNamesOperator(t *testing.T, w *world) {
	channel := w.closed()
	records := w.recordsOf()
	w.OK(w.undoAs(channel.Ref(), otto))
	w.OK(w.Table("Channels").Transact(t.Context(), string(channel.Key()), driver.Merge("", driver.Exists, driver.Int64("UndoCount", 0))))
	w.OK(w.Table("Deletions").Transact(t.Context(), string(channel.Key()), driver.Delete(string(channel.Incarnation), driver.Exists)))
	if n, err := w.Store.Operator.RepeatDeletions(t.Context(), records); n != 1 || err != nil {
		t.Fatalf("%d deletions are repeated, %v", n, err)
	}
	if err := w.undoAs(channel.Ref(), domain.By(ada)); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the owner undoes it with %v", err)
	}
}

func operatorReadsPoisoned(t *testing.T, w *world) {
	channel := w.closed()
	time.Sleep(time.Minute)
	w.Poison()
	if waiting, err := w.Store.Deletions.Poisoned(t.Context(), 10); err != nil || len(waiting) != 1 || waiting[0].Ref() != channel.Ref() {
		t.Errorf("%+v wait, %v", waiting, err)
	}
}

func ownDeletionStaysOwn(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	ref := w.askUndoable(channel)
	_, err := w.forgiving().Deletions.Request(t.Context(), channel.Key(), otto, storetest.AnyIncarnation)
	w.OK(err)
	if d, err := w.Store.Deletions.Get(t.Context(), ref, otto); err != nil || d.ByOperator != "" {
		t.Errorf("the record is %+v, %v", d, err)
	}
	if err := w.undoAs(ref, otto); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("an operator undoes it with %v", err)
	}
	w.OK(w.undoAs(ref, domain.By(ada)))
	w.mustLive(channel)
}

// The owner undoes their own deletion on two devices. Between what the second one reads and what it writes, the first one
// has undone it, and an operator has deleted the channel.
func earlierRecordUndoesNothing(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	ref := w.askUndoable(channel)
	once := false
	slow := storage.New(drivertest.NewFaults(w.DB, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Channels" && !once {
			once = true
			if !drivertest.Writes(call) { // read first, then let the others go on
				defer func() {
					w.OK(w.undoAs(ref, domain.By(ada)))
					_, err := w.forgiving().Deletions.Request(ctx, channel.Key(), otto, storetest.AnyIncarnation)
					w.OK(err)
				}()
			}
		}
		return send(ctx)
	}), storage.Options{Undo: 30 * time.Second})
	if _, err := slow.Deletions.Undo(t.Context(), ref, domain.By(ada)); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the second device undoes it with %v", err)
	}
	if _, err := w.Store.Channels.Get(t.Context(), channel.Key().Address()); !errors.Is(err, domain.ErrGone) {
		t.Errorf("the channel reads %v", err)
	}
}
