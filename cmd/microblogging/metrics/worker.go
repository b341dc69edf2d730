package metrics

import (
	"context"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/worker"
)

// workerMetrics counts what the worker role does.
type workerMetrics struct {
	deliveries *prometheus.CounterVec
	took       *prometheus.HistogramVec
	inProgress prometheus.Gauge
	again      prometheus.Counter
	lost       prometheus.Counter
	poisoned   prometheus.Counter
	removed    prometheus.Counter
	steps      *prometheus.HistogramVec
	passes     *prometheus.CounterVec
	repaired   *prometheus.CounterVec
}

func newWorkerMetrics(r prometheus.Registerer) workerMetrics {
	var ends [][]string
	for _, outcome := range worker.Outcomes() {
		ends = append(ends, []string{string(domain.MessageChannel), outcomeLabel(outcome)}, []string{string(domain.MessageBlog), outcomeLabel(outcome)})
	}
	seconds := []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
	return workerMetrics{
		deliveries: counter(r, "worker_deliveries_total", "Deliveries of messages that were handled, by what they ask to delete and how they ended.",
			[]string{"kind", "outcome"}, ends...),
		took:       histogram(r, "worker_delivery_duration_seconds", "How long the handling of a delivery takes.", seconds, "kind"),
		inProgress: gauge(r, "worker_deliveries_in_progress", "Deliveries that are being handled."),
		again:      plain(r, "worker_redeliveries_total", "Deliveries of a message that had been delivered before."),
		lost:       plain(r, "worker_lost_leases_total", "Deliveries that lost their lease: the message belongs to another worker."),
		poisoned:   plain(r, "worker_poisoned_total", "Messages that were moved to the poison queue."),
		removed:    plain(r, "worker_rows_removed_total", "Rows that deletions have removed."),
		steps:      histogram(r, "worker_step_duration_seconds", "How long the steps of a deletion take.", seconds, "step"),
		passes:     counter(r, "worker_reconciling_passes_total", "Reconciling passes by outcome.", []string{"outcome"}, each("ok", "failed")...),
		repaired: counter(r, "worker_reconciled_total", "What reconciling passes did: deletions queued again, "+
			"channels without a gate removed, expired rows removed.", []string{"what"}, each("requeued", "ungated", "expired")...),
	}
}

// plain makes a counter without labels and registers it.
func plain(r prometheus.Registerer, name, help string) prometheus.Counter {
	return counter(r, name, help, nil).WithLabelValues()
}

// Deliveries observes the worker role.
func (m *Metrics) Deliveries() worker.Observer { return &m.worker }

// Deliver implements worker.Observer.
func (w *workerMetrics) Deliver(ctx context.Context, delivery driver.Message, _ domain.Message) (context.Context, worker.Handling) {
	w.inProgress.Inc()
	if delivery.Deliveries > 1 {
		w.again.Inc()
	}
	return ctx, &handling{w, time.Now()}
}

// Pass implements worker.Observer.
func (w *workerMetrics) Pass(ctx context.Context) (context.Context, func(storage.Reconciled, error)) {
	return ctx, func(done storage.Reconciled, err error) {
		outcome := "ok"
		if err != nil {
			outcome = "failed"
		}
		w.passes.WithLabelValues(outcome).Inc()
		w.repaired.WithLabelValues("requeued").Add(float64(done.Requeued))
		w.repaired.WithLabelValues("ungated").Add(float64(done.Ungated))
		w.repaired.WithLabelValues("expired").Add(float64(done.Expired))
	}
}

// A handling counts how one delivery goes.
type handling struct {
	*workerMetrics
	began time.Time
}

// Step implements worker.Handling.
func (h *handling) Step(ctx context.Context, step domain.Step) (context.Context, func(error)) {
	began := time.Now()
	return ctx, func(error) { h.steps.WithLabelValues(string(step)).Observe(time.Since(began).Seconds()) }
}

// Removed implements worker.Handling.
func (h *handling) Removed(rows int) { h.removed.Add(float64(rows)) }

// End implements worker.Handling.
func (h *handling) End(e worker.End) {
	kind := string(e.Kind)
	if kind == "" {
		kind = "unread"
	}
	h.inProgress.Dec()
	h.deliveries.WithLabelValues(kind, outcomeLabel(e.Outcome)).Inc()
	h.took.WithLabelValues(kind).Observe(time.Since(h.began).Seconds())
	if e.LeaseLost {
		h.lost.Inc()
	}
	if e.Poisoned {
		h.poisoned.Inc()
	}
}

// outcomeLabel is an outcome as a value of a label, which are words without spaces.
func outcomeLabel(outcome string) string { return strings.ReplaceAll(outcome, " ", "_") }
