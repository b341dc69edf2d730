package traces

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// These variables are those of the OpenTelemetry specification. The SDK reads others itself, such
// as OTEL_TRACES_SAMPLER.
const (
	varDisabled = "OTEL_SDK_DISABLED"
	varExporter = "OTEL_TRACES_EXPORTER"
)

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

// asked tells whether there are traces: if an endpoint is named, or the exporter.
func asked() (bool, error) {
	exporter := os.Getenv(varExporter)
	switch {
	case strings.EqualFold(os.Getenv(varDisabled), "true"), exporter == "none":
		return false, nil
	case exporter == "":
		endpoint, _ := otlp("ENDPOINT")
		return endpoint != "", nil
	case exporter != "otlp":
		return false, fmt.Errorf("%s must be otlp or none, not %q", varExporter, exporter)
	}
	return true, nil
}

// A collector takes spans by HTTP. It is an otlptrace.Client, because that of otlptracehttp
// brings gRPC into the program, as does all of OpenTelemetry that knows the collector's service.
type collector struct {
	url     string
	headers http.Header
	client  http.Client
}

// newCollector reads the variables. An error does not show what may hold a password.
func newCollector() (*collector, error) {
	const ours = "http/protobuf"
	if protocol, from := otlp("PROTOCOL"); protocol != "" && protocol != ours {
		return nil, fmt.Errorf("%s must be %s, not %q", from, ours, protocol)
	}
	to, from := otlp("ENDPOINT")
	to = cmp.Or(to, "http://localhost:4318")
	if u, err := url.Parse(to); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s must be a URL such as http://127.0.0.1:4318", from)
	}
	if !strings.Contains(from, "_TRACES_") { // which says where as it is
		to = strings.TrimSuffix(to, "/") + "/v1/traces"
	}
	headers, err := readHeaders()
	return &collector{to, headers, http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}}, err
}

func readHeaders() (http.Header, error) {
	headers := http.Header{"Content-Type": {"application/x-protobuf"}}
	list, from := otlp("HEADERS")
	for pair := range strings.SplitSeq(list, ",") {
		name, text, _ := strings.Cut(pair, "=")
		value, err := url.PathUnescape(text)
		switch {
		case list == "":
		case text == "" || err != nil:
			return nil, fmt.Errorf("%s must be a list such as name=value,other=value, with percent-encoded values", from)
		default:
			headers.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return headers, nil
}

// Start implements otlptrace.Client.
func (c *collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client.
func (c *collector) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans}) // the bytes of the request are the same
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = c.headers
	answer, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", answer.Status)
	}
	return nil
}
