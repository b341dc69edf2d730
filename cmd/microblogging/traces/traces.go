package traces

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
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
	if asked, err := asked(); err != nil || !asked {
		return nil, err
	}
	collector, err := newCollector()
	if err != nil {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, collector)
	if err != nil {
		return nil, fmt.Errorf("starting the exporter of traces: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log.Warn("a fault of OpenTelemetry", "error", err) }))
	return newTraces(ctx, o, sdk.NewBatchSpanProcessor(reportingExporter{exporter, &failures{log: o.Log}}))
}

// newTraces makes spans for a processor.
func newTraces(ctx context.Context, o Options, spans sdk.SpanProcessor) (*Traces, error) {
	of, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName(serviceName), semconv.ServiceVersion(o.Version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithProcessPID(),
		resource.WithFromEnv())
	if err != nil {
		err = fmt.Errorf("naming the service in traces, also by OTEL_RESOURCE_ATTRIBUTES: %w", err)
		return nil, errors.Join(err, spans.Shutdown(ctx))
	}
	provider := sdk.NewTracerProvider(sdk.WithResource(of), sdk.WithSpanProcessor(spans))
	return &Traces{
		provider:   provider,
		tracer:     provider.Tracer(scope, trace.WithInstrumentationVersion(o.Version)),
		propagator: propagation.TraceContext{},
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
