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
	t.Run("is told of each reconciling pass", bubble(observerOfPasses))
	t.Run("is told of the steps of each delivery, and of the rows that it removed", bubble(observerOfDeliveries))
}

// A notebook is an observer that writes down what it is told.
type notebook struct {
	mu      sync.Mutex
	lines   []string
	removed int
}

func (n *notebook) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notebook) Deliver(driver.Message) Handling { return n }

func (n *notebook) Pass(done storage.Reconciled, err error) {
	n.note("pass requeued %d %v", done.Requeued, err)
}

func (n *notebook) Step(step domain.Step, took time.Duration) { n.note("step %s %s", step, took) }

func (n *notebook) Removed(rows int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.removed += rows
}

func (n *notebook) End(e End) {
	n.note("end %s of %q failed %t, unconcluded %t, lost %t, poisoned %t",
		e.Outcome, e.Kind, e.Cause != nil, e.Unconcluded != nil, e.LeaseLost, e.Poisoned)
}

func observerOfPasses(t *testing.T) {
	w, n := newWorld(t, 0), &notebook{}
	w.options.Observer = n
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

func observerOfDeliveries(t *testing.T) {
	w, n := newWorld(t, enoughPosts), &notebook{}
	w.options.Observer = n
	w.mustAsk()
	// Each transaction of the first sweep takes a second, and the second one fails.
	failing := afterFirst(drivertest.ErrInjected)
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if sweeps(call) {
			time.Sleep(time.Second)
		}
		return failing(ctx, call, send)
	}
	x := New(w.faulty.Steps, w.options)
	if err := x.Handle(t.Context(), w.receive()); err == nil {
		t.Error("no failure")
	}
	w.hook = drivertest.Pass
	time.Sleep(5 * time.Second) // longer than the first pause
	w.ok(x.Handle(t.Context(), w.receive()))
	want := []string{
		"step pivot 0s", "step shut 0s", "step sweep 1s", `end wait of "channel" failed true` + fine,
		"step pivot 0s", "step shut 0s", "step sweep 0s", "step remove-gate 0s", "step release 0s", `end done of "channel" failed false` + fine,
	}
	if rows := 3*enoughPosts + 2; !slices.Equal(n.lines, want) || n.removed != rows {
		t.Errorf("told of %d rows, want %d, and:\n%s", n.removed, rows, strings.Join(n.lines, "\n"))
	}
}
