package traces

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestCollector(t *testing.T) {
	t.Run("gets the spans, with the name of the service", collectorGetsSpans)
	t.Run("that is away holds up nothing, and leaves one line in the log", collectorThatIsAway)
	t.Run("that stays away leaves a line every ten minutes, and one when it is back", collectorThatStaysAway)
}

// lines is a log that several goroutines write.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSpace(l.text.String()), "\n")
}

func collectorGetsSpans(t *testing.T) {
	received := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		received <- r.URL.Path + " " + r.Header.Get("Content-Type") + " " + r.Header.Get("Token") + " " + string(body)
	}))
	defer collector.Close()
	unset(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "token=abc%20def")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=trial")
	traces, err := Start(t.Context(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	_, span := traces.tracer.Start(t.Context(), "a span")
	span.End()
	traces.Stop()
	got := <-received
	for _, want := range []string{"/v1/traces application/x-protobuf abc def ", "a span", "microblogging", "trial"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func collectorThatIsAway(t *testing.T) {
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	unset(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", away.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "10")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "5")
	var log lines
	o := options(t)
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	traces, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	h := traces.Handler(http.NotFoundHandler(), HandlerOptions{
		Path: func(path string) string { return path }, Trusted: func(*http.Request) bool { return false },
	})
	for range 200 { // more than the queue holds
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	began := time.Now()
	if traces.Stop(); time.Since(began) > 5*StopTime {
		t.Errorf("stopping took %s", time.Since(began))
	}
	if got := log.all(); len(got) != 1 || !strings.Contains(got[0], "traces are not sent") {
		t.Errorf("logged %q", got)
	}
}

func collectorThatStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lines
		f := &failures{log: slog.New(slog.NewTextHandler(&log, nil))}
		for range 60 * 60 / 5 { // an hour
			f.failed(errors.New("connection refused"), 10)
			time.Sleep(5 * time.Second)
		}
		f.succeeded()
		f.succeeded()
		got := log.all()
		if len(got) != 7 || !strings.Contains(got[0], "lost=10 ") || !strings.Contains(got[1], "lost=1200 ") || !strings.Contains(got[6], "traces are sent again") {
			t.Errorf("logged %q", got)
		}
	})
}
