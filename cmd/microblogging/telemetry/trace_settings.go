package telemetry

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
)

// traceSettings say where spans go, and which.
type traceSettings struct {
	url     string
	headers http.Header
	// ratio is the part of all traces that is sampled.
	ratio    float64
	resource *resourcepb.Resource
}

// readVariables reads variables of the OpenTelemetry specification. It returns nil if there are
// no traces: if no endpoint is named. An error does not show what may hold a password.
func readVariables(version string) (*traceSettings, error) {
	to := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	exporter, protocol := os.Getenv("OTEL_TRACES_EXPORTER"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL")
	at, err := url.Parse(to)
	switch {
	case strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true"), exporter == "none", to == "":
		return nil, nil
	case exporter != "" && exporter != "otlp":
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER must be otlp or none, not %q", exporter)
	case protocol != "" && protocol != "http/protobuf":
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not %q", protocol)
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "":
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://127.0.0.1:4318")
	}
	s := &traceSettings{url: at.JoinPath("v1/traces").String(), headers: http.Header{}}
	s.headers.Set("Content-Type", "application/x-protobuf")
	if err := eachPair("OTEL_EXPORTER_OTLP_HEADERS", s.headers.Set); err != nil {
		return nil, err
	}
	if s.ratio, err = readSampler(); err != nil {
		return nil, err
	}
	s.resource, err = readResource(version)
	return s, err
}

// eachPair calls set for each pair of a list.
func eachPair(variable string, set func(name, value string)) error {
	list := os.Getenv(variable)
	if list == "" {
		return nil
	}
	for pair := range strings.SplitSeq(list, ",") {
		name, text, _ := strings.Cut(pair, "=")
		value, err := url.PathUnescape(text)
		if text == "" || err != nil {
			return fmt.Errorf("%s must be a list such as name=value,other=value, with percent-encoded values", variable)
		}
		set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return nil
}

// readSampler returns which part of all traces is sampled.
func readSampler() (ratio float64, err error) {
	switch sampler := strings.TrimPrefix(os.Getenv("OTEL_TRACES_SAMPLER"), "parentbased_"); sampler {
	case "", "always_on":
		return 1, nil
	case "always_off":
		return 0, nil
	case "traceidratio":
		ratio, err := strconv.ParseFloat(os.Getenv("OTEL_TRACES_SAMPLER_ARG"), 64)
		if err != nil || !(ratio >= 0 && ratio <= 1) {
			return 0, errors.New("OTEL_TRACES_SAMPLER_ARG must be 0 to 1")
		}
		return ratio, nil
	default:
		return 0, fmt.Errorf("OTEL_TRACES_SAMPLER must be parentbased_ before always_on, "+
			"always_off or traceidratio, not %q", sampler)
	}
}

// readResource says who makes the spans. What is said last of a name counts.
func readResource(version string) (*resourcepb.Resource, error) {
	r := &resourcepb.Resource{Attributes: attributes("service.version", version)}
	if host, err := os.Hostname(); err == nil {
		r.Attributes = append(r.Attributes, attributes("host.name", host)...)
	}
	service := namespace
	err := eachPair("OTEL_RESOURCE_ATTRIBUTES", func(name, value string) {
		if name == "service.name" {
			service = value
			return
		}
		r.Attributes = append(r.Attributes, attributes(name, value)...)
	})
	if name := os.Getenv("OTEL_SERVICE_NAME"); name != "" {
		service = name
	}
	r.Attributes = append(r.Attributes, attributes("service.name", service)...)
	return r, err
}
