package telemetry

import (
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/worker"
)

// Deliver implements worker.Observer.
func (t *Telemetry) Deliver(delivery driver.Message) worker.Handling {
	t.inProgress.Inc()
	if delivery.Deliveries > 1 {
		t.again.Inc()
	}
	return &handling{t, time.Now()}
}

// Pass implements worker.Observer.
func (t *Telemetry) Pass(done storage.Reconciled, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	t.passes.WithLabelValues(outcome).Inc()
	for what, n := range map[string]int{"requeued": done.Requeued, "ungated": done.Ungated, "expired": done.Expired, "pruned": done.Pruned} {
		t.repaired.WithLabelValues(what).Add(float64(n))
	}
}

// A handling is told how one delivery goes.
type handling struct {
	*Telemetry
	began time.Time
}

// Step implements worker.Handling.
func (h *handling) Step(step domain.Step, took time.Duration) {
	h.steps.WithLabelValues(string(step)).Observe(took.Seconds())
}

// Removed implements worker.Handling.
func (h *handling) Removed(rows int) { h.removed.Add(float64(rows)) }

// End implements worker.Handling.
func (h *handling) End(e worker.End) {
	kind := string(e.Kind)
	if kind == "" {
		kind = "undecodable"
	}
	h.inProgress.Dec()
	h.deliveries.WithLabelValues(kind, outcomeLabel(e.Outcome)).Inc()
	h.deliveryTime.WithLabelValues(kind).Observe(time.Since(h.began).Seconds())
	if e.LeaseLost {
		h.leasesLost.Inc()
	}
	if e.Poisoned {
		h.poisoned.Inc()
	}
}

// outcomeLabel is an outcome as a value of a label, which are words without spaces.
func outcomeLabel(outcome string) string { return strings.ReplaceAll(outcome, " ", "_") }
