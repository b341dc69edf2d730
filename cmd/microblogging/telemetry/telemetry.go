package telemetry

import (
	"context"
	"log/slog"
	"net/http"

	"microblogging/storage/driver"
)

// Options say what is told, and by whom.
type Options struct {
	// Version is that of the program, and Storage the kind of store: bolt or azure.
	Version, Storage string
	// Web and Worker are the roles of the process, which tells nothing of what it does not do.
	Web, Worker bool
	// Counts makes a Telemetry also if there are no traces.
	Counts bool
	Log    *slog.Logger
	// Path returns a path as a span may hold it.
	Path func(path string) string
	// Trusted tells whether a request comes from one of our proxies. Its span then belongs to
	// the trace that the request names. Anybody else's request begins a trace, and links to
	// what it names: a stranger must not decide what is sampled.
	Trusted func(*http.Request) bool
}

// A Telemetry is told what one process does, by hooks that are safe for concurrent use. If it
// is nil, nothing is measured, and Store, Stop and Handler do nothing.
type Telemetry struct {
	Options
	metrics
	*tracer // nil if there are no traces
}

// Start returns nil if nobody asks for metrics or, by the variables OTEL_*, for traces. The
// error says in a sentence which variable is wrong. It contacts nobody yet.
func Start(o Options) (*Telemetry, error) {
	c, err := readVariables(o.Version)
	if err != nil || c == nil && !o.Counts {
		return nil, err
	}
	t := &Telemetry{Options: o, metrics: newMetrics(o)}
	if c != nil {
		t.tracer = newTracer(*c, o.Log)
		go t.tracer.run()
	}
	return t, nil
}

// Stop sends the spans that wait, for StopTime at most. Spans that end later are lost.
func (t *Telemetry) Stop() {
	if t != nil && t.tracer != nil {
		t.tracer.stop()
	}
}

// Store returns what goes around each call of the store.
func (t *Telemetry) Store() []driver.Around {
	if t == nil {
		return nil
	}
	return []driver.Around{t.around}
}

// Handler returns a handler that makes a span of each request, if there are traces. Probes
// have no span, because they would bury the others.
func (t *Telemetry) Handler(next http.Handler) http.Handler {
	if t == nil || t.tracer == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
			next.ServeHTTP(w, r)
			return
		}
		ctx, span := t.startRequest(r)
		defer span.end(nil)
		next.ServeHTTP(w, r.WithContext(ctx))
		span.set("http.response.header.x-request-id", w.Header().Get("X-Request-Id"))
	})
}

// child begins a span within that of ctx. Without one there is none: a look at the queue is
// not part of anything.
func (t *Telemetry) child(ctx context.Context, kind spanKind, name string) (context.Context, *span) {
	parent := spanOf(ctx)
	if parent == nil {
		return ctx, nil
	}
	return parent.tracer.start(ctx, kind, name, parent.spanContext)
}
