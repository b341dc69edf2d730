package traces

import (
	"context"
	"log/slog"
	"sync"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// failuresEvery is how often the log says that spans are not sent.
const failuresEvery = 10 * time.Minute

// failures says in the log that spans cannot be sent, once in failuresEvery, and when they
// are sent again. It is safe for concurrent use.
type failures struct {
	log *slog.Logger

	mu sync.Mutex
	// logged is when the log said it last.
	logged time.Time
	// lost counts the spans that were dropped since.
	lost int
	// told is set from a failure in the log to the next success.
	told bool
}

// failed notes that so many spans were not sent.
func (f *failures) failed(err error, spans int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lost += spans
	if now := time.Now(); f.logged.IsZero() || now.Sub(f.logged) >= failuresEvery {
		f.log.Warn("traces are not sent", "lost", f.lost, "error", err)
		f.logged, f.lost, f.told = now, 0, true
	}
}

// succeeded notes that spans were sent.
func (f *failures) succeeded() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told {
		f.log.Info("traces are sent again", "lost", f.lost)
		f.lost, f.told = 0, false
	}
}

// A reportingExporter tells of failures. The SDK hears of none: it would log each.
type reportingExporter struct {
	sdk.SpanExporter
	failures *failures
}

// ExportSpans implements sdk.SpanExporter.
func (e reportingExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := e.SpanExporter.ExportSpans(ctx, spans); err != nil {
		e.failures.failed(err, len(spans))
		return nil
	}
	e.failures.succeeded()
	return nil
}
