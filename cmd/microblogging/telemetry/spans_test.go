package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTraces(t *testing.T) {
	t.Run("are started by a variable, and a wrong one is told in a sentence without secrets", settings)
	t.Run("of a collector that is away hold up nothing, and leave a line every ten minutes", collectorIsAway)
	t.Run("of a request begin with it, link to what it names, and tell a fault but no refusal and no probe", requests)
	t.Run("tell of the tries of a call", triesAreEvents)
}

// unset removes the variables of OpenTelemetry.
func unset(t *testing.T) {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
}

func tracing(t *testing.T) Options {
	return Options{Version: "test", Storage: "bolt", Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
}

func settings(t *testing.T) {
	const on = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 "
	for set, want := range map[string]string{ // "": off, "on", or what the error says
		"":                                      "",
		on:                                      "on",
		on + "OTEL_EXPORTER_OTLP_HEADERS=a=%20": "on",
		on + "OTEL_EXPORTER_OTLP_HEADERS=a=b,":  "on",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h:1/x":                 "on",
		on + "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=SECRET":                  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
		"OTEL_EXPORTER_OTLP_ENDPOINT=SECRET:4318":                         "OTEL_EXPORTER_OTLP_ENDPOINT",
		"OTEL_EXPORTER_OTLP_ENDPOINT=ftp://SECRET":                        "OTEL_EXPORTER_OTLP_ENDPOINT",
		on + "OTEL_EXPORTER_OTLP_HEADERS=c=SECRET%zz":                     "OTEL_EXPORTER_OTLP_HEADERS",
		on + "OTEL_EXPORTER_OTLP_HEADERS=a=b,c=SECRET%zz":                 "OTEL_EXPORTER_OTLP_HEADERS",
		on + "OTEL_EXPORTER_OTLP_HEADERS=SECRET":                          "OTEL_EXPORTER_OTLP_HEADERS",
		on + "OTEL_SDK_DISABLED=true":                                     "",
		on + "OTEL_TRACES_EXPORTER=none":                                  "",
		on + "OTEL_TRACES_EXPORTER=SECRET":                                "OTEL_TRACES_EXPORTER",
		on + "OTEL_EXPORTER_OTLP_PROTOCOL=grpc":                           "OTEL_EXPORTER_OTLP_PROTOCOL",
		on + "OTEL_EXPORTER_OTLP_COMPRESSION=none":                        "on",
		on + "OTEL_EXPORTER_OTLP_COMPRESSION=zip":                         "OTEL_EXPORTER_OTLP_COMPRESSION",
		on + "OTEL_EXPORTER_OTLP_TIMEOUT=0":                               "OTEL_EXPORTER_OTLP_TIMEOUT",
		on + "OTEL_BSP_SCHEDULE_DELAY=5s":                                 "OTEL_BSP_SCHEDULE_DELAY",
		on + "OTEL_BSP_MAX_QUEUE_SIZE=2048":                               "on",
		on + "OTEL_TRACES_SAMPLER=often":                                  "OTEL_TRACES_SAMPLER",
		on + "OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=2": "OTEL_TRACES_SAMPLER_ARG",
		on + "OTEL_RESOURCE_ATTRIBUTES=SECRET":                            "OTEL_RESOURCE_ATTRIBUTES",
	} {
		t.Run(set, func(t *testing.T) {
			unset(t)
			for pair := range strings.FieldsSeq(set) {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, value)
			}
			got, err := Start(tracing(t))
			defer got.Stop()
			switch on := got != nil && got.tracer != nil; {
			case want == "" || want == "on":
				if err != nil || on != (want == "on") {
					t.Errorf("on: %t, %v", on, err)
				}
			case err == nil || !strings.HasPrefix(err.Error(), want+" must be ") || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "SECRET"):
				t.Errorf("says %v, want a sentence about %s", err, want)
			}
		})
	}
}

const maxWaiting = 4096

// A fakeCollector takes spans if it is not away.
type fakeCollector struct{ back atomic.Bool }

func (c *fakeCollector) RoundTrip(*http.Request) (*http.Response, error) {
	if !c.back.Load() {
		return nil, errors.New("connection refused")
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func collectorIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		collector := &fakeCollector{}
		tr := newTracer(traceSettings{delay: time.Second, timeout: time.Second, queue: maxWaiting, batch: 512, share: 1}, slog.New(slog.NewTextHandler(&log, nil)))
		tr.client.Transport = collector
		some := func(n int) {
			for range n {
				_, span := tr.root(t.Context(), 0, "span")
				span.end(nil)
			}
			time.Sleep(5 * time.Second)
		}
		for range 60 * 60 / 5 { // an hour
			some(10)
		}
		collector.back.Store(true)
		some(maxWaiting + 1)
		tr.stop()
		lost := int(tr.lost)
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		for _, line := range lines {
			n, err := strconv.Atoi(regexp.MustCompile(`lost=(\d+)`).FindStringSubmatch(line)[1])
			if lost += n; err != nil {
				t.Error(err)
			}
		}
		if len(lines) < 6 || len(lines) > 7 || lost < 7200 || lost > 7200+1 || !strings.Contains(lines[0], "connection refused") {
			t.Errorf("%d lost: %q", lost, lines)
		}
	})
}

// keeping returns a tracer that sends nothing.
func keeping() *tracer {
	return &tracer{traceSettings: traceSettings{share: 1}, waiting: make(chan *spanData, maxWaiting)}
}

// kept returns a telemetry whose spans are kept.
func kept(t *testing.T) *Telemetry {
	t.Helper()
	o := tracing(t)
	return &Telemetry{Options: o, metrics: newMetrics(o), tracer: keeping()}
}

// spans returns those that have ended since it was called last.
func (t *tracer) spans() story { return t.take() }

func requests(t *testing.T) {
	const foreignTrace = "0af7651916cd43dd8448eb211c80319c"
	traces := kept(t)
	for status, failed := range map[int]bool{404: false, 412: false, 503: true} {
		request := func(r *http.Request, route string) {
			_, answered := traces.Request(r.Context(), r, route)
			answered(status)
		}
		request(httptest.NewRequest("GET", "/healthz", nil), "/healthz")
		for named, links := range map[string]int{
			"": 0, "00-" + foreignTrace: 0, "00-00000000000000000000000000000000-b7ad6b7169203331-01": 0, "00-" + foreignTrace + "-b7ad6b7169203331-00": 1,
		} {
			r := httptest.NewRequest("GET", "/digest/SECRET/feed.atom?token=SECRET", nil)
			r.Header.Set("Traceparent", named)
			request(r, "/channels/:name")
			span := traces.spans().one(t, "GET /channels/:name")
			if (span.Status != nil) != failed || value(span, "http.response.status_code") != fmt.Sprint(status) {
				t.Errorf("%d is %v, want that status, and a failure: %t", status, span, failed)
			}
			if strings.Contains(span.String(), "SECRET") {
				t.Errorf("a trace holds the secret of the path or the query, which web.LoggedPath must remove: %v", span)
			}
			if len(span.Links) != links || links == 1 && span.Links[0].TraceID != foreignTrace || span.ParentSpanID != "" {
				t.Errorf("a request that names %q is told as %v", named, span)
			}
		}
	}
	var none *Telemetry
	if none.Store() != nil {
		t.Error("something observes")
	}
	none.Stop()
}

func triesAreEvents(t *testing.T) {
	traces := kept(t)
	ctx, root := traces.root(t.Context(), 0, "root")
	err := traces.around(ctx, &driver.Call{Method: driver.CallGet, Target: "Users", Partition: "SECRET"}, func(ctx context.Context) error {
		traces.Tried(ctx, azure.Try{Number: 1, Status: 503})
		traces.Tried(ctx, azure.Try{Number: 2, Status: 404})
		return domain.ErrNotFound
	})
	root.end(err)
	span := traces.spans().one(t, "point Users")
	if len(span.Events) != 2 || value(span, "error.type") != "not_found" || span.Status != nil || strings.Contains(span.String(), "SECRET") {
		t.Errorf("the call is told as %v", span)
	}
}

// A story is the spans of a test, in the order in which they ended.
type story []*spanData

// named returns the spans with a name.
func (s story) named(name string) (found story) {
	for _, span := range s {
		if span.Name == name {
			found = append(found, span)
		}
	}
	return found
}

// one returns the only span with a name.
func (s story) one(t *testing.T, name string) *spanData {
	t.Helper()
	found := s.named(name)
	if len(found) != 1 {
		t.Fatalf("%d spans are named %q, of %v", len(found), name, s.names())
	}
	return found[0]
}

func (s story) names() (names []string) {
	for _, span := range s {
		names = append(names, span.Name)
	}
	return names
}

// of returns the spans of the trace of a span.
func (s story) of(root *spanData) (found story) {
	for _, span := range s {
		if span.TraceID == root.TraceID {
			found = append(found, span)
		}
	}
	return found
}

// below reports whether a span is below another, at any depth.
func (s story) below(span, root *spanData) bool {
	for _, at := range s {
		if at.SpanID == span.ParentSpanID {
			return at == root || s.below(at, root)
		}
	}
	return false
}

// String returns the span as it is sent.
func (s *spanData) String() string {
	text, err := json.Marshal(s)
	return fmt.Sprint(string(text), err)
}

// value returns an attribute as text, or "" if there is none.
func value(span *spanData, key string) (text string) {
	for _, a := range span.Attributes {
		if a.Key == key {
			for _, value := range a.Value { // the last attribute counts
				text = fmt.Sprint(value)
			}
		}
	}
	return text
}
