package traces

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"microblogging/storage/driver"
)

// Store returns an observer that makes a span of each call of a table or a queue within a
// span. A call outside of any, such as a look at the queue, has none. It is nil if there are
// no traces.
func (t *Traces) Store() driver.Observer {
	if t == nil {
		return nil
	}
	return storeSpans{t}
}

type storeSpans struct{ *Traces }

// Begin implements driver.Observer.
func (s storeSpans) Begin(ctx context.Context, call driver.Call) (context.Context, func(driver.Result)) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, func(driver.Result) {}
	}
	kind := trace.SpanKindClient
	if call.Kind == driver.CallSend {
		kind = trace.SpanKindProducer
	}
	attributes := []attribute.KeyValue{
		semconv.DBSystemNameKey.String(s.storage),
		semconv.DBCollectionName(call.Target),
		semconv.DBOperationName(call.Kind.String()),
	}
	if n := len(call.Operations); n > 0 {
		attributes = append(attributes, semconv.DBOperationBatchSize(n))
	}
	ctx, span := s.tracer.Start(ctx, call.Kind.String()+" "+call.Target, trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
	return ctx, func(r driver.Result) {
		span.SetAttributes(
			semconv.DBResponseReturnedRows(r.Returned),
			attribute.Int("microblogging.rows.read", r.Read),
			attribute.Int("microblogging.rows.written", r.Written))
		setError(span, r.Err)
		span.End()
	}
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
