package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestObserver(t *testing.T) {
	t.Run("is told of each delivery, its steps and its rows", bubble(observerOfDeliveries))
	t.Run("is told of each reconciling pass", bubble(observerOfPasses))
	t.Run("gives the store its context", bubble(observerGivesContext))
}

// A notebook is an observer that writes down what it is told.
type notebook struct {
	mu    sync.Mutex
	lines []string
	rows  int
}

func (n *notebook) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

type noted struct{}

func (n *notebook) Deliver(ctx context.Context, delivery driver.Message, message domain.Message) (context.Context, Handling) {
	n.note("delivery %d of %q", delivery.Deliveries, message.Kind)
	return context.WithValue(ctx, noted{}, "delivery"), n
}

func (n *notebook) Pass(ctx context.Context) (context.Context, func(storage.Reconciled, error)) {
	return ctx, func(done storage.Reconciled, err error) { n.note("pass requeued %d %v", done.Requeued, err) }
}

func (n *notebook) Step(ctx context.Context, step domain.Step) (context.Context, func(error)) {
	return context.WithValue(ctx, noted{}, step), func(err error) { n.note("step %s failed %t", step, err != nil) }
}

func (n *notebook) Removed(rows int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rows += rows
}

func (n *notebook) End(e End) {
	n.note("end %s of %q failed %t, unconcluded %t, lost %t, poisoned %t",
		e.Outcome, e.Kind, e.Cause != nil, e.Unconcluded != nil, e.LeaseLost, e.Poisoned)
}

func (n *notebook) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(n.lines, want) {
		t.Errorf("told:\n%s\nwant:\n%s", strings.Join(n.lines, "\n"), strings.Join(want, "\n"))
	}
	n.lines = nil
}

// observe makes a world whose workers tell an observer, which it returns.
func observe(t *testing.T, posts int) (*world, *notebook) {
	t.Helper()
	w, n := newWorld(t, posts), &notebook{}
	w.options.Observer = n
	return w, n
}

func observerOfDeliveries(t *testing.T) {
	w, n := observe(t, 3)
	w.mustAsk()
	w.hook = drivertest.Only(sweeps, func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected })
	if err := New(w.faulty, w.options).Handle(t.Context(), w.receive()); err == nil {
		t.Fatal("the sweep did not fail")
	}
	n.want(t, `delivery 1 of "channel"`, "step mark failed false", "step shut failed false", "step sweep failed true",
		`end wait of "channel" failed true, unconcluded false, lost false, poisoned false`)
	time.Sleep(2 * time.Second)
	w.ok(New(w.sound, w.options).Handle(t.Context(), w.receive()))
	n.want(t, `delivery 2 of "channel"`, "step mark failed false", "step shut failed false", "step sweep failed false",
		"step disarm failed false", "step release failed false",
		`end done of "channel" failed false, unconcluded false, lost false, poisoned false`)
	if deleted := w.deletion().RowsDeleted; deleted == 0 || int64(n.rows) != deleted {
		t.Errorf("told of %d rows, deleted %d", n.rows, deleted)
	}
}

func observerOfPasses(t *testing.T) {
	w, n := observe(t, 0)
	stop := w.start(w.sound)
	w.until("a pass was made", func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return len(n.lines) > 0
	})
	stop()
	if n.lines[0] != "pass requeued 0 <nil>" {
		t.Errorf("told %q", n.lines)
	}
}

func observerGivesContext(t *testing.T) {
	w, _ := observe(t, 1)
	w.mustAsk()
	m := w.receive()
	seen := map[any]bool{}
	w.hook = serial(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		seen[ctx.Value(noted{})] = true
		return send(ctx)
	})
	w.ok(New(w.faulty, w.options).Handle(t.Context(), m))
	for _, want := range []any{"delivery", domain.StepMark, domain.StepShut, domain.StepSweep, domain.StepDisarm, domain.StepRelease} {
		if !seen[want] {
			t.Errorf("no call of the store was made in %v", want)
		}
	}
	if seen[nil] {
		t.Error("a call of the store was made outside the delivery")
	}
}
