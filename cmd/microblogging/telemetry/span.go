package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"microblogging/domain"
	"microblogging/storage/driver"
)

type spanKind = tracepb.Span_SpanKind

const (
	spanInternal = tracepb.Span_SPAN_KIND_INTERNAL
	spanServer   = tracepb.Span_SPAN_KIND_SERVER
	spanClient   = tracepb.Span_SPAN_KIND_CLIENT
	spanConsumer = tracepb.Span_SPAN_KIND_CONSUMER
)

// A spanContext is the identity of a span. The zero value is none.
type spanContext struct {
	trace   [16]byte
	id      [8]byte
	sampled bool
}

func (c spanContext) traceParent() domain.TraceParent {
	return domain.TraceParent(fmt.Sprintf("00-%x-%x-01", c.trace, c.id))
}

// parseTraceParent reads a header traceparent. It returns the zero value if it is none.
func parseTraceParent(text domain.TraceParent) (c spanContext) {
	if !text.Valid() {
		return c
	}
	var flags [1]byte
	for at, to := range map[int][]byte{3: c.trace[:], 36: c.id[:], 53: flags[:]} {
		_, _ = hex.Decode(to, []byte(text[at:at+2*len(to)])) // it is valid
	}
	c.sampled = flags[0]&1 == 1
	return c
}

// A span is a piece of work. One that is nil or not sampled tells nothing. It belongs to the
// goroutine that began it.
type span struct {
	tracer *tracer
	spanContext
	told *tracepb.Span // nil if it is not sampled
}

type spanKey struct{}

// spanOf returns the span of ctx, or nil.
func spanOf(ctx context.Context) *span {
	s, _ := ctx.Value(spanKey{}).(*span)
	return s
}

// root begins a trace, if there are traces.
func (t *tracer) root(ctx context.Context, kind spanKind, name string) (context.Context, *span) {
	if t == nil {
		return ctx, nil
	}
	return t.start(ctx, kind, name, spanContext{})
}

// start begins a span below another or, if that is the zero value, a trace.
func (t *tracer) start(ctx context.Context, kind spanKind, name string, parent spanContext) (context.Context, *span) {
	s := &span{tracer: t, spanContext: parent}
	_, _ = rand.Read(s.id[:]) // it never fails
	if parent == (spanContext{}) {
		_, _ = rand.Read(s.trace[:])
		s.sampled = float64(binary.BigEndian.Uint64(s.trace[8:])>>11) < t.ratio*(1<<53)
	}
	if s.sampled {
		s.told = &tracepb.Span{
			TraceId: s.trace[:], SpanId: s.id[:], Name: name, Kind: kind, StartTimeUnixNano: uint64(time.Now().UnixNano()),
		}
		if parent != (spanContext{}) {
			s.told.ParentSpanId = parent.id[:]
		}
	}
	return context.WithValue(ctx, spanKey{}, s), s
}

func (s *span) silent() bool { return s == nil || s.told == nil }

// set sets attributes: a key and a value by turns.
func (s *span) set(pairs ...any) {
	if !s.silent() {
		s.told.Attributes = append(s.told.Attributes, attributes(pairs...)...)
	}
}

func (s *span) rename(name string) {
	if !s.silent() {
		s.told.Name = name
	}
}

// event notes what happened just now.
func (s *span) event(name string, pairs ...any) {
	if !s.silent() {
		s.told.Events = append(s.told.Events, &tracepb.Span_Event{TimeUnixNano: uint64(time.Now().UnixNano()), Name: name, Attributes: attributes(pairs...)})
	}
}

// link names a span of another trace, if it is one.
func (s *span) link(to spanContext) {
	if !s.silent() && to != (spanContext{}) {
		s.told.Links = append(s.told.Links, &tracepb.Span_Link{TraceId: to.trace[:], SpanId: to.id[:]})
	}
}

// fail says in a word that it failed.
func (s *span) fail(word string) {
	if !s.silent() {
		s.told.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: word}
	}
}

// end ends the span. The error is told as a word; what the store answers in the course of
// things, such as “not found”, is no failure.
func (s *span) end(err error) {
	if s.silent() {
		return
	}
	if err != nil {
		word := driver.Outcome(err)
		s.set("error.type", word)
		if s.told.Status == nil && (word == "unavailable" || word == "limit" || word == "error") {
			s.fail(word)
		}
	}
	s.told.EndTimeUnixNano = uint64(time.Now().UnixNano())
	s.tracer.take(s.told)
}

func attributes(pairs ...any) []*commonpb.KeyValue {
	var told []*commonpb.KeyValue
	for i := 0; i+1 < len(pairs); i += 2 {
		value := &commonpb.AnyValue{}
		switch v := pairs[i+1].(type) {
		case int:
			value.Value = &commonpb.AnyValue_IntValue{IntValue: int64(v)}
		case int64:
			value.Value = &commonpb.AnyValue_IntValue{IntValue: v}
		case bool:
			value.Value = &commonpb.AnyValue_BoolValue{BoolValue: v}
		default:
			value.Value = &commonpb.AnyValue_StringValue{StringValue: fmt.Sprint(v)}
		}
		told = append(told, &commonpb.KeyValue{Key: fmt.Sprint(pairs[i]), Value: value})
	}
	return told
}
