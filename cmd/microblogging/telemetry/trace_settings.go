package telemetry

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// traceSettings say where spans go.
type traceSettings struct {
	url      string
	headers  http.Header
	resource []attribute
}

// readVariables reads variables of the OpenTelemetry specification. It returns nil if there
// are no traces: if no endpoint is named. An error does not show what may hold a password.
func readVariables(version string) (*traceSettings, error) {
	variable := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" // the whole address
	all := os.Getenv(variable) == ""
	if all {
		variable = "OTEL_EXPORTER_OTLP_ENDPOINT" // of all signals: theirs are below it
	}
	to := os.Getenv(variable)
	if to == "" {
		return nil, nil
	}
	at, err := url.Parse(to)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return nil, errors.New(variable + " must be a URL such as http://127.0.0.1:4318")
	}
	if all {
		at = at.JoinPath("v1/traces")
	}
	headers := http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}
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
	return &traceSettings{url: at.String(), headers: headers, resource: resourceOf(version)}, nil
}

// resourceOf says who makes the spans.
func resourceOf(version string) []attribute {
	about := attributes("service.name", cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), namespace), "service.version", version)
	if host, err := os.Hostname(); err == nil {
		about = append(about, attributes("host.name", host)...)
	}
	return about
}
