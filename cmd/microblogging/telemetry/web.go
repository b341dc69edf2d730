package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"microblogging/domain"
	"microblogging/web"
)

// Handler returns a handler that makes a span of each request, if there are traces. Probes
// have no span, because they would bury the others. The request begins a trace, and links to
// the span that it names. The operations of the request are told which span theirs is.
func (t *Telemetry) Handler(next http.Handler) http.Handler {
	if t == nil || t.tracer == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
			next.ServeHTTP(w, r)
			return
		}
		ctx, span := t.root(r.Context(), kindServer, r.Method)
		if span == nil {
			next.ServeHTTP(w, r)
			return
		}
		span.link(domain.TraceParent(r.Header.Get("Traceparent")))
		span.set("http.request.method", r.Method, "url.path", web.LoggedPath(r.URL.Path))
		ctx = domain.WithTraceParent(ctx, domain.TraceParent("00-"+span.told.TraceID+"-"+span.told.SpanID+"-01"))
		defer span.end(nil)
		next.ServeHTTP(w, r.WithContext(ctx))
		span.set("http.response.header.x-request-id", w.Header().Get("X-Request-Id"))
	})
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
	if s == nil {
		return
	}
	s.set("http.response.status_code", status)
	if route != "" {
		s.told.Name = methodLabel(method) + " " + route
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
