package telemetry

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"

	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
)

// traceSettings say where spans go.
type traceSettings struct {
	url      string
	headers  http.Header
	resource *resourcepb.Resource
}

// readVariables reads two variables of the OpenTelemetry specification. It returns nil if there
// are no traces: if no endpoint is named. An error does not show what may hold a password.
func readVariables(version string) (*traceSettings, error) {
	to := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	if to == "" {
		return nil, nil
	}
	at, err := url.Parse(to)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://127.0.0.1:4318")
	}
	headers := http.Header{"Content-Type": {"application/x-protobuf"}}
	for pair := range strings.SplitSeq(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		name, encoded, _ := strings.Cut(strings.TrimSpace(pair), "=")
		value, err := url.PathUnescape(encoded)
		if pair != "" && (err != nil || name == "" || value == "") {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS must be a list such as name=value,other=value, with percent-encoded values")
		}
		if pair != "" {
			headers.Set(name, value)
		}
	}
	return &traceSettings{url: at.JoinPath("v1/traces").String(), headers: headers, resource: resourceOf(version)}, nil
}

// resourceOf says who makes the spans.
func resourceOf(version string) *resourcepb.Resource {
	r := &resourcepb.Resource{Attributes: attributes("service.name", namespace, "service.version", version)}
	if host, err := os.Hostname(); err == nil {
		r.Attributes = append(r.Attributes, attributes("host.name", host)...)
	}
	return r
}
