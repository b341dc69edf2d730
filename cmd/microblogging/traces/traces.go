package traces

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

const (
	// serviceName is the name of the service unless OTEL_SERVICE_NAME says another.
	serviceName = "microblogging"
	// scope names this package as the maker of spans.
	scope = "microblogging/cmd/microblogging/traces"
	// StopTime bounds how long a process that ends waits for the collector.
	StopTime = 2 * time.Second
)

// Options say who makes the spans.
type Options struct {
	// Version is that of the program.
	Version string
	// Storage is the kind of store: bolt or azure.
	Storage string
	// Log gets a line now and then while spans cannot be sent. It must be set.
	Log *slog.Logger
	// Console gets the spans with OTEL_TRACES_EXPORTER=console.
	Console io.Writer
}

// A Traces makes spans and sends them. A nil *Traces makes none: its methods give back what
// they were given, or nil.
type Traces struct {
	provider   *sdk.TracerProvider
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	storage    string
	log        *slog.Logger
}

// Start begins to make spans if the variables OTEL_* ask for them. Otherwise it returns nil
// and has started nothing. The error says in a sentence which variable is wrong. It contacts
// nobody yet.
func Start(ctx context.Context, o Options) (*Traces, error) {
	s, err := readSettings()
	if err != nil || s.exporter == exporterNone {
		return nil, err
	}
	exporter, err := s.newExporter(ctx, o.Console)
	if err != nil {
		return nil, fmt.Errorf("the exporter of traces that the variables OTEL_* describe cannot be made: %w", err)
	}
	failures := &failures{log: o.Log}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { failures.failed(err, 0) }))
	return newTraces(ctx, o, sdk.NewBatchSpanProcessor(reportingExporter{exporter, failures}))
}

// newTraces makes spans for a processor.
func newTraces(ctx context.Context, o Options, spans sdk.SpanProcessor) (*Traces, error) {
	of, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName(serviceName), semconv.ServiceVersion(o.Version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithProcessPID(),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("naming the service in traces: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithResource(of), sdk.WithSpanProcessor(spans))
	return &Traces{
		provider:   provider,
		tracer:     provider.Tracer(scope, trace.WithInstrumentationVersion(o.Version)),
		propagator: newPropagator(),
		storage:    o.Storage,
		log:        o.Log,
	}, nil
}

// Stop sends the spans that wait, for StopTime at most. Spans that end later are lost.
func (t *Traces) Stop() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), StopTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Warn("the last traces are not sent", "error", err)
	}
}
