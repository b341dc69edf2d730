package traces

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/worker"
)

// Worker returns an observer that makes a trace of each delivery and of each reconciling
// pass. It is nil if there are no traces.
func (t *Traces) Worker() worker.Observer {
	if t == nil {
		return nil
	}
	return workerSpans{t}
}

type workerSpans struct{ *Traces }

// Deliver implements worker.Observer.
func (w workerSpans) Deliver(ctx context.Context, delivery driver.Message, message domain.Message) (context.Context, worker.Handling) {
	ctx, span := w.tracer.Start(ctx, "process "+domain.QueueName,
		trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindConsumer), trace.WithLinks(linksTo(message.TraceParent)...),
		trace.WithAttributes(
			semconv.MessagingDestinationName(domain.QueueName),
			semconv.MessagingOperationTypeProcess,
			semconv.MessagingMessageID(delivery.ID),
			attribute.Int64("microblogging.delivery", delivery.Deliveries),
			attribute.String("microblogging.kind", string(message.Kind)),
			attribute.String("microblogging.channel", string(message.Channel)),
			attribute.String("microblogging.incarnation", string(message.Incarnation))))
	return ctx, &handlingSpan{traces: w.Traces, span: span}
}

// linksTo returns a link to the span that asked for the work, if it is known.
func linksTo(request domain.TraceParent) []trace.Link {
	if request == "" {
		return nil
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": string(request)})
	return []trace.Link{{SpanContext: trace.SpanContextFromContext(ctx)}}
}

// Pass implements worker.Observer.
func (w workerSpans) Pass(ctx context.Context) (context.Context, func(storage.Reconciled, error)) {
	ctx, span := w.tracer.Start(ctx, "reconcile", trace.WithNewRoot())
	return ctx, func(done storage.Reconciled, err error) {
		span.SetAttributes(
			attribute.Int("microblogging.requeued", done.Requeued),
			attribute.Int("microblogging.ungated", done.Ungated),
			attribute.Int("microblogging.expired", done.Expired))
		setError(span, err)
		span.End()
	}
}

// A handlingSpan is the span of one delivery.
type handlingSpan struct {
	traces *Traces
	span   trace.Span
	rows   atomic.Int64
}

// Step implements worker.Handling.
func (h *handlingSpan) Step(ctx context.Context, step domain.Step) (context.Context, func(error)) {
	before := h.rows.Load()
	ctx, span := h.traces.tracer.Start(ctx, "step "+string(step))
	return ctx, func(err error) {
		span.SetAttributes(attribute.Int64("microblogging.rows.removed", h.rows.Load()-before))
		setError(span, err)
		span.End()
	}
}

// Removed implements worker.Handling.
func (h *handlingSpan) Removed(rows int) { h.rows.Add(int64(rows)) }

// End implements worker.Handling.
func (h *handlingSpan) End(e worker.End) {
	h.span.SetAttributes(
		attribute.String("microblogging.outcome", e.Outcome),
		attribute.Int64("microblogging.rows.removed", h.rows.Load()),
		attribute.Bool("microblogging.poisoned", e.Poisoned),
		attribute.Bool("microblogging.lease_lost", e.LeaseLost),
		attribute.Bool("microblogging.concluded", e.Unconcluded == nil))
	setError(h.span, e.Cause)
	if e.Poisoned {
		h.span.SetStatus(codes.Error, "poisoned")
	}
	h.span.End()
}
