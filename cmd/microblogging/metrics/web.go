package metrics

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"microblogging/web"
)

// webMetrics counts requests.
type webMetrics struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	inFlight prometheus.Gauge
	lookups  *prometheus.CounterVec
}

func newWebMetrics(r prometheus.Registerer) webMetrics {
	var lookups [][]string
	for _, cache := range web.Caches() {
		lookups = append(lookups, []string{cache, "hit"}, []string{cache, "miss"})
	}
	return webMetrics{
		requests: counter(r, "http_requests_total", "Requests by method, pattern of the route and status. "+
			"Status 499 means that the client did not wait for the answer.", []string{"method", "route", "status"}),
		took: histogram(r, "http_request_duration_seconds", "How long requests take, until their answer is sent. "+
			"An event stream takes as long as somebody reads it.",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "method", "route"),
		inFlight: gauge(r, "http_requests_in_flight", "Requests that are being answered, event streams among them."),
		lookups: counter(r, "page_cache_lookups_total", "Looks into the page cache by what was looked for and what was found.",
			[]string{"cache", "result"}, lookups...),
	}
}

// Requests observes the web role.
func (m *Metrics) Requests() web.Observer { return &m.web }

// Request implements web.Observer.
func (w *webMetrics) Request(ctx context.Context, method, route string) (context.Context, func(int)) {
	began := time.Now()
	w.inFlight.Inc()
	return ctx, func(status int) {
		w.inFlight.Dec()
		method, route := methodLabel(method), routeLabel(route)
		w.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
		w.took.WithLabelValues(method, route).Observe(time.Since(began).Seconds())
	}
}

// Cached implements web.Observer.
func (w *webMetrics) Cached(_ context.Context, cache string, hit bool) {
	result := "miss"
	if hit {
		result = "hit"
	}
	w.lookups.WithLabelValues(cache, result).Inc()
}

// methodLabel bounds the methods, which clients can invent.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// routeLabel names what has no route, since Prometheus takes an empty label for none.
func routeLabel(route string) string {
	if route == "" {
		return "none"
	}
	return route
}
