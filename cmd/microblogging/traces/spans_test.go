package traces

import (
	"context"
	"fmt"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inMemory returns traces whose spans are kept in memory.
func inMemory(t *testing.T) (*Traces, *tracetest.InMemoryExporter) {
	t.Helper()
	unset(t)
	kept := tracetest.NewInMemoryExporter()
	traces, err := newTraces(context.Background(), options(t), sdk.NewSimpleSpanProcessor(kept))
	if err != nil {
		t.Fatal(err)
	}
	return traces, kept
}

// A story is the spans of a test, which it looks up by name.
type story struct {
	t     *testing.T
	spans tracetest.SpanStubs
}

// named returns the spans with a name, in the order in which they ended.
func (s story) named(name string) (found tracetest.SpanStubs) {
	for _, span := range s.spans {
		if span.Name == name {
			found = append(found, span)
		}
	}
	return found
}

// one returns the only span with a name.
func (s story) one(name string) tracetest.SpanStub {
	s.t.Helper()
	found := s.named(name)
	if len(found) != 1 {
		s.t.Fatalf("%d spans are named %q, of %v", len(found), name, s.names())
	}
	return found[0]
}

func (s story) names() (names []string) {
	for _, span := range s.spans {
		names = append(names, span.Name)
	}
	return names
}

// of returns the spans of the trace of a span.
func (s story) of(root tracetest.SpanStub) story {
	var found tracetest.SpanStubs
	for _, span := range s.spans {
		if span.SpanContext.TraceID() == root.SpanContext.TraceID() {
			found = append(found, span)
		}
	}
	return story{s.t, found}
}

// below tells whether a span is below another, at any depth.
func (s story) below(span, root tracetest.SpanStub) bool {
	for span.Parent.IsValid() {
		if span.Parent.SpanID() == root.SpanContext.SpanID() {
			return true
		}
		at := s.find(span.Parent)
		if at == nil {
			return false
		}
		span = *at
	}
	return false
}

func (s story) find(c trace.SpanContext) *tracetest.SpanStub {
	for i := range s.spans {
		if s.spans[i].SpanContext.SpanID() == c.SpanID() {
			return &s.spans[i]
		}
	}
	return nil
}

// value returns an attribute as text, or "" if there is none.
func value(span tracetest.SpanStub, key attribute.Key) string {
	text := ""
	for _, a := range span.Attributes {
		if a.Key == key {
			text = fmt.Sprint(a.Value.AsInterface()) // the last one counts
		}
	}
	return text
}
