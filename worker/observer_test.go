package worker

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

func TestObserver(t *testing.T) {
	t.Run("is told of each reconciling pass", bubble(observerOfPasses))
}

// A notebook is an observer that writes down how deliveries and passes end. Package telemetry
// tries the rest.
type notebook struct {
	noObserver
	mu    sync.Mutex
	lines []string
}

func (n *notebook) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notebook) Deliver(ctx context.Context, _ driver.Message, _ domain.Message) (context.Context, Handling) {
	return ctx, n
}

func (n *notebook) Pass(ctx context.Context) (context.Context, func(storage.Reconciled, error)) {
	return ctx, func(done storage.Reconciled, err error) { n.note("pass requeued %d %v", done.Requeued, err) }
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
