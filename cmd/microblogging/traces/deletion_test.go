package traces

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/web"
	"microblogging/worker"
)

// A site is a web role and a worker on an embedded store, all of them traced.
type site struct {
	t       *testing.T
	db      *bolt.DB
	traces  *Traces
	kept    *tracetest.InMemoryExporter
	store   *storage.Store
	handler http.Handler
	worker  *worker.Worker
	hook    drivertest.Hook
	token   string
}

func newSite(t *testing.T) *site {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &site{t: t, db: db, hook: drivertest.Pass}
	s.traces, s.kept = inMemory(t)
	faults := drivertest.NewFaults(drivertest.Far(db), func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		return s.hook(ctx, call, send)
	})
	s.store = storage.New(faults, storage.Options{Around: []driver.Around{s.traces.Store}})
	if err := s.store.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages, err := web.New(s.store, web.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	s.handler = s.traces.Handler(pages, HandlerOptions{Path: web.LoggedPath, Trusted: func(*http.Request) bool { return false }})
	s.worker = worker.New(s.store, worker.Options{
		Lease: time.Minute, Reconcile: time.Minute, Concurrency: 1, MaxAttempts: 5,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Observer: s.traces.Worker(),
	})
	return s
}

// call makes a request, and returns the answer if it has this status.
func (s *site) call(method, path string, body any, status int) *httptest.ResponseRecorder {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r := httptest.NewRequest(method, path, strings.NewReader(string(text)))
	r.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if w.Code != status {
		s.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w
}

// fill makes a channel with posts.
func (s *site) fill(channel string, posts int) {
	s.t.Helper()
	account := map[string]string{"name": "ada", "password": "correct horse"}
	s.call("POST", "/api/v1/users", account, http.StatusCreated)
	var session struct{ Token string }
	if err := json.Unmarshal(s.call("POST", "/api/v1/sessions", account, http.StatusCreated).Body.Bytes(), &session); err != nil {
		s.t.Fatal(err)
	}
	s.token = session.Token
	s.call("POST", "/api/v1/channels", map[string]string{"name": channel, "description": ""}, http.StatusCreated)
	for first := 0; first < posts; first += 33 {
		var items []map[string]string
		for i := first; i < min(first+33, posts); i++ {
			items = append(items, map[string]string{"key": fmt.Sprint("key ", i), "title": "", "text": fmt.Sprint("post ", i)})
		}
		s.call("POST", "/api/v1/channels/"+channel+"/blogs:batch", map[string]any{"items": items}, http.StatusOK)
	}
}

// deliver receives the message and works on it.
func (s *site) deliver() error {
	s.t.Helper()
	messages, err := s.store.Messages().Receive(s.t.Context(), 1, time.Minute)
	if err != nil || len(messages) != 1 {
		s.t.Fatalf("received %v, %v", messages, err)
	}
	// A delivery is its own trace, whatever it is handled in.
	ctx, around := s.traces.tracer.Start(s.t.Context(), "around")
	defer around.End()
	return s.worker.Handle(ctx, messages[0])
}

// failSweep makes the nth transaction of a sweep fail, and no call after it.
func failSweep(n int32) drivertest.Hook {
	var sweeps atomic.Int32
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Transact" && call.Target == "Blogs" && len(call.Operations) > 10 && sweeps.Add(1) == n {
			return domain.ErrUnavailable
		}
		return send(ctx)
	}
}

// TestDeletion follows a deletion from the click to the last row over a redelivery.
func TestDeletion(t *testing.T) {
	unset(t)
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.fill("garden", 150)
		s.kept.Reset()
		accepted := s.call("DELETE", "/api/v1/channels/garden", nil, http.StatusAccepted)
		s.hook = failSweep(2)
		if err := s.deliver(); err == nil {
			t.Fatal("the first delivery should have failed")
		}
		time.Sleep(5 * time.Second) // of the bubble: the message is hidden for a moment
		if err := s.deliver(); err != nil {
			t.Fatal(err)
		}
		all := story{t, s.kept.GetSpans()}
		click := all.one("DELETE /api/v1/channels/:name")
		tellsOfTheClick(t, all, click, accepted)
		tellsOfTheDeliveries(t, all, click)
		s.recordsTheClick(click)
	})
}

func tellsOfTheClick(t *testing.T, all story, click tracetest.SpanStub, accepted *httptest.ResponseRecorder) {
	for key, want := range map[string]string{
		"http.route": "/api/v1/channels/:name", "http.request.method": "DELETE", "http.response.status_code": "202",
		"http.response.header.x-request-id": "[" + accepted.Header().Get("X-Request-Id") + "]",
	} {
		if got := value(click, attribute.Key(key)); got != want {
			t.Errorf("the request's %s is %q, want %q", key, got, want)
		}
	}
	request := all.of(click)
	for _, name := range []string{"send " + domain.QueueName, "transaction Deletions", "transaction Channels"} {
		if found := request.named(name); len(found) == 0 || !request.below(found[0], click) {
			t.Errorf("no %q below the request in %v", name, request.names())
		}
	}
}

func tellsOfTheDeliveries(t *testing.T, all story, click tracetest.SpanStub) {
	deliveries := all.named("process " + domain.QueueName)
	if len(deliveries) != 2 {
		t.Fatalf("%d deliveries in %v", len(deliveries), all.names())
	}
	ids := map[string]bool{click.SpanContext.TraceID().String(): true}
	for i, want := range []struct{ outcome, steps string }{
		{"wait", "mark shut sweep"},
		{"done", "mark shut sweep disarm release"},
	} {
		d := deliveries[i]
		if len(d.Links) != 1 || d.Links[0].SpanContext.TraceID() != click.SpanContext.TraceID() || d.Links[0].SpanContext.SpanID() != click.SpanContext.SpanID() {
			t.Errorf("delivery %d links to %v, and not to the request %v", i+1, d.Links, click.SpanContext)
		}
		if d.Parent.IsValid() || ids[d.SpanContext.TraceID().String()] {
			t.Errorf("delivery %d is in the trace of another", i+1)
		}
		ids[d.SpanContext.TraceID().String()] = true
		if value(d, "microblogging.delivery") != fmt.Sprint(i+1) || value(d, "microblogging.outcome") != want.outcome || value(d, "microblogging.channel") != "garden" {
			t.Errorf("delivery %d says %v", i+1, d.Attributes)
		}
		if failed := d.Status.Code == codes.Error; failed != (want.outcome != "done") {
			t.Errorf("delivery %d has the status %v", i+1, d.Status)
		}
		tellsOfTheSteps(all.of(d), d, want.steps)
	}
	var first, second int
	if _, err := fmt.Sscan(value(deliveries[0], "microblogging.rows.removed")+" "+value(deliveries[1], "microblogging.rows.removed"), &first, &second); err != nil {
		t.Fatal(err)
	}
	if first == 0 || second == 0 || first+second < 3*150 {
		t.Errorf("%d and %d rows were removed, of 150 posts with their keys and index rows, and more", first, second)
	}
}

// tellsOfTheSteps looks for the steps of a delivery, in their order, and for what each asks
// of the store.
func tellsOfTheSteps(trace story, delivery tracetest.SpanStub, steps string) {
	trace.t.Helper()
	var taken []string
	for _, span := range trace.spans {
		if step, ok := strings.CutPrefix(span.Name, "step "); ok {
			taken = append(taken, step)
		}
		if span.SpanContext.SpanID() != delivery.SpanContext.SpanID() && !trace.below(span, delivery) {
			trace.t.Errorf("%q is not below its delivery", span.Name)
		}
	}
	if strings.Join(taken, " ") != steps {
		trace.t.Errorf("the steps are %v, want %s", taken, steps)
	}
	if last := taken[len(taken)-1]; last == "release" {
		release, freed := trace.one("step release"), false
		for _, call := range trace.named("transaction Channels") {
			freed = freed || trace.below(call, release) && value(call, "microblogging.rows.written") == "1"
		}
		if !freed {
			trace.t.Errorf("nothing says that the channel's row was deleted: %v", trace.names())
		}
	} else if call := failedCall(trace); call.Name != "transaction Blogs" || value(call, "error.type") != "unavailable" || value(call, "microblogging.rows.written") != "0" {
		trace.t.Errorf("the call that failed is told as %q %v", call.Name, call.Attributes)
	}
}

// failedCall returns the first span that failed: it ended before those around it.
func failedCall(trace story) (failed tracetest.SpanStub) {
	for _, span := range trace.spans {
		if span.Status.Code == codes.Error {
			return span
		}
	}
	return failed
}

func (s *site) recordsTheClick(click tracetest.SpanStub) {
	s.t.Helper()
	want := "00-" + click.SpanContext.TraceID().String() + "-" + click.SpanContext.SpanID().String() + "-01"
	var recorded []string
	table := driver.NewTable(s.db, "Deletions")
	for row, err := range table.All(s.t.Context(), driver.Scan{}) {
		if err != nil {
			s.t.Fatal(err)
		}
		if of := row.Properties.String("TraceParent"); of != "" {
			recorded = append(recorded, of)
		}
	}
	if len(recorded) != 1 || recorded[0] != want {
		s.t.Errorf("Deletions has %v, want %s", recorded, want)
	}
}
