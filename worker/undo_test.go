package worker

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

func TestUndo(t *testing.T) {
	t.Run("a deletion is carried out when it cannot be undone any more, and not before", bubble(sweptOnceTimeIsOver))
	t.Run("a message that arrives early is put back for the rest of the time, without an attempt", bubble(earlyMessageIsPutBack))
	t.Run("what was undone is untouched by its message, and can be deleted again", bubble(undoneIsUntouched))
	t.Run("a lost message is replaced when the time is over, and not before", bubble(lostMessageIsReplaced))
	t.Run("a time that no sound clock has written is over", bubble(strangeTimeIsOver))
	t.Run("a clock that is ahead prolongs no deletion beyond its time", bubble(aheadIsNotWaitedFor))
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
	if _, err := w.sound.Channel(w.t.Context(), w.victim.Key()); !errors.Is(err, domain.ErrGone) {
		w.t.Errorf("the channel is read as %v", err)
	}
	again, err := domain.NewChannel("Victim", domain.About{}, visitor)
	w.ok(err)
	if _, err := w.sound.CreateChannel(w.t.Context(), again); !errors.Is(err, domain.ErrStillDeleting) {
		w.t.Errorf("the name is taken with %v", err)
	}
}

func (w *world) undo() {
	w.t.Helper()
	undone, err := w.sound.Undo(w.t.Context(), w.victim.Ref(), owner)
	w.ok(err)
	if shown, err := w.sound.Channel(w.t.Context(), w.victim.Key()); err != nil || shown != undone {
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
	if d := w.deletion(); d.State != domain.DeletionPending || len(d.Trace) > 0 {
		t.Errorf("before the time is over, the deletion is %+v", d)
	}
	w.until("the deletion is done", w.done)
	stop()
	if took := time.Since(began); took > undoTime+5*time.Second {
		t.Errorf("it took %s", took)
	}
	w.mustBeDeleted()
	if _, err := w.sound.Undo(t.Context(), w.victim.Ref(), owner); !errors.Is(err, domain.ErrTooLate) {
		t.Errorf("undone after it with %v", err)
	}
}

func earlyMessageIsPutBack(t *testing.T) {
	w := newWorld(t, 5)
	w.options.MaxAttempts = 1
	w.askUndoable()
	w.ok(w.sound.Messages().Send(t.Context(), w.deletion().Message().Encode())) // a copy that is not hidden
	stop := w.start(w.sound)
	time.Sleep(undoTime / 2)
	if d := w.deletion(); d.State != domain.DeletionPending || d.Attempts > 0 || d.Trace.Workers() != 1 {
		t.Errorf("after a copy arrived early, the deletion is %+v", d)
	}
	time.Sleep(undoTime/2 + 5*time.Second)
	stop()
	if !w.done() {
		t.Errorf("when the time was over, the deletion is %+v", w.deletion())
	}
	w.mustBeDeleted()
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
		page, err := w.sound.Blogs(t.Context(), w.victim.Ref(), storage.BlogQuery{Limit: 10})
		if err != nil || len(page.Items) != 5 {
			t.Errorf("%d posts are left of 5 (%v)", len(page.Items), err)
		}
		if open, err := w.sound.Backlog(t.Context()); err != nil || open.Open > 0 {
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
	w.ok(w.sound.Messages().Delete(t.Context(), w.receive()))
	for _, after := range []time.Duration{-time.Second, time.Second} {
		until := w.deletion().UndoableUntil.Add(after)
		if done, err := w.sound.Reconcile(t.Context(), 0, until); err != nil || done.Requeued != int(max(after, 0)/time.Second) {
			t.Errorf("a pass %s after the time requeues %+v, %v", after, done, err)
		}
	}
	w.finish()
	w.mustBeDeleted()
}

// A clock that was ahead has written until when the deletion can be undone.
func strangeTimeIsOver(t *testing.T) {
	w := newWorld(t, 5)
	w.ok(w.ask(storage.New(w.db, storage.Options{Undo: 2 * domain.MaxUndo})))
	w.finish()
	w.mustBeDeleted()
}

// A web role whose clock is ahead by minutes has asked for a deletion that can be undone for a second.
func aheadIsNotWaitedFor(t *testing.T) {
	w := newWorld(t, 5)
	asked := domain.Now().Add(4 * time.Minute)
	m := domain.Message{Kind: domain.MessageChannel, Channel: w.victim.Key(), Incarnation: w.victim.Incarnation,
		Name: w.victim.Name, By: owner, AskedOn: asked, UndoableUntil: asked.Add(time.Second)}
	w.ok(w.sound.Messages().Send(t.Context(), m.Encode()))
	stop := w.start(w.sound)
	time.Sleep(10 * time.Second)
	stop()
	if !w.done() {
		t.Errorf("after ten seconds, the deletion is %+v", w.deletion())
	}
}
