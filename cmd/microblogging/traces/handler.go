package traces

import (
	"context"
	"net/http"
	"net/url"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric/noop"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"microblogging/domain"
	"microblogging/storage"
)

// HandlerOptions say what a request's span may hold.
type HandlerOptions struct {
	// Path returns a path as a span may hold it.
	Path func(path string) string
	// Trusted tells whether a request comes from one of our proxies. Its span then belongs to
	// the trace that the request names. Anybody else's request begins a trace, and links to
	// what it names: a stranger must not decide what is sampled.
	Trusted func(*http.Request) bool
}

// Handler returns a handler that makes a span of each request. The next handler must set the
// request's Pattern to its route. Probes have no span, because they would bury the others.
func (t *Traces) Handler(next http.Handler, o HandlerOptions) http.Handler {
	if t == nil {
		return next
	}
	h := &handler{traces: t, next: next, path: o.Path}
	h.spans = otelhttp.NewHandler(http.HandlerFunc(h.serveInside), "",
		otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithMeterProvider(noop.NewMeterProvider()),
		otelhttp.WithPropagators(t.propagator),
		otelhttp.WithPublicEndpointFn(func(r *http.Request) bool { return !o.Trusted(original(r)) }))
	return h
}

// A handler shows otelhttp a request without what a span must not hold, and the next handler
// the request as it is, in the context of the span.
type handler struct {
	traces *Traces
	next   http.Handler
	spans  http.Handler
	path   func(string) string
}

// originalKey is the key of a context value: the request as it is.
type originalKey struct{}

func original(r *http.Request) *http.Request { return r.Context().Value(originalKey{}).(*http.Request) }

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
		h.next.ServeHTTP(w, r)
		return
	}
	shown := r.WithContext(context.WithValue(r.Context(), originalKey{}, r))
	shown.URL, shown.RemoteAddr, shown.Header = &url.URL{Path: h.path(r.URL.Path)}, "", http.Header{}
	for _, name := range h.traces.propagator.Fields() {
		name = http.CanonicalHeaderKey(name)
		if values, ok := r.Header[name]; ok {
			shown.Header[name] = values
		}
	}
	h.spans.ServeHTTP(w, shown)
}

// serveInside is called by otelhttp, which then names the span by the Pattern of shown.
func (h *handler) serveInside(w http.ResponseWriter, shown *http.Request) {
	span := trace.SpanFromContext(shown.Context())
	r := original(shown).WithContext(withTraceParent(shown.Context(), span.SpanContext()))
	r.Body = shown.Body
	h.next.ServeHTTP(w, r)
	if shown.Pattern = r.Pattern; r.Pattern != "" {
		span.SetAttributes(semconv.HTTPRoute(r.Pattern))
	}
	if id := w.Header().Get("X-Request-Id"); id != "" {
		span.SetAttributes(attribute.StringSlice("http.response.header.x-request-id", []string{id}))
	}
}

// withTraceParent tells the operations of the request which span theirs is, if it is one that
// can be found later.
func withTraceParent(ctx context.Context, span trace.SpanContext) context.Context {
	if !span.IsSampled() {
		return ctx
	}
	return storage.WithTraceParent(ctx, domain.TraceParent("00-"+span.TraceID().String()+"-"+span.SpanID().String()+"-01"))
}
