package worker

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/account"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
)

func TestReconcile(t *testing.T) {
	t.Run("removes what has expired at the start and once a day; in the next pass, and then each hour, if the store does not answer", bubble(expiresOnceADay))
	t.Run("removes the record of a deletion when its time is over, and a message that comes later changes nothing", bubble(prunesOnceADay))
	t.Run("a worker that stalls until its record was removed has nothing to do", bubble(stalledWorkerFindsNoRecord))
	t.Run("does nothing while this clock is ahead of the store's by more than the tolerance", bubble(passesNeedClock))
	t.Run("does nothing before the store has told its time", bubble(passesNeedTime))
	t.Run("costs less than 20 requests a minute while workers are idle", bubble(idleWorkersCostLittle))
}

// The store does not answer the first three times: about sessions, about users, about sessions. Until
// it has answered, each pass counts as failed.
func expiresOnceADay(t *testing.T) {
	w := newWorld(t, 0)
	var log lockedLog
	w.options.Log = slog.New(slog.NewTextHandler(&log, nil))
	c := newCounted()
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		err := c.hook(ctx, call, send)
		if sessions := c.of("Scan Sessions"); call.Target == "Sessions" && sessions%2 == 1 && sessions <= 3 ||
			call.Target == "Users" && call.Method == driver.CallScan && sessions == 2 {
			return drivertest.ErrInjected
		}
		return err
	}
	stop, began := w.start(w.faulty), time.Now()
	for _, at := range []struct {
		time  time.Duration
		reads int
	}{{10 * time.Minute, 2}, {70 * time.Minute, 3}, {130 * time.Minute, 4}, {26 * time.Hour, 4}, {27 * time.Hour, 5}, {51 * time.Hour, 6}} {
		time.Sleep(at.time - time.Since(began))
		minutes, failed := int(at.time/time.Minute), strings.Count(log.String(), "reconciling pass failed")
		if sessions, passes := c.of("Scan Sessions"), c.of("Scan Deletions"); sessions != at.reads || passes < minutes*8/10 {
			t.Errorf("after %s, the sessions were read %d times in %d passes, want %d", at.time, sessions, passes, at.reads)
		}
		if failed != strings.Count(log.String(), "\n") || at.reads < 4 && failed < minutes*8/10 || failed > 160 {
			t.Errorf("after %s, %d passes have failed, and others found nothing; the log says:\n%s", at.time, failed, log.String())
		}
	}
	stop()
}

// A lockedLog is read while others write to it.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A timed store has a clock, and this process is ahead of it by that much. It tells the time if it answers.
type timed struct {
	driver.Backend
	ahead   time.Duration
	answers bool
}

func (s *timed) Capabilities() driver.Capabilities {
	c := s.Backend.Capabilities()
	c.Clock = func() (store, here time.Time, known bool) {
		here = time.Now()
		return here.Add(-s.ahead), here, s.answers
	}
	return c
}

// In a bubble, an account asks to be deleted, and its time is over. A session has expired, and the record of a
// deletion is old.
func newOverdue(t *testing.T) (w *world, store *timed, workers *storage.Parts) {
	w = newWorldOf(t, 1, storage.Options{UndoAccount: 24 * time.Hour})
	w.mustAsk()
	w.finish()
	_, err := w.sound.Operator.SignUp(t.Context(), string(visitor), "correct horse battery")
	w.ok(err)
	attempt := account.Attempt{Name: string(visitor), Password: "correct horse battery"}
	_, _, err = w.sound.Accounts.SignIn(t.Context(), attempt)
	w.ok(err)
	_, err = w.sound.Accounts.Delete(t.Context(), attempt, false)
	w.ok(err)
	time.Sleep(30 * 24 * time.Hour)
	w.options.KeepDeletions = 24 * time.Hour
	store = &timed{Backend: w.db, answers: true}
	return w, store, storage.New(store, storage.Options{UndoAccount: 24 * time.Hour})
}

// rows counts the sessions and the records of deletions.
func (w *world) rows() (n int) {
	w.t.Helper()
	for _, table := range []string{schema.TableSessions, schema.TableDeletions} {
		for row, err := range driver.NewTable(w.db, table).All(w.t.Context(), driver.Scan{}) {
			w.ok(err)
			if table == schema.TableSessions || schema.Of(table, row.Partition, row.Row) == schema.Deletion {
				n++
			}
		}
	}
	return n
}

// mustSpare runs a worker for an hour, whose passes must fail and remove nothing.
func (w *world) mustSpare(workers *storage.Parts, sentence string) {
	w.t.Helper()
	n, before := &notebook{}, w.rows()
	w.options.Observer = n
	stop := w.start(workers)
	time.Sleep(time.Hour)
	stop()
	e, err := w.sound.Accounts.Erasure(w.t.Context(), visitor)
	if w.ok(err); e.State != domain.AccountPending {
		w.t.Errorf("the account is %s", e.State)
	}
	if after := w.rows(); after != before {
		w.t.Errorf("of %d sessions and records, %d are left", before, after)
	}
	if told := n.lines; len(told) < 40 || slices.ContainsFunc(told, func(line string) bool { return !strings.Contains(line, sentence) }) {
		w.t.Errorf("the observer is told %q, want %q of each pass", told, sentence)
	}
}

func passesNeedClock(t *testing.T) {
	w, store, workers := newOverdue(t)
	store.ahead = domain.ClockTolerance + time.Second
	w.mustSpare(workers, "set this clock")
	store.ahead = domain.ClockTolerance
	before := w.rows()
	stop := w.start(workers)
	w.until("the account is gone", func() bool {
		e, err := w.sound.Accounts.Erasure(t.Context(), visitor)
		w.ok(err)
		return e.State == domain.AccountGone
	})
	stop()
	if after := w.rows(); after >= before {
		t.Errorf("with a clock that is right enough, %d sessions and records are left of %d", after, before)
	}
}

func passesNeedTime(t *testing.T) {
	w, store, workers := newOverdue(t)
	store.answers = false
	w.mustSpare(workers, "not told")
}

// counted counts calls by what they are.
type counted struct {
	mu    sync.Mutex
	calls map[string]int
}

func newCounted() *counted { return &counted{calls: map[string]int{}} }

func (c *counted) hook(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
	c.mu.Lock()
	c.calls[string(call.Method)+" "+call.Target]++
	c.mu.Unlock()
	return send(ctx)
}

func (c *counted) of(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[what]
}

func (c *counted) total() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, calls := range c.calls {
		n += calls
	}
	return n
}

// Three workers are idle. Every request counts: also the looks at the queue of deletions.
func idleWorkersCostLittle(t *testing.T) {
	w := newWorld(t, 0)
	c := newCounted()
	s := storage.New(drivertest.NewFaults(drivertest.Far(w.db), c.hook), storage.Options{})
	for range 3 {
		defer w.start(s)()
	}
	time.Sleep(10 * time.Minute)
	before := c.total()
	const minutes = 60
	time.Sleep(minutes * time.Minute)
	if n := c.total() - before; n >= 20*minutes {
		t.Errorf("%.1f requests a minute", float64(n)/minutes)
	}
}

// Its message is delivered once more, after the record has gone.
func prunesOnceADay(t *testing.T) {
	w := newWorld(t, 3)
	w.mustAsk()
	message := w.receive()
	w.options.KeepDeletions = 36 * time.Hour
	w.finish()
	stop := w.start(w.sound)
	time.Sleep(35 * time.Hour)
	if d := w.deletion(); d.State != domain.DeletionDone {
		t.Errorf("after a day, the deletion is recorded as %q", d.State)
	}
	time.Sleep(24 * time.Hour)
	w.ok(w.sound.Operator.Messages().Send(t.Context(), message.Text))
	time.Sleep(time.Minute)
	stop()
	for row, err := range driver.NewTable(w.db, "Deletions").All(t.Context(), driver.Scan{}) {
		if w.ok(err); row.Partition != schema.VersionPartition {
			t.Errorf("of a deletion that ended two days ago, this is left: %v", row)
		}
	}
	if n := w.visible(); n > 0 {
		t.Errorf("%d messages are left", n)
	}
	w.mustBeDeleted()
}

// A worker stalls before it first records that it works, until the deletion has ended and its record is gone.
func stalledWorkerFindsNoRecord(t *testing.T) {
	w := newWorld(t, 3)
	w.mustAsk()
	message := w.receive()
	stalled := true
	w.hook = drivertest.Only(drivertest.Writes, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if stalled && call.Target == "Deletions" {
			stalled = false
			w.ok(New(w.sound.Steps, w.options).Handle(ctx, message))
			_, err := w.sound.Operator.Prune(ctx, 0)
			w.ok(err)
		}
		return send(ctx)
	})
	w.options.MaxAttempts = 1
	if err := New(w.faulty.Steps, w.options).Handle(t.Context(), message); err != nil || stalled {
		t.Errorf("a worker that has stalled until the record was removed fails with %v", err)
	}
	w.mustBeDeleted()
}
