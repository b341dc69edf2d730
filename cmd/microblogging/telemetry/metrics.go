package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/web"
	"microblogging/worker"
)

const (
	namespace = "microblogging"
	// scrapeTime bounds how long one answer to Prometheus takes. Prometheus itself gives up
	// after 10 s, unless it is told otherwise.
	scrapeTime = 8 * time.Second
	// maxScrapes is how many are answered concurrently.
	maxScrapes = 4
)

// metrics are the counters of a process.
type metrics struct {
	registry *prometheus.Registry

	// Of the store (store.go).
	calls, returned, written, refused *prometheus.CounterVec
	callTime                          *prometheus.HistogramVec

	tries              *prometheus.CounterVec
	retries, throttled prometheus.Counter

	commits                   *prometheus.CounterVec
	commitChanges, commitTime prometheus.Observer

	// Of the web role (web.go).
	requests, lookups *prometheus.CounterVec
	requestTime       *prometheus.HistogramVec
	inFlight          prometheus.Gauge
	stored            prometheus.Counter
	overQuota         *prometheus.CounterVec

	// Of the worker role (worker.go).
	deliveries, passes, repaired         *prometheus.CounterVec
	deliveryTime, steps                  *prometheus.HistogramVec
	inProgress                           prometheus.Gauge
	again, leasesLost, poisoned, removed prometheus.Counter
}

func newMetrics(o Options) metrics {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	prometheus.WrapRegistererWith(prometheus.Labels{"version": o.Version, "goversion": runtime.Version(), "role": o.Role}, r).MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: "build_info", Help: "1, with the role of the process and the version of the program and of Go."},
			func() float64 { return 1 }))
	m, making := metrics{registry: r}, registered{promauto.With(r)}
	m.ofStore(making)
	m.ofWeb(making)
	m.ofWorker(making)
	return m
}

func (m *metrics) ofStore(r registered) {
	m.calls = r.counter("store_calls_total", "Calls of tables and queues by target, kind and outcome. "+
		"A call that the client of the backend sends again is one.", "target", "kind", "outcome")
	m.callTime = r.histogram("store_call_duration_seconds", "How long calls of tables and queues take, with all tries.",
		[]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "target", "kind")
	m.returned = r.counter("store_returned_total", "Rows that tables have returned, and messages that queues have.", "target")
	m.written = r.counter("store_written_total", "Operations of transactions that took effect: inserts, changes and deletes of rows.", "target")
	m.refused = from0(r.counter("gate_refusals_total", "Transactions that a gate has refused: open refuses posts and other changes "+
		"that came after the deletion of their channel began, shut refuses sweeps that came after its end.", "gate"),
		string(storage.GateOpen), string(storage.GateShut))

	m.tries = r.counter("azure_tries_total", "Requests that the Azure SDK has sent, by the status of the answer, or none.", "status")
	m.retries = r.plain("azure_retries_total", "Requests that the Azure SDK has sent again.")
	m.throttled = r.plain("azure_throttled_total", "Requests that Azure has refused because there are too many: status 503 or 429.")

	m.commits = from0(r.counter("bolt_commits_total", "Commits of the embedded store by outcome.", "outcome"), "ok", "failed")
	m.commitChanges = r.histogram("bolt_commit_changes", "How many callers shared a commit of the embedded store.",
		[]float64{1, 2, 4, 8, 16, 32, 64, 128}).WithLabelValues()
	m.commitTime = r.histogram("bolt_commit_duration_seconds", "How long commits of the embedded store take, until they are on the disk.",
		[]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}).WithLabelValues()
}

func (m *metrics) ofWeb(r registered) {
	m.requests = r.counter("http_requests_total", "Requests by method, pattern of the route and status. "+
		"Status 499 means that the client did not wait for the answer.", "method", "route", "status")
	m.requestTime = r.histogram("http_request_duration_seconds", "How long requests take, until their answer is sent. "+
		"An event stream takes until its reader leaves.",
		[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "method", "route")
	m.inFlight = r.gauge("http_requests_in_flight", "Requests that are being answered, event streams among them.")
	m.stored = r.plain("text_stored_bytes_total", "Bytes of texts that users have stored, as quotas count them: a post or a channel is its text and 1 KiB.")
	m.overQuota = from0(r.counter("quota_refusals_total", "Texts that a quota has refused: of an account or a client address in 24 hours, or of all posts and replies of an account.", "quota"),
		web.QuotaNames()...)
	m.lookups = r.counter("page_cache_lookups_total", "Looks into the page cache by what was looked for and what was found.", "cache", "result")
	for _, cache := range web.Caches() {
		from0(m.lookups.MustCurryWith(prometheus.Labels{"cache": cache}), "hit", "miss")
	}
}

func (m *metrics) ofWorker(r registered) {
	m.deliveries = r.counter("worker_deliveries_total", "Deliveries of messages that were handled, by what they ask to delete and how they ended.", "kind", "outcome")
	for _, kind := range []domain.MessageKind{domain.MessageChannel, domain.MessageBlog, domain.MessageAccount} {
		for _, outcome := range worker.Outcomes() {
			m.deliveries.WithLabelValues(string(kind), outcomeLabel(outcome))
		}
	}
	seconds := []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
	m.deliveryTime = r.histogram("worker_delivery_duration_seconds", "How long the handling of a delivery takes.", seconds, "kind")
	m.inProgress = r.gauge("worker_deliveries_in_progress", "Deliveries that are being handled.")
	m.again = r.plain("worker_redeliveries_total", "Deliveries of a message that had been delivered before.")
	m.leasesLost = r.plain("worker_lost_leases_total", "Deliveries that lost their lease: the message belongs to another worker.")
	m.poisoned = r.plain("worker_poisoned_total", "Messages that were given up and recorded for an operator.")
	m.removed = r.plain("worker_rows_removed_total", "Rows that deletions have removed.")
	m.steps = r.histogram("worker_step_duration_seconds", "How long the steps of a deletion take.", seconds, "step")
	m.passes = from0(r.counter("worker_reconciling_passes_total", "Reconciling passes by outcome.", "outcome"), "ok", "failed")
	m.repaired = from0(r.counter("worker_reconciled_total", "What reconciling passes did: deletions queued again, "+
		"channels without a gate removed, expired rows removed, old records of deletions and entries that lead to nothing removed.", "what"), "requeued", "ungated", "expired", "pruned")
}

// Metrics answers Prometheus.
func (t *Telemetry) Metrics() http.Handler {
	answer := promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
		ErrorLog:            scrapeLog{t.Log},
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: maxScrapes,
		Timeout:             scrapeTime,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer.ServeHTTP(w, r)
		if err := r.Context().Err(); err != nil {
			t.Log.DebugContext(r.Context(), "Prometheus did not wait for the metrics", "error", err)
		}
	})
}

// A scrapeLog gets the errors of the Prometheus client. One for each metric says that it could not be sent,
// because Prometheus did not wait, or scrapeTime is over, which Prometheus is told.
type scrapeLog struct{ *slog.Logger }

// Println implements promhttp.Logger.
func (l scrapeLog) Println(said ...any) {
	for _, part := range said {
		if err, ok := part.(error); ok && (errors.Is(err, context.Canceled) || errors.Is(err, http.ErrHandlerTimeout)) {
			return
		}
	}
	l.Warn("could not tell a metric", "error", strings.TrimSpace(fmt.Sprintln(said...)))
}

// registered makes metrics and registers them.
type registered struct{ promauto.Factory }

func (r registered) counter(name, help string, labels ...string) *prometheus.CounterVec {
	return r.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

// plain makes a counter without labels.
func (r registered) plain(name, help string) prometheus.Counter {
	return r.counter(name, help).WithLabelValues()
}

// from0 begins each value of a counter's label at 0, so that an alert sees the first event as a
// rise.
func from0(c *prometheus.CounterVec, values ...string) *prometheus.CounterVec {
	for _, value := range values {
		c.WithLabelValues(value)
	}
	return c
}

func (r registered) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return r.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
}

func (r registered) gauge(name, help string) prometheus.Gauge {
	return r.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
}
