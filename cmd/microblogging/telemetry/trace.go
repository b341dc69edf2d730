package telemetry

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"sync/atomic"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"microblogging/domain"
	"microblogging/storage/driver"
)

const (
	// sendEvery is how long spans wait. Of more than maxWaiting some are dropped.
	sendEvery  = time.Second
	maxWaiting = 4096
	// sendTime bounds one try to send spans, and StopTime how long a process that ends waits
	// for the collector.
	sendTime = 10 * time.Second
	StopTime = 2 * time.Second
	// failuresEvery is how often the log says that spans are lost.
	failuresEvery = 10 * time.Minute
)

// A tracer sends spans that have ended.
type tracer struct {
	traceSettings
	client *http.Client
	log    *slog.Logger
	// waiting are spans to be sent, and dropped counts those for which there was no room.
	waiting chan *tracepb.Span
	dropped atomic.Int64
	// stopping is closed to end it, and stopped once it has sent what waits.
	stopping, stopped chan struct{}
	// lost counts spans since logged, when the log told of such last.
	lost   int64
	logged time.Time
}

func newTracer(s traceSettings, log *slog.Logger) *tracer {
	t := &tracer{
		traceSettings: s, client: &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}, log: log,
		waiting: make(chan *tracepb.Span, maxWaiting), stopping: make(chan struct{}), stopped: make(chan struct{}),
	}
	go t.run()
	return t
}

// run sends what waits, now and then, and at the end.
func (t *tracer) run() {
	defer close(t.stopped)
	for ending := false; !ending; {
		select {
		case <-time.After(sendEvery):
		case <-t.stopping:
			ending = true
		}
		if spans := t.take(); len(spans) > 0 {
			t.sendOrLose(spans)
		}
	}
}

// take takes out what waits.
func (t *tracer) take() (spans []*tracepb.Span) {
	for range len(t.waiting) {
		spans = append(spans, <-t.waiting)
	}
	return spans
}

// stop sends what waits, and returns false if that takes longer than StopTime: a collector that
// hangs does not decide when the process ends.
func (t *tracer) stop() bool {
	close(t.stopping)
	select {
	case <-t.stopped:
		return true
	case <-time.After(StopTime):
		return false
	}
}

// sendOrLose sends spans. Those that cannot be sent are lost, and the log says so now and then.
func (t *tracer) sendOrLose(spans []*tracepb.Span) {
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	defer cancel()
	err := t.send(ctx, spans)
	if t.lost += t.dropped.Swap(0); err != nil {
		t.lost += int64(len(spans))
	}
	if t.lost > 0 && time.Since(t.logged) >= failuresEvery {
		t.log.Warn("traces are not sent", "lost", t.lost, "error", err)
		t.lost, t.logged = 0, time.Now()
	}
}

// send sends spans to the collector.
func (t *tracer) send(ctx context.Context, spans []*tracepb.Span) error {
	defer t.client.CloseIdleConnections()
	ours := &tracepb.ScopeSpans{Scope: &commonpb.InstrumentationScope{Name: namespace}, Spans: spans}
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: t.resource, ScopeSpans: []*tracepb.ScopeSpans{ours},
	}}})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = t.headers
	answer, err := t.client.Do(r)
	if err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		err = fmt.Errorf("the collector answers %s", answer.Status)
	}
	if closed := answer.Body.Close(); err == nil {
		err = closed
	}
	return err
}

// A span is a piece of work. One that is nil, because there are no traces, tells nothing. It belongs to the goroutine that began it.
type span struct {
	tracer *tracer
	told   *tracepb.Span
}

type spanKind = tracepb.Span_SpanKind

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
	return t.start(ctx, kind, name, randomBytes(16), nil)
}

// child begins a span within that of ctx. Without one there is none: a look at the queue is
// not part of anything.
func child(ctx context.Context, kind spanKind, name string) (context.Context, *span) {
	parent := spanOf(ctx)
	if parent == nil {
		return ctx, nil
	}
	return parent.tracer.start(ctx, kind, name, parent.told.TraceId, parent.told.SpanId)
}

func (t *tracer) start(ctx context.Context, kind spanKind, name string, trace, parent []byte) (context.Context, *span) {
	s := &span{t, &tracepb.Span{
		TraceId: trace, SpanId: randomBytes(8), ParentSpanId: parent,
		Name: name, Kind: kind, StartTimeUnixNano: uint64(time.Now().UnixNano()),
	}}
	return context.WithValue(ctx, spanKey{}, s), s
}

func randomBytes(n int) []byte {
	id := make([]byte, n)
	_, _ = rand.Read(id) // it never fails
	return id
}

// traceParent is how the span is named to others.
func (s *span) traceParent() domain.TraceParent {
	return domain.TraceParent(fmt.Sprintf("00-%x-%x-01", s.told.TraceId, s.told.SpanId))
}

// set sets attributes: a key and a value by turns.
func (s *span) set(pairs ...any) {
	if s != nil {
		s.told.Attributes = append(s.told.Attributes, attributes(pairs...)...)
	}
}

// link names a span of another trace, if that is valid.
func (s *span) link(to domain.TraceParent) {
	if s == nil || !to.Valid() {
		return
	}
	if ids, err := hex.DecodeString(string(to[3:35] + to[36:52])); err == nil {
		s.told.Links = append(s.told.Links, &tracepb.Span_Link{TraceId: ids[:16], SpanId: ids[16:]})
	}
}

// fail says in a word that it failed.
func (s *span) fail(word string) {
	if s != nil {
		s.told.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: word}
	}
}

// end ends the span. The error is told as a word; what the store answers in the course of
// things, such as “not found”, is no failure.
func (s *span) end(err error) {
	if s == nil {
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
	select {
	case s.tracer.waiting <- s.told:
	default:
		s.tracer.dropped.Add(1)
	}
}

func attributes(pairs ...any) []*commonpb.KeyValue {
	var told []*commonpb.KeyValue
	for i := 0; i+1 < len(pairs); i += 2 {
		value := &commonpb.AnyValue{}
		switch v := pairs[i+1].(type) {
		case int, int64:
			value.Value = &commonpb.AnyValue_IntValue{IntValue: reflect.ValueOf(v).Int()}
		case bool:
			value.Value = &commonpb.AnyValue_BoolValue{BoolValue: v}
		default:
			value.Value = &commonpb.AnyValue_StringValue{StringValue: fmt.Sprint(v)}
		}
		told = append(told, &commonpb.KeyValue{Key: fmt.Sprint(pairs[i]), Value: value})
	}
	return told
}
