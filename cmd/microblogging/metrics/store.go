package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"microblogging/storage"
	"microblogging/storage/driver"
)

// storeMetrics counts the calls of the store.
type storeMetrics struct {
	calls    *prometheus.CounterVec
	took     *prometheus.HistogramVec
	returned *prometheus.CounterVec
	written  *prometheus.CounterVec
	refused  *prometheus.CounterVec
}

func newStoreMetrics(r prometheus.Registerer) storeMetrics {
	return storeMetrics{
		calls: counter(r, "store_calls_total", "Calls of tables and queues by target, kind and outcome. "+
			"A call that the client of the backend sends again is one.", []string{"target", "kind", "outcome"}),
		took: histogram(r, "store_call_duration_seconds", "How long calls of tables and queues take, with all tries.",
			[]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "target", "kind"),
		returned: counter(r, "store_returned_total", "Rows that tables have returned, and messages that queues have.", []string{"target"}),
		written:  counter(r, "store_written_total", "Operations of transactions that took effect: inserts, changes and deletes of rows.", []string{"target"}),
		refused: counter(r, "gate_refusals_total", "Transactions that a gate has refused: open refuses posts and other changes "+
			"that came after the deletion of their channel began, shut refuses sweeps that came after its end.",
			[]string{"gate"}, each(string(storage.GateOpen), string(storage.GateShut))...),
	}
}

// Calls counts and times the calls of the store.
func (m *Metrics) Calls(ctx context.Context, call *driver.Call, next func(context.Context) error) error {
	began := time.Now()
	err := next(ctx)
	s, kind := &m.store, call.Kind()
	s.took.WithLabelValues(call.Target, kind).Observe(time.Since(began).Seconds())
	s.calls.WithLabelValues(call.Target, kind, driver.Outcome(err)).Inc()
	if _, returned := call.Returned(err); returned > 0 {
		s.returned.WithLabelValues(call.Target).Add(float64(returned))
	}
	if written := call.Written(err); written > 0 {
		s.written.WithLabelValues(call.Target).Add(float64(written))
	}
	if gate, refused := storage.RefusedByGate(call, err); refused {
		s.refused.WithLabelValues(string(gate)).Inc()
	}
	return err
}
