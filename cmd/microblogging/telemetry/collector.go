package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	// serviceName is the name of the service unless OTEL_SERVICE_NAME says another.
	serviceName = "microblogging"
	// sendEvery is how long spans wait. Of more than maxWaiting some are dropped.
	sendEvery  = time.Second
	maxWaiting = 4096
	// sendTime bounds one try to send spans, and StopTime how long a process that ends waits
	// for the collector.
	sendTime = 10 * time.Second
	StopTime = 2 * time.Second
	// failuresEvery is how often the log says that spans are not sent.
	failuresEvery = 10 * time.Minute
)

// A collector is where spans go, and which.
type collector struct {
	url     string
	headers http.Header
	// ratio is the part of all traces that is sampled.
	ratio    float64
	resource *resourcepb.Resource
	version  string
}

// otlp returns the value of a setting of the exporter, and the variable that it is from: the
// one for traces alone goes before the other.
func otlp(setting string) (value, from string) {
	from = "OTEL_EXPORTER_OTLP_TRACES_" + setting
	if value = os.Getenv(from); value == "" {
		from = "OTEL_EXPORTER_OTLP_" + setting
		value = os.Getenv(from)
	}
	return value, from
}

// readVariables reads those of the OpenTelemetry specification. It returns nil if there are
// no traces: if neither an endpoint is named nor the exporter. An error does not show what may
// hold a password.
func readVariables(version string) (*collector, error) {
	to, from := otlp("ENDPOINT")
	exporter := os.Getenv("OTEL_TRACES_EXPORTER")
	switch {
	case strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true"), exporter == "none", exporter == "" && to == "":
		return nil, nil
	case exporter != "" && exporter != "otlp":
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER must be otlp or none, not %q", exporter)
	}
	if protocol, from := otlp("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("%s must be http/protobuf, not %q", from, protocol)
	}
	to = cmp.Or(to, "http://localhost:4318")
	if u, err := url.Parse(to); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s must be a URL such as http://127.0.0.1:4318", from)
	}
	if !strings.Contains(from, "_TRACES_") { // which says where as it is
		to = strings.TrimSuffix(to, "/") + "/v1/traces"
	}
	c := &collector{url: to, headers: http.Header{"Content-Type": {"application/x-protobuf"}}, version: version}
	list, from := otlp("HEADERS")
	if err := eachPair(list, from, c.headers.Set); err != nil {
		return nil, err
	}
	var err error
	if c.ratio, err = readSampler(); err != nil {
		return nil, err
	}
	c.resource, err = readResource(version)
	return c, err
}

// eachPair calls set for each pair of a list.
func eachPair(list, from string, set func(name, value string)) error {
	for pair := range strings.SplitSeq(list, ",") {
		name, text, _ := strings.Cut(pair, "=")
		value, err := url.PathUnescape(text)
		switch {
		case list == "":
		case text == "" || err != nil:
			return fmt.Errorf("%s must be a list such as name=value,other=value, with percent-encoded values", from)
		default:
			set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return nil
}

// readSampler returns which part of all traces is sampled. A trace that one of our proxies has
// begun is sampled if the proxy says so.
func readSampler() (ratio float64, err error) {
	const variable, argument = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"
	switch sampler := strings.TrimPrefix(os.Getenv(variable), "parentbased_"); sampler {
	case "", "always_on":
		return 1, nil
	case "always_off":
		return 0, nil
	case "traceidratio":
		ratio, err := strconv.ParseFloat(cmp.Or(os.Getenv(argument), "1"), 64)
		if err != nil || !(ratio >= 0 && ratio <= 1) {
			return 0, fmt.Errorf("%s must be 0 to 1", argument)
		}
		return ratio, nil
	default:
		return 0, fmt.Errorf("%s must be parentbased_always_on, parentbased_always_off or parentbased_traceidratio, not %q", variable, sampler)
	}
}

// readResource says who makes the spans.
func readResource(version string) (*resourcepb.Resource, error) {
	const variable = "OTEL_RESOURCE_ATTRIBUTES"
	said := map[string]string{"service.name": serviceName, "service.version": version, "process.pid": strconv.Itoa(os.Getpid())}
	if host, err := os.Hostname(); err == nil {
		said["host.name"] = host
	}
	if err := eachPair(os.Getenv(variable), variable, func(name, value string) { said[name] = value }); err != nil {
		return nil, err
	}
	if name := os.Getenv("OTEL_SERVICE_NAME"); name != "" {
		said["service.name"] = name
	}
	r := &resourcepb.Resource{}
	for name, value := range said {
		r.Attributes = append(r.Attributes, attributes(name, value)...)
	}
	return r, nil
}

// A tracer keeps spans that have ended, and sends them from one goroutine.
type tracer struct {
	collector
	send func(context.Context, *tracepb.TracesData) error
	log  *slog.Logger
	// stopping is closed by stop, and stopped when the goroutine has ended.
	stopping, stopped chan struct{}

	mu      sync.Mutex
	waiting []*tracepb.Span
	lost    int

	// logged is when the log said last that spans are not sent. failing is set from then to
	// the next success. They belong to the goroutine.
	logged  time.Time
	failing bool
}

func newTracer(c collector, log *slog.Logger) *tracer {
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	t := &tracer{collector: c, log: log, stopping: make(chan struct{}), stopped: make(chan struct{})}
	t.send = func(ctx context.Context, spans *tracepb.TracesData) error { return c.post(ctx, client, spans) }
	return t
}

// take keeps a span that has ended, or drops it if too many wait.
func (t *tracer) take(s *tracepb.Span) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) < maxWaiting {
		t.waiting = append(t.waiting, s)
	} else {
		t.lost++
	}
}

// run sends spans until stop is called.
func (t *tracer) run() {
	defer close(t.stopped)
	ticker := time.NewTicker(sendEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-t.stopping:
			t.flush(StopTime)
			return
		}
		t.flush(sendTime)
	}
}

func (t *tracer) stop() {
	close(t.stopping)
	select {
	case <-t.stopped:
	case <-time.After(StopTime):
		t.log.Warn("the last traces are not sent")
	}
}

// flush sends the spans that wait. Those that cannot be sent are lost, and the log says so
// now and then.
func (t *tracer) flush(within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	t.mu.Lock()
	spans, lost := t.waiting, t.lost
	if len(spans) > 0 {
		t.waiting, t.lost = nil, 0
	}
	t.mu.Unlock()
	if len(spans) == 0 {
		return
	}
	err := t.send(ctx, &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: t.resource,
		ScopeSpans: []*tracepb.ScopeSpans{{
			Scope: &commonpb.InstrumentationScope{Name: "microblogging/cmd/microblogging/telemetry", Version: t.version},
			Spans: spans,
		}},
	}}})
	told := false
	switch {
	case err != nil:
		lost += len(spans)
		if told = t.logged.IsZero() || time.Since(t.logged) >= failuresEvery; told {
			t.log.Warn("traces are not sent", "lost", lost, "error", err)
			t.logged, t.failing = time.Now(), true
		}
	case t.failing:
		told, t.failing = true, false
		t.log.Info("traces are sent again", "lost", lost)
	}
	if !told {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.lost += lost
	}
}

// post sends spans to the collector.
func (c collector) post(ctx context.Context, client *http.Client, spans *tracepb.TracesData) error {
	defer client.CloseIdleConnections()
	body, err := proto.Marshal(spans) // the bytes of the request are the same
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = c.headers
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	if err := answer.Body.Close(); err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", answer.Status)
	}
	return nil
}
