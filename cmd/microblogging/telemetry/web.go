package telemetry

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"microblogging/domain"
	"microblogging/web"
)

// Request implements web.Observer. It counts a request and, if there are traces, makes a span of it. Probes
// have no span, because they would bury the others. The request begins a trace, and links to
// the span that it names. The operations of the request are told which span theirs is.
func (t *Telemetry) Request(ctx context.Context, r *http.Request, route string) (context.Context, func(int)) {
	began, method := time.Now(), methodLabel(r.Method)
	t.inFlight.Inc()
	var span *span
	if route != "/healthz" && route != "/readyz" {
		ctx, span = t.root(ctx, kindServer, r.Method)
	}
	if span != nil {
		span.link(domain.TraceParent(r.Header.Get("Traceparent")))
		span.set("http.request.method", r.Method, "url.path", web.LoggedPath(r.URL.Path), "http.response.header.x-request-id", web.RequestID(ctx))
		ctx = domain.WithTraceParent(ctx, domain.TraceParent("00-"+span.told.TraceID+"-"+span.told.SpanID+"-01"))
	}
	return ctx, func(status int) {
		span.answered(method, route, status)
		t.inFlight.Dec()
		name := cmp.Or(route, "none") // Prometheus takes an empty label for none
		t.requests.WithLabelValues(method, name, strconv.Itoa(status)).Inc()
		t.requestTime.WithLabelValues(method, name).Observe(time.Since(began).Seconds())
	}
}

// answered ends the span of a request, and names it by its route, and not by its path.
func (s *span) answered(method, route string, status int) {
	if s == nil {
		return
	}
	s.set("http.response.status_code", status)
	if route != "" {
		s.told.Name = method + " " + route
		s.set("http.route", route)
	}
	if status >= http.StatusInternalServerError {
		s.fail(strconv.Itoa(status))
	}
	s.end(nil)
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
