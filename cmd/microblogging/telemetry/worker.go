package telemetry

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/worker"
)

// Deliver implements worker.Observer. A delivery begins a trace.
func (t *Telemetry) Deliver(ctx context.Context, delivery driver.Message, message domain.Message) (context.Context, worker.Handling) {
	t.inProgress.Inc()
	if delivery.Deliveries > 1 {
		t.again.Inc()
	}
	ctx, span := t.root(ctx, kindConsumer, "process "+domain.QueueName)
	span.link(message.TraceParent)
	span.set("messaging.destination.name", domain.QueueName, "messaging.operation.type", "process", "messaging.message.id", delivery.ID,
		"microblogging.delivery", delivery.Deliveries, "microblogging.kind", string(message.Kind),
		"microblogging.channel", string(message.Channel), "microblogging.incarnation", string(message.Incarnation))
	return ctx, &handling{Telemetry: t, began: time.Now(), span: span}
}

// Pass implements worker.Observer.
func (t *Telemetry) Pass(ctx context.Context) (context.Context, func(storage.Reconciled, error)) {
	ctx, span := t.root(ctx, kindInternal, "reconcile")
	return ctx, func(done storage.Reconciled, err error) {
		outcome := "ok"
		if err != nil {
			outcome = "failed"
		}
		t.passes.WithLabelValues(outcome).Inc()
		for what, n := range map[string]int{"requeued": done.Requeued, "ungated": done.Ungated, "expired": done.Expired} {
			t.repaired.WithLabelValues(what).Add(float64(n))
			span.set("microblogging."+what, n)
		}
		span.end(err)
	}
}

// A handling is told how one delivery goes.
type handling struct {
	*Telemetry
	began time.Time
	span  *span
	rows  atomic.Int64
}

// Step implements worker.Handling.
func (h *handling) Step(ctx context.Context, step domain.Step) (context.Context, func(error)) {
	began, before := time.Now(), h.rows.Load()
	ctx, span := child(ctx, kindInternal, "step "+string(step))
	return ctx, func(err error) {
		h.steps.WithLabelValues(string(step)).Observe(time.Since(began).Seconds())
		span.set("microblogging.rows.removed", h.rows.Load()-before)
		span.end(err)
	}
}

// Removed implements worker.Handling.
func (h *handling) Removed(rows int) {
	h.removed.Add(float64(rows))
	h.rows.Add(int64(rows))
}

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
	h.span.set("microblogging.outcome", e.Outcome, "microblogging.rows.removed", h.rows.Load(),
		"microblogging.poisoned", e.Poisoned, "microblogging.lease_lost", e.LeaseLost, "microblogging.concluded", e.Unconcluded == nil)
	if e.Poisoned {
		h.poisoned.Inc()
		h.span.fail("poisoned")
	}
	h.span.end(e.Cause)
}

// outcomeLabel is an outcome as a value of a label, which are words without spaces.
func outcomeLabel(outcome string) string { return strings.ReplaceAll(outcome, " ", "_") }
