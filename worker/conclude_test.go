package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestConclude(t *testing.T) {
	for name, test := range concluded() {
		t.Run(name, bubble(func(t *testing.T) { test.run(newWorld(t, enoughPosts)) }))
	}
	t.Run("whose record is damaged is poisoned, and done once the record is deleted and it is requeued", bubble(damagedRecord))
	t.Run("that cannot be decoded is logged with its id and its beginning", bubble(undecodableIsLogged))
	t.Run("no outcome takes longer than the time to conclude", bubble(silentConclusionEnds))
}

// A conclusion is what becomes of a message whose handling meets something.
type conclusion struct {
	// before changes the message that is received, and what it says. It may be nil.
	before func(w *world, m *driver.Message, says *domain.Message)
	// hook makes calls fail. It may be nil.
	hook drivertest.Hook
	// last reports whether it is the last attempt, and stopping whether the process is to stop.
	last, stopping bool

	// end is what the observer is told, as a notebook says it.
	end string
	// state is that of the record, and waits tells that it says so.
	state domain.DeletionState
	waits bool
	// again is what the message counts when it is visible again, within 2 s; nil if it is not.
	again *domain.Message
	// stopped is how many messages wait for an operator.
	stopped int
}

const fine = ", unconcluded false, lost false, poisoned false"

func concluded() map[string]conclusion {
	refused := drivertest.Only(sweeps, func(context.Context, drivertest.Call, drivertest.Send) error { return errRefused })
	away := drivertest.Only(sweeps, func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected })
	delivered := func(times int64, accounted int64) func(*world, *driver.Message, *domain.Message) {
		return func(_ *world, m *driver.Message, says *domain.Message) {
			m.Deliveries, says.Accounted = times, accounted
		}
	}
	tried := func(_ *world, _ *driver.Message, says *domain.Message) { says.Attempts, says.Waits = 2, 7 }
	return map[string]conclusion{
		"that is done is deleted": {
			end: `done of "channel" failed false` + fine, state: domain.DeletionDone},
		"that comes again is done as well": {before: delivered(2, 0),
			end: `done of "channel" failed false` + fine, state: domain.DeletionDone},
		"that is refused is tried again, and counts": {hook: refused,
			end: `retry of "channel" failed true` + fine, state: domain.DeletionRunning, again: &domain.Message{Attempts: 1}},
		"that is refused the last time is poisoned": {hook: refused, last: true,
			end: `retry of "channel" failed true, unconcluded false, lost false, poisoned true`, state: domain.DeletionPoisoned, stopped: 1},
		"that is refused after it got further is tried again, and does not count": {hook: afterFirst(errRefused), last: true,
			end: `retry of "channel" failed true` + fine, state: domain.DeletionRunning, again: &domain.Message{}},
		"that is refused after it waited waits no more": {hook: refused, before: func(w *world, m *driver.Message, says *domain.Message) {
			says.Waits = 7
			w.ok(w.sound.Operator.UpdateRecord(w.t.Context(), *says, func(d *domain.Deletion) bool { d.WaitingSince = time.Now(); return true }))
		}, end: `retry of "channel" failed true` + fine, state: domain.DeletionRunning, again: &domain.Message{Attempts: 1}},
		"that gets no answer waits, and does not count": {hook: away, last: true,
			end: `wait of "channel" failed true` + fine, state: domain.DeletionRunning, waits: true, again: &domain.Message{Waits: 1}},
		"that gets no answer for the first time is tried soon, however often it was delivered": {hook: away, before: delivered(maxDeliveries, 0),
			end: `wait of "channel" failed true` + fine, state: domain.DeletionRunning, waits: true, again: &domain.Message{Waits: 1}},
		"that gets no answer after it got further waits anew": {hook: afterFirst(drivertest.ErrInjected), before: tried,
			end: `wait of "channel" failed true` + fine, state: domain.DeletionRunning, waits: true, again: &domain.Message{Attempts: 2, Waits: 1}},
		"that meets a bug is tried again, and counts": {hook: panicsIn(sweeps),
			end: `panic of "channel" failed true` + fine, state: domain.DeletionRunning, again: &domain.Message{Attempts: 1}},
		"of a process that stops is given back, and does not count": {stopping: true,
			end: `shutdown of "channel" failed true` + fine, state: domain.DeletionQueued, again: &domain.Message{}},
		"that cannot be decoded is poisoned": {before: func(_ *world, m *driver.Message, _ *domain.Message) { m.Text = "no message" },
			end: `permanent of "" failed true, unconcluded false, lost false, poisoned true`, state: domain.DeletionQueued, stopped: 1},
		"that another worker has received since is left to that worker": {before: func(_ *world, m *driver.Message, _ *domain.Message) { m.Receipt = "theirs" },
			end: `done of "channel" failed false, unconcluded true, lost true, poisoned false`, state: domain.DeletionDone},
		"that is refused and that another worker has received since is tried when that worker says": {hook: refused,
			before: func(_ *world, m *driver.Message, _ *domain.Message) { m.Receipt = "theirs" },
			end:    `retry of "channel" failed true, unconcluded true, lost true, poisoned false`, state: domain.DeletionRunning},
		"that meets a bug in its end is left to its lease": {hook: panicsIn(func(call drivertest.Call) bool { return call.Method == "Delete" }),
			end: `done of "channel" failed false, unconcluded true, lost false, poisoned false`, state: domain.DeletionDone},
		"that killed its workers a hundred times is tried": {before: delivered(maxDeliveries, 0),
			end: `done of "channel" failed false` + fine, state: domain.DeletionDone},
		"that killed its workers more often is poisoned": {before: delivered(maxDeliveries+1, 0),
			end: `permanent of "channel" failed true, unconcluded false, lost false, poisoned true`, state: domain.DeletionPoisoned, stopped: 1},
		"that killed as many since it ended in good order is tried": {before: delivered(2*maxDeliveries, maxDeliveries),
			end: `done of "channel" failed false` + fine, state: domain.DeletionDone},
		"that killed as many since it got further is tried": {before: func(w *world, m *driver.Message, says *domain.Message) {
			m.Deliveries = 2 * maxDeliveries
			w.ok(w.sound.Operator.UpdateRecord(w.t.Context(), *says, func(d *domain.Deletion) bool { d.LastDelivery = maxDeliveries; return true }))
		}, end: `done of "channel" failed false` + fine, state: domain.DeletionDone},
		"whose record cannot be read is poisoned": {hook: drivertest.Only(func(call drivertest.Call) bool { return ofDeletions(call) && call.Method == "Get" },
			func(context.Context, drivertest.Call, drivertest.Send) error { return errRefused }), last: true,
			end: `retry of "channel" failed true, unconcluded true, lost false, poisoned true`, state: domain.DeletionQueued, stopped: 1},
		"whose record gets no answer is delayed all the same": {hook: silentAfterRefusal(ofDeletions),
			end: `retry of "channel" failed true, unconcluded true, lost false, poisoned false`, state: domain.DeletionRunning, again: &domain.Message{Attempts: 1}},
		"whose record gets no answer is not poisoned, but waits": {hook: silentAfterRefusal(ofDeletions), last: true,
			end: `retry of "channel" failed true, unconcluded true, lost false, poisoned false`, state: domain.DeletionRunning, again: &domain.Message{Attempts: 1, Waits: 1}},
	}
}

func (c conclusion) run(w *world) {
	w.t.Helper()
	n, log := &notebook{}, &strings.Builder{}
	w.options.Observer, w.options.Log = n, slog.New(slog.NewTextHandler(log, nil))
	if c.last {
		w.options.MaxAttempts = 1
	}
	if c.hook != nil {
		w.hook = c.hook
	}
	w.mustAsk()
	m := w.receive()
	says, err := domain.DecodeMessage(m.Text)
	w.ok(err)
	if c.before != nil {
		text := m.Text
		if c.before(w, &m, &says); m.Text == text {
			m.Text = says.Encode()
		}
	}
	var stop chan struct{}
	if c.stopping {
		stop = make(chan struct{})
		close(stop)
	}
	j := New(w.faulty.Steps, w.options).newJob(m, stop)
	result, cause := j.work(w.t.Context())
	j.conclude(w.t.Context(), result, cause)

	if last := n.lines[len(n.lines)-1]; last != "end "+c.end {
		w.t.Errorf("told %s, want end %s", last, c.end)
	}
	concluded := strings.Contains(c.end, "unconcluded false")
	calm := concluded && (result == outcomeDone || result == outcomeShutdown)
	for text, logged := range map[string]bool{
		`level=INFO msg="message handled"`: calm, `level=ERROR msg="message handled"`: strings.Contains(c.end, "poisoned true"),
		`msg="message received again"`: m.Deliveries > 1,
		" unconcluded=":                !concluded, " cause=": cause != nil, "could not record": false,
	} {
		if strings.Contains(log.String(), text) != logged {
			w.t.Errorf("logged %q is not %t: %s", text, logged, log)
		}
	}
	d := w.deletion()
	if d.State != c.state || !d.WaitingSince.IsZero() != c.waits || strings.Contains(c.end, "lost true") && !d.RetryOn.IsZero() {
		w.t.Errorf("the record is %+v, want %s", d, c.state)
	}
	if stopped := w.stopped(); stopped != c.stopped {
		w.t.Errorf("%d messages wait for an operator, want %d", stopped, c.stopped)
	}
	time.Sleep(2 * time.Second) // longer than the first pause, and shorter than the lease
	if c.again == nil {
		if w.visible() != 0 {
			w.t.Error("the message is visible")
		}
		return
	}
	says, err = domain.DecodeMessage(w.receive().Text)
	w.ok(err)
	if says.Attempts != c.again.Attempts || says.Waits != c.again.Waits || says.Accounted != m.Deliveries {
		w.t.Errorf("the message reads %+v, want %+v", says, c.again)
	}
}

// errRefused is a failure that is no unavailability: the store answered.
var errRefused = errors.New("refused")

// afterFirst lets one transaction of a sweep through, and then fails.
func afterFirst(err error) drivertest.Hook {
	return drivertest.Only(sweeps, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq > 1 {
			return err
		}
		return send(ctx)
	})
}

// panicsIn panics in each call that matches.
func panicsIn(match func(drivertest.Call) bool) drivertest.Hook {
	return drivertest.Only(match, func(context.Context, drivertest.Call, drivertest.Send) error { panic("a bug of a library") })
}

func ofDeletions(call drivertest.Call) bool { return call.Target == "Deletions" }

// silentAfterRefusal refuses the work. From then on the calls that match get no answer.
func silentAfterRefusal(match func(drivertest.Call) bool) drivertest.Hook {
	silent := false
	return serial(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		switch {
		case sweeps(call):
			silent = true
			return errRefused
		case silent && match(call):
			<-ctx.Done()
			return ctx.Err()
		}
		return send(ctx)
	})
}

// serial lets one call at a time through a hook.
func serial(hook drivertest.Hook) drivertest.Hook {
	turn := make(chan struct{}, 1)
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		turn <- struct{}{}
		defer func() { <-turn }()
		return hook(ctx, call, send)
	}
}

func silentConclusionEnds(t *testing.T) {
	for result := outcomeDone; result <= outcomeLost; result++ {
		if !slices.Contains(Outcomes(), result.String()) {
			t.Errorf("%s is not listed", result)
		}
		for _, attempts := range []int{1, 5} {
			w := newWorld(t, 5)
			w.options.MaxAttempts = attempts
			w.hook = silentAfterRefusal(func(drivertest.Call) bool { return true })
			w.mustAsk()
			j := New(w.faulty.Steps, w.options).newJob(w.receive(), nil)
			cause := j.do(t.Context())
			began := time.Now()
			j.conclude(t.Context(), result, cause)
			if took := time.Since(began); took > concludeTime {
				t.Errorf("%s took %s of silence, want at most %s", result, took, concludeTime)
			}
		}
	}
}

// Another program, or a hand, has taken that time out of the record while the deletion could be undone.
func damagedRecord(t *testing.T) {
	w := newWorldOf(t, 5, storage.Options{Undo: time.Minute})
	w.mustAsk()
	record := func(o driver.Operation) {
		w.ok(driver.NewTable(w.db, "Deletions").Transact(t.Context(), string(w.victim.Key()), o))
	}
	record(driver.Replace(string(w.victim.Incarnation), driver.Exists, driver.String("State", domain.DeletionPending)))
	defer w.start(w.sound)()
	w.until("the message is poisoned", func() bool { return w.stopped() == 1 })
	record(driver.Delete(string(w.victim.Incarnation), driver.Exists))
	_, err := w.sound.Operator.Requeue(t.Context(), w.victim.Key())
	w.ok(err)
	w.until("the deletion is done", w.done)
	w.mustBeDeleted()
}

func undecodableIsLogged(t *testing.T) {
	w, log := newWorld(t, 0), &strings.Builder{}
	w.options.Log = slog.New(slog.NewTextHandler(log, nil))
	w.ok(w.sound.Operator.Messages().Send(t.Context(), "no\nmessage"+strings.Repeat("x", 200)))
	m := w.receive()
	if err := New(w.sound.Steps, w.options).Handle(t.Context(), m); err == nil {
		t.Error("it was handled")
	}
	if want := fmt.Sprintf(`message=%s text="no\nmessage%s"`, m.ID, strings.Repeat("x", 90)); !strings.Contains(log.String(), want) {
		t.Errorf("logged %s, want %s", log, want)
	}
}

// stopped counts the messages that wait for an operator.
func (w *world) stopped() (n int) {
	w.t.Helper()
	for _, err := range w.sound.Operator.PoisonMessages(w.t.Context()) {
		w.ok(err)
		n++
	}
	return n
}
