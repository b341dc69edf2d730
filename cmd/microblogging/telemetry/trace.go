package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

const (
	// retryAfter is the pause before spans are sent again, and StopTime is how long a process that ends
	// waits for the collector.
	retryAfter = 500 * time.Millisecond
	StopTime   = 2 * time.Second
	// failuresEvery is how often the log says that spans are lost.
	failuresEvery = 10 * time.Minute
)

// A tracer sends spans that have ended.
type tracer struct {
	traceSettings
	client *http.Client
	log    *slog.Logger
	// waiting are spans to be sent, and dropped counts those for which there was no room.
	waiting chan *spanData
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
		waiting: make(chan *spanData, s.queue), stopping: make(chan struct{}), stopped: make(chan struct{}),
	}
	go t.run()
	return t
}

// run sends what waits, now and then, and at the end.
func (t *tracer) run() {
	defer close(t.stopped)
	for ending := false; !ending; {
		select {
		case <-time.After(t.delay):
		case <-t.stopping:
			ending = true
		}
		for spans := range slices.Chunk(t.take(), t.batch) {
			t.sendOrLose(spans)
		}
	}
}

// take takes out what waits.
func (t *tracer) take() (spans []*spanData) {
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
func (t *tracer) sendOrLose(spans []*spanData) {
	body, err := t.encode(spans)
	if err == nil {
		again := false
		if again, err = t.send(body); again {
			time.Sleep(retryAfter)
			_, err = t.send(body)
		}
	}
	if t.lost += t.dropped.Swap(0); err != nil {
		t.lost += int64(len(spans))
	}
	if t.lost > 0 && time.Since(t.logged) >= failuresEvery {
		t.log.Warn("could not send traces", "lost", t.lost, "error", err)
		t.lost, t.logged = 0, time.Now()
	}
}

// encode returns spans as the body of a request.
func (t *tracer) encode(spans []*spanData) ([]byte, error) {
	type object = map[string]any
	scope := object{"scope": object{"name": namespace}, "spans": spans}
	data := object{"resource": object{"attributes": t.resource}, "scopeSpans": []object{scope}}
	text, err := json.Marshal(object{"resourceSpans": []object{data}})
	if err != nil || t.plain {
		return text, err
	}
	var body bytes.Buffer
	compressed := gzip.NewWriter(&body)
	_, err = compressed.Write(text)
	err = errors.Join(err, compressed.Close())
	return body.Bytes(), err
}

// send sends a body to the collector. It reports whether another try may succeed: if there was no
// answer, or one that the protocol calls retryable.
func (t *tracer) send(body []byte) (again bool, err error) {
	defer t.client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), t.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header = t.headers
	answer, err := t.client.Do(r)
	if err != nil {
		return true, err
	}
	defer func() { _ = answer.Body.Close() }() // what it says is not read
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	if answer.StatusCode/100 != 2 {
		err = fmt.Errorf("the collector answers %s", answer.Status)
	}
	return again, err
}

// A span is a piece of work. One that is nil, because there are no traces, tells nothing. It
// belongs to the goroutine that began it.
type span struct {
	tracer *tracer
	told   *spanData
}

type spanKey struct{}

// spanOf returns the span of ctx, or nil.
func spanOf(ctx context.Context) *span {
	s, _ := ctx.Value(spanKey{}).(*span)
	return s
}

// SpanID returns the identities of the trace and the span to which ctx belongs, if there is one.
func SpanID(ctx context.Context) (trace, span string, ok bool) {
	s := spanOf(ctx)
	if s == nil {
		return "", "", false
	}
	return s.told.TraceID, s.told.SpanID, true
}

// root begins a trace, if there are traces and this one is kept.
func (t *tracer) root(ctx context.Context, kind spanKind, name string) (context.Context, *span) {
	if t == nil || t.share < 1 && mathrand.Float64() >= t.share {
		return ctx, nil
	}
	return t.start(ctx, kind, name, randomHex(16), "")
}

// child begins a span within that of ctx. Without one there is none: a look at the queue is
// not part of anything.
func child(ctx context.Context, kind spanKind, name string) (context.Context, *span) {
	parent := spanOf(ctx)
	if parent == nil {
		return ctx, nil
	}
	return parent.tracer.start(ctx, kind, name, parent.told.TraceID, parent.told.SpanID)
}

func (t *tracer) start(ctx context.Context, kind spanKind, name, trace, parent string) (context.Context, *span) {
	s := &span{t, &spanData{
		spanID: spanID{trace, randomHex(8)}, ParentSpanID: parent, Name: name, Kind: kind, Start: time.Now().UnixNano(),
	}}
	return context.WithValue(ctx, spanKey{}, s), s
}

func randomHex(bytes int) string {
	id := make([]byte, bytes)
	_, _ = rand.Read(id) // it never fails
	return hex.EncodeToString(id)
}

// set sets attributes: a key and a value by turns.
func (s *span) set(pairs ...any) {
	if s != nil {
		s.told.Attributes = append(s.told.Attributes, attributes(pairs...)...)
	}
}

// link names a span of another trace, if that is valid.
func (s *span) link(to domain.TraceParent) {
	if s != nil && to.Valid() {
		s.told.Links = append(s.told.Links, spanID{TraceID: string(to[3:35]), SpanID: string(to[36:52])})
	}
}

// fail says in a word that it failed.
func (s *span) fail(word string) {
	if s != nil {
		s.told.Status = &status{Code: 2, Message: word}
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
	s.told.End = time.Now().UnixNano()
	select {
	case s.tracer.waiting <- s.told:
	default:
		s.tracer.dropped.Add(1)
	}
}
