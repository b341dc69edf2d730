package deletion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestDeletionRepeat(t *testing.T) {
	t.Run("of a channel that came back is asked for as it was", bubble(repeatAsksAgain))
	t.Run("of a channel that came back from before an undoing is carried out", bubble(repeatCountsAsTheChannel))
	t.Run("leaves a channel alone that came back pending, and whose deletion was undone later", bubble(undoneStaysUndoneAfterRestore))
	t.Run("undoes the request that was undone alone", bubble(undoIsRepeatedOfItsRequestAlone))
	t.Run("spares the next incarnation, and what is not about a channel", repeatSparesOthers)
}

// recordsOf is what a store keeps of its deletions.
func (w *world) recordsOf() []domain.Deletion {
	w.T.Helper()
	records, err := w.Store.Operator.DeletionRecords(w.T.Context())
	w.OK(err)
	return records
}

// deletedElsewhere is the channel's deletion as another store has recorded it, which has
// gone on from the same backup. This store has the channel.
func deletedElsewhere(w *world, channel domain.Channel) []domain.Deletion {
	w.T.Helper()
	other := newWorld(w.T)
	w.OK(other.Store.Operator.RecordDeletion(w.T.Context(), domain.Message{
		Kind: domain.MessageChannel, Channel: channel.Key(), Incarnation: channel.Incarnation, Name: channel.Name, RequestedBy: ada, RequestedOn: domain.Now(),
		UndoableUntil: domain.Now().Add(time.Hour), // which no longer counts
	}))
	other.SetDone(channel.Ref())
	return other.recordsOf()
}

func repeatAsksAgain(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	records := deletedElsewhere(w, channel)
	n, err := w.Store.Operator.RepeatDeletions(t.Context(), records)
	if err != nil || n != 1 {
		t.Fatalf("%d were repeated (%v)", n, err)
	}
	if _, err := w.Store.Channels.Get(t.Context(), channel.Key().Address()); !errors.Is(err, domain.ErrGone) {
		t.Errorf("the channel is %v", err)
	}
	d := w.deletion(channel.Ref())
	page, err := w.Store.Deletions.List(t.Context(), ada, "", 10)
	if err != nil || len(page.Items) != 1 || d.State != domain.DeletionQueued || d.Name != "Garden" {
		t.Errorf("the deletion is %+v, and the list %+v (%v)", d, page.Items, err)
	}
	if queued, err := w.Store.Operator.Messages().Length(t.Context()); err != nil || queued != 1 {
		t.Errorf("%d messages (%v)", queued, err)
	}
	if n, err := w.Store.Operator.RepeatDeletions(t.Context(), records); err != nil || n != 0 {
		t.Errorf("%d were repeated twice (%v)", n, err)
	}
}

// The record is of the second request. The channel came back from before the first.
func repeatCountsAsTheChannel(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	n, err := w.Store.Operator.RepeatDeletions(t.Context(), []domain.Deletion{{
		Channel: channel.Ref(), Name: channel.Name, RequestedBy: ada, RequestedOn: domain.Now(), UndoCount: 1,
	}})
	messages := w.Messages()
	if err != nil || n != 1 || len(messages) != 1 {
		t.Fatalf("%d were repeated with %d messages (%v)", n, len(messages), err)
	}
	if there, err := w.Store.Operator.PassPivot(t.Context(), messages[0]); err != nil || !there {
		t.Errorf("a worker goes on: %t, %v", there, err)
	}
}

func repeatSparesOthers(t *testing.T) {
	w := newWorld(t)
	gone := w.Create("Garden", ada)
	w.Ask(gone)
	w.SetDone(gone.Ref()) // which leaves a row of the index
	next := newWorld(t)
	channel := next.Create("Garden", ada)
	row := string(channel.Incarnation) + "!" + string(domain.NewBlogID(domain.Now())) + "!" + string(domain.NewRevision())
	w.OK(driver.NewTable(w.DB, "Deletions").Transact(t.Context(), "garden", driver.Insert(row)))
	records := w.recordsOf()
	if n, err := next.Store.Operator.RepeatDeletions(t.Context(), records); err != nil || n != 0 || len(records) != 1 {
		t.Errorf("%d were repeated of %v (%v)", n, records, err)
	}
	if got, err := next.Store.Channels.Get(t.Context(), channel.Key().Address()); err != nil || got.Incarnation != channel.Incarnation {
		t.Errorf("the channel is %+v (%v)", got, err)
	}
}

// A backup was taken while the deletion was pending. It was undone later, as a later record says.
func undoneStaysUndoneAfterRestore(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	w.Post(channel, ada, "a post")
	ref := w.askUndoable(channel)
	row, record := w.Rows("Channels")[0], w.Rows("Deletions")[0]
	w.OK(w.undo(ref, ada))
	records := w.recordsOf()
	w.OK(w.Table("Channels").Transact(t.Context(), row.Partition, driver.Replace(row.Row, driver.Upsert, row.Properties...)))
	w.OK(w.Table("Deletions").Transact(t.Context(), record.Partition, driver.Replace(record.Row, driver.Upsert, record.Properties...)))
	for range 2 {
		if n, err := w.Store.Operator.RepeatDeletions(t.Context(), records); err != nil || n != 0 {
			t.Errorf("%d deletions were repeated (%v)", n, err)
		}
	}
	if state := w.deletion(ref).State; state != domain.DeletionUndone {
		t.Errorf("it is recorded as %s", state)
	}
	time.Sleep(time.Hour)
	w.mustLive(channel)
}

// undoIsRepeatedOfItsRequestAlone: not of a deletion past the pivot, nor of a later request.
func undoIsRepeatedOfItsRequestAlone(t *testing.T, w *world) {
	late, later := w.Create("Late", ada), w.Create("Later", ada)
	w.askUndoable(late)
	m := storetest.MessageAbout(late.Ref())
	_, err := w.Store.Operator.PassPivot(t.Context(), m)
	w.OK(err)
	w.OK(w.undo(w.askUndoable(later), ada))
	w.askUndoable(later)
	undone := func(of domain.Channel) domain.Deletion {
		return domain.Deletion{Channel: of.Ref(), Name: of.Name, RequestedBy: ada, RequestedOn: domain.Now(), State: domain.DeletionUndone}
	}
	_, err = w.Store.Operator.RepeatDeletions(t.Context(), []domain.Deletion{undone(late), undone(later)})
	w.OK(err)
	for channel, want := range map[domain.ChannelKey]domain.ChannelState{late.Key(): domain.ChannelDeleting, later.Key(): domain.ChannelPending} {
		if row, err := w.Store.Operator.ReadChannel(t.Context(), channel); err != nil || row.State != want {
			t.Errorf("%s is %s, want %s (%v)", channel, row.State, want, err)
		}
	}
	w.Arm(func(_ context.Context, c drivertest.Call, _ drivertest.Send) error { return drivertest.ErrInjected })
	if _, err := w.Faulty.Operator.RepeatDeletions(t.Context(), []domain.Deletion{undone(later)}); err == nil {
		t.Error("a store that does not answer is no error")
	}
}
