package telemetry

import (
	"cmp"
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
	headers, errHeaders := pairs("OTEL_EXPORTER_OTLP_HEADERS")
	for name := range headers {
		s.headers.Set(name, headers.Get(name))
	}
	s.headers.Set("Content-Type", "application/x-protobuf")
	resource, errResource := pairs("OTEL_RESOURCE_ATTRIBUTES")
	s.resource = resourceOf(version, resource)
	s.ratio, err = readSampler()
	return s, cmp.Or(errHeaders, errResource, err)
}

// pairs reads a list of pairs with percent-encoded values, in which a plus stands for itself.
func pairs(variable string) (url.Values, error) {
	encoded := strings.NewReplacer(", ", "&", ",", "&", "&", "%26", ";", "%3B", "+", "%2B").Replace(os.Getenv(variable))
	list, err := url.ParseQuery(encoded)
	for name := range list {
		if list.Get(name) == "" {
			err = errors.New("no value")
		}
	}
	if err != nil {
		return url.Values{}, fmt.Errorf("%s must be a list such as name=value,other=value, with percent-encoded values", variable)
	}
	return list, nil
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

// resourceOf says who makes the spans.
func resourceOf(version string, named url.Values) *resourcepb.Resource {
	named.Set("service.name", cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), named.Get("service.name"), namespace))
	r := &resourcepb.Resource{Attributes: attributes("service.version", version)}
	if host, err := os.Hostname(); err == nil {
		r.Attributes = append(r.Attributes, attributes("host.name", host)...)
	}
	for name := range named {
		r.Attributes = append(r.Attributes, attributes(name, named.Get(name))...)
	}
	return r
}
