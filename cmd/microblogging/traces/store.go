package traces

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"microblogging/storage/driver"
)

// Store makes a span of each call of a table or a queue within a span. A call outside of any,
// such as a look at the queue, has none.
func (t *Traces) Store(ctx context.Context, call *driver.Call, next func(context.Context) error) error {
	if t == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return next(ctx)
	}
	kind := trace.SpanKindClient
	if call.Method == driver.CallSend {
		kind = trace.SpanKindProducer
	}
	attributes := []attribute.KeyValue{
		semconv.DBSystemNameKey.String(t.storage),
		semconv.DBCollectionName(call.Target),
		semconv.DBOperationName(call.Kind()),
	}
	if n := len(call.Operations); n > 0 {
		attributes = append(attributes, semconv.DBOperationBatchSize(n))
	}
	ctx, span := t.tracer.Start(ctx, call.Kind()+" "+call.Target, trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
	defer span.End()
	err := next(ctx)
	read, returned := call.Returned(err)
	span.SetAttributes(
		semconv.DBResponseReturnedRows(returned),
		attribute.Int("microblogging.rows.read", read),
		attribute.Int("microblogging.rows.written", call.Written(err)))
	setError(span, err)
	return err
}

// setError says in a word why something failed. What the store answers in the course of
// things, such as “not found”, is no error of the span.
func setError(span trace.Span, err error) {
	if err == nil {
		return
	}
	word := driver.Outcome(err)
	span.SetAttributes(semconv.ErrorTypeKey.String(word))
	switch word {
	case "unavailable", "limit", "error":
		span.SetStatus(codes.Error, word)
	}
}
