package metrics

import (
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	namespace = "microblogging"
	// scrapeTime bounds how long one answer to Prometheus takes. Prometheus itself gives up
	// after 10 s, unless it is told otherwise.
	scrapeTime = 8 * time.Second
	// maxScrapes is how many are answered at once.
	maxScrapes = 4
)

// Metrics counts what one process does. Its methods observe; they are safe for concurrent
// use.
type Metrics struct {
	registry *prometheus.Registry
	log      *slog.Logger
	store    storeMetrics
	azure    azureMetrics
	commits  commitMetrics
	web      webMetrics
	worker   workerMetrics
}

// Roles says what a process does, so that it tells nothing about what it does not do.
type Roles struct{ Web, Worker bool }

// New returns metrics of a program of this version. Nothing is counted until it observes.
func New(version string, roles Roles, log *slog.Logger) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), log: log}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(version))
	m.store = newStoreMetrics(m.registry)
	if roles.Web {
		m.web = newWebMetrics(m.registry)
	}
	if roles.Worker {
		m.worker = newWorkerMetrics(m.registry)
	}
	return m
}

// buildInfo is 1 for the version that runs.
func buildInfo(version string) prometheus.Collector {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, with the version of the program and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	info.Set(1)
	return info
}

// Handler answers Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            printer{m.log},
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: maxScrapes,
		Timeout:             scrapeTime,
	})
}

// A printer writes what promhttp prints into the log.
type printer struct{ log *slog.Logger }

func (p printer) Println(v ...any) { p.log.Warn("metrics not gathered", "error", v) }

// counter makes a counter with these labels and registers it. Each set of values is there
// from the start, so that an alert sees the first event as a rise from 0.
func counter(r prometheus.Registerer, name, help string, labels []string, values ...[]string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	r.MustRegister(c)
	for _, v := range values {
		c.WithLabelValues(v...)
	}
	return c
}

// histogram makes a histogram with these labels and registers it.
func histogram(r prometheus.Registerer, name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
	r.MustRegister(h)
	return h
}

// gauge makes a gauge and registers it.
func gauge(r prometheus.Registerer, name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	r.MustRegister(g)
	return g
}

// each makes a set of label values of each value.
func each(values ...string) [][]string {
	sets := make([][]string, len(values))
	for i, v := range values {
		sets[i] = []string{v}
	}
	return sets
}
