package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

// startRequest begins the span of a request. The operations of the request are told which
// span theirs is, if it is one that can be found later.
func (t *Telemetry) startRequest(r *http.Request) (context.Context, *span) {
	named, linked := parseTraceParent(domain.TraceParent(r.Header.Get("Traceparent"))), spanContext{}
	if !t.Trusted(r) {
		named, linked = spanContext{}, named
	}
	ctx, span := t.start(r.Context(), spanServer, r.Method, named)
	span.link(linked)
	span.set("http.request.method", r.Method, "url.path", t.Path(r.URL.Path))
	if span.sampled {
		ctx = storage.WithTraceParent(ctx, span.traceParent())
	}
	return ctx, span
}

// Request implements web.Observer.
func (t *Telemetry) Request(ctx context.Context, method, route string) (context.Context, func(int)) {
	began := time.Now()
	t.inFlight.Inc()
	return ctx, func(status int) {
		spanOf(ctx).answered(method, route, status)
		t.inFlight.Dec()
		method, route := methodLabel(method), route
		if route == "" {
			route = "none" // Prometheus takes an empty label for none
		}
		t.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
		t.requestTime.WithLabelValues(method, route).Observe(time.Since(began).Seconds())
	}
}

// answered names the span of a request by its route, and not by its path.
func (s *span) answered(method, route string, status int) {
	s.set("http.response.status_code", status)
	if route != "" {
		s.rename(methodLabel(method) + " " + route)
		s.set("http.route", route)
	}
	if status >= http.StatusInternalServerError {
		s.fail(strconv.Itoa(status))
	}
}

// Cached implements web.Observer.
func (t *Telemetry) Cached(_ context.Context, cache string, hit bool) {
	result := "miss"
	if hit {
		result = "hit"
	}
	t.lookups.WithLabelValues(cache, result).Inc()
}

// methodLabel bounds the methods, which clients can invent.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}
