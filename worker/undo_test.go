package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
)

func TestUndo(t *testing.T) {
	t.Run("a deletion is carried out when it cannot be undone any more, and not before", bubble(sweptOnceTimeIsOver))
	t.Run("what was undone is untouched by its message, and can be deleted again", bubble(undoneIsUntouched))
	t.Run("a lost message is replaced when the time is over, and not before", bubble(lostMessageIsReplaced))
	t.Run("no clock of the process that was asked ends the time early or late", bubble(clocksDiffer))
	t.Run("the message of a request that died does not end the time of the next", bubble(deadRequestEndsNoUndo))
	t.Run("a message that is made anew from the channel's row does not end the time early", bubble(rebuiltMessageIsDelayed))
	t.Run("a deletion that could be undone ends with its owner's account, and waits for nothing", bubble(immediateMessageCounts))
	t.Run("what can be undone is not due, also when the request met another write", bubble(metByWriteIsNotDue))
}

const undoTime = 30 * time.Second

// askUndoable asks for the victim's deletion, which can be undone.
func (w *world) askUndoable() {
	w.t.Helper()
	w.ok(w.ask(storage.New(w.db, storage.Options{Undo: undoTime})))
	if d := w.deletion(); d.State != domain.DeletionPending || !d.UndoableUntil.Equal(d.RequestedOn.Add(undoTime)) {
		w.t.Errorf("asked, the deletion is %+v", d)
	}
	w.mustBeHidden()
}

// mustBeHidden: the channel is being deleted as far as readers can tell, and its name is not free.
func (w *world) mustBeHidden() {
	w.t.Helper()
	if _, err := w.sound.Channels.Get(w.t.Context(), w.victim.Key().Address()); !errors.Is(err, domain.ErrGone) {
		w.t.Errorf("the channel is read as %v", err)
	}
	again, err := domain.NewChannel("Victim", domain.About{}, visitor)
	w.ok(err)
	if _, _, err := w.sound.Channels.Create(w.t.Context(), again, domain.PostersOpen, "", 0); !errors.Is(err, domain.ErrStillDeleting) {
		w.t.Errorf("the name is taken with %v", err)
	}
}

func (w *world) undo() {
	w.t.Helper()
	undone, err := w.sound.Deletions.Undo(w.t.Context(), w.victim.Ref(), domain.By(owner))
	w.ok(err)
	if shown, err := w.sound.Channels.Get(w.t.Context(), w.victim.Key().Address()); err != nil || shown != undone {
		w.t.Errorf("undone as %+v, and read as %+v, %v", undone, shown, err)
	}
}

func sweptOnceTimeIsOver(t *testing.T) {
	w := newWorld(t, 5)
	began := time.Now()
	w.askUndoable()
	stop := w.start(w.sound)
	time.Sleep(undoTime - time.Second)
	w.mustBeHidden()
	w.mustBeSoundWithin(0)
	if d := w.deletion(); d.State != domain.DeletionPending || len(d.StepLog) > 0 {
		t.Errorf("before the time is over, the deletion is %+v", d)
	}
	w.until("the deletion is done", w.done)
	stop()
	if took := time.Since(began); took > undoTime+5*time.Second {
		t.Errorf("it took %s", took)
	}
	w.mustBeDeleted()
	if _, err := w.sound.Deletions.Undo(t.Context(), w.victim.Ref(), domain.By(owner)); !errors.Is(err, domain.ErrTooLate) {
		t.Errorf("undone after it with %v", err)
	}
}

func immediateMessageCounts(t *testing.T) {
	w := newWorld(t, 5)
	w.askUndoable()
	time.Sleep(time.Second)
	w.ok(w.sound.Operator.EraseChannel(t.Context(), w.victim.Key(), owner))
	stop := w.start(w.sound)
	time.Sleep(undoTime / 2)
	stop()
	if !w.done() {
		t.Errorf("after the message that waits for nothing, the deletion is %+v", w.deletion())
	}
}

func undoneIsUntouched(t *testing.T) {
	w := newWorld(t, 5)
	stop := w.start(w.sound)
	for range 2 {
		w.askUndoable()
		time.Sleep(undoTime - time.Second)
		w.undo()
		w.undo() // to undo it again is no error
		time.Sleep(10 * time.Minute)
		if d := w.deletion(); d.State != domain.DeletionUndone || w.visible() > 0 {
			t.Errorf("long after it was undone, the deletion is %+v", d)
		}
		w.mustBeSound()
		page, err := w.sound.Posts.List(t.Context(), w.victim.Ref(), storage.BlogQuery{Limit: 10})
		if err != nil || len(page.Items) != 5 {
			t.Errorf("%d posts are left of 5 (%v)", len(page.Items), err)
		}
		if open, err := w.sound.Operator.Backlog(t.Context()); err != nil || open.Open > 0 {
			t.Errorf("the backlog is %+v, %v", open, err)
		}
	}
	w.askUndoable()
	w.until("the deletion is done", w.done)
	stop()
	w.mustBeDeleted()
}

func lostMessageIsReplaced(t *testing.T) {
	w := newWorld(t, 5)
	w.askUndoable()
	time.Sleep(undoTime) // until it is visible
	w.ok(w.sound.Operator.Messages().Delete(t.Context(), w.receive()))
	for _, after := range []time.Duration{-time.Second, time.Second} {
		until := w.deletion().UndoableUntil.Add(after)
		if done, err := w.sound.Operator.Reconcile(t.Context(), 0, until); err != nil || done.Requeued != int(max(after, 0)/time.Second) {
			t.Errorf("a pass %s after the time requeues %+v, %v", after, done, err)
		}
	}
	w.finish()
	w.mustBeDeleted()
}

// skewed moves the times in all rows, as a process whose clock is off had written them, but for the
// time of the request, which the message has as well.
func (w *world) skewed(by time.Duration) {
	w.t.Helper()
	for _, name := range []string{schema.TableChannels, schema.TableDeletions, schema.TableUsers} {
		table := driver.NewTable(w.db, name)
		for row, err := range table.All(w.t.Context(), driver.Scan{}) {
			w.ok(err)
			var times driver.Properties
			for _, p := range row.Properties {
				if on := row.Properties.Time(p.Name); !on.IsZero() && p.Name != schema.PropRequestedOn {
					times = append(times, driver.Time(p.Name, on.Add(by)))
				}
			}
			if len(times) > 0 {
				w.ok(table.Transact(w.t.Context(), row.Partition, driver.Merge(row.Row, driver.Exists, times...)))
			}
		}
	}
}

// mustBePendingFor requires that the deletion can be undone for this long, while workers run.
func (w *world) mustBePendingFor(d time.Duration) {
	w.t.Helper()
	time.Sleep(d)
	w.mustBeHidden()
	if row, err := w.sound.Operator.ReadChannel(w.t.Context(), w.victim.Key()); err != nil || row.State != domain.ChannelPending {
		w.t.Errorf("before the time is over, the channel is %s, %v", row.State, err)
	}
}

// receiveAfter takes the one message that the queue holds after a while.
func (w *world) receiveAfter(d time.Duration) driver.Message {
	w.t.Helper()
	time.Sleep(d)
	return w.receive()
}

func clocksDiffer(t *testing.T) {
	for _, by := range []time.Duration{-domain.ClockMargin, -10 * time.Minute, 10 * time.Minute, domain.ClockMargin} {
		w := newWorld(t, 5)
		w.askUndoable()
		w.skewed(by)
		stop := w.start(w.sound)
		w.mustBePendingFor(undoTime - time.Second)
		time.Sleep(6 * time.Second)
		if !w.done() {
			t.Errorf("five seconds after the time, with a clock off by %s, the deletion is %+v", by, w.deletion())
		}
		stop()
	}
}

func deadRequestEndsNoUndo(t *testing.T) {
	w := newWorldOf(t, 5, storage.Options{Undo: undoTime})
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == schema.TableDeletions && drivertest.Writes(call) && call.Operations[0].Action == driver.ActionInsert {
			return drivertest.ErrInjected // after its message
		}
		return send(ctx)
	}
	if err := w.ask(w.faulty); err == nil {
		t.Fatal("the first request did not die")
	}
	stop := w.start(w.sound)
	time.Sleep(undoTime - 5*time.Second)
	w.askUndoable()
	if b, err := w.sound.Operator.Backlog(t.Context()); err != nil || b.Open != 0 {
		t.Errorf("while it can be undone, the backlog is %+v, %v", b, err)
	}
	w.mustBePendingFor(undoTime - time.Second)
	if d := w.deletion(); d.State != domain.DeletionPending || d.StepLog.Workers() > 0 {
		t.Errorf("the message of the request that died has changed the record: %+v", d)
	}
	w.until("the deletion is done", w.done)
	stop()
	w.mustBeDeleted()
}

// The record is lost. By the clock of the pass that writes it anew, 5 s are left; by that which the user
// was told, it may be more.
func rebuiltMessageIsDelayed(t *testing.T) {
	w := newWorld(t, 5)
	w.askUndoable()
	w.skewed(5 * time.Second)
	w.ok(w.sound.Operator.Messages().Delete(t.Context(), w.receiveAfter(undoTime)))
	w.ok(driver.NewTable(w.db, schema.TableDeletions).Transact(t.Context(), string(w.victim.Key()),
		driver.Delete(string(w.victim.Incarnation), driver.Exists)))
	if done, err := w.sound.Operator.Reconcile(t.Context(), 0, time.Now().Add(time.Hour)); err != nil || done.Requeued != 1 {
		t.Fatalf("a pass requeues %+v, %v", done, err)
	}
	stop := w.start(w.sound)
	w.mustBePendingFor(domain.MaxUndo - time.Second)
	w.until("the deletion is done", w.done)
	stop()
}

// The owner changes the description while the deletion is asked for.
func metByWriteIsNotDue(t *testing.T) {
	w := newWorldOf(t, 5, storage.Options{Undo: undoTime})
	met := false
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if !met && call.Target == schema.TableChannels && drivertest.Writes(call) {
			met = true
			_, err := w.sound.Channels.Update(t.Context(), w.victim.Ref(), owner, func(*domain.About) error { return nil })
			w.ok(err)
		}
		return send(ctx)
	}
	w.ok(w.ask(w.faulty))
	w.mustBeHidden()
	if b, err := w.sound.Operator.Backlog(t.Context()); err != nil || b.Open != 0 {
		t.Errorf("while it can be undone, the backlog is %+v, %v", b, err)
	}
}
