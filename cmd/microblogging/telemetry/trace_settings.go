package telemetry

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// traceSettings say where spans go, how, and which.
type traceSettings struct {
	url      string
	headers  http.Header
	resource []attribute
	// plain sends without compression.
	plain bool
	// timeout bounds one try to send, and delay is how long spans wait.
	timeout, delay time.Duration
	// queue is how many spans wait at most, and batch how many are sent together.
	queue, batch int
	// share is the part of all traces that is kept: 1 is each.
	share float64
}

// A variables reads variables of the OpenTelemetry specification. It keeps the first error, which does
// not show a value, because that may hold a password.
type variables struct{ err error }

// text returns the value of the first variable that has one, and its name.
func (v *variables) text(names ...string) (value, name string) {
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			return value, name
		}
	}
	return "", names[0]
}

// must keeps an error if the value of a variable is not what it must be.
func (v *variables) must(ok bool, name, be string) {
	if !ok && v.err == nil {
		v.err = errors.New(name + " must be " + be)
	}
}

// oneOf returns the value of a variable, which must be one of some. Without a value it is the first.
func (v *variables) oneOf(names []string, some ...string) string {
	value, name := v.text(names...)
	value = cmp.Or(value, some[0])
	v.must(slices.Contains(some, value), name, strings.Join(some, " or "))
	return value
}

// number returns the value of a variable that must be a number from 1 to a million.
func (v *variables) number(otherwise int, names ...string) int {
	value, name := v.text(names...)
	n, err := strconv.Atoi(cmp.Or(value, strconv.Itoa(otherwise)))
	v.must(err == nil && n >= 1 && n <= 1_000_000, name, "a number from 1 to 1000000")
	return n
}

// pairs returns the value of a variable that must be a list of names and values.
func (v *variables) pairs(names ...string) (pairs [][2]string) {
	text, from := v.text(names...)
	for pair := range strings.SplitSeq(text, ",") {
		name, encoded, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if value, err := url.PathUnescape(encoded); pair != "" {
			v.must(err == nil && name != "" && value != "", from, "a list such as name=value,other=value, with percent-encoded values")
			pairs = append(pairs, [2]string{name, value})
		}
	}
	return pairs
}

// readVariables returns nil if there are no traces: if no endpoint is named, or a variable says so.
func readVariables(o Options) (*traceSettings, error) {
	const otlp = "OTEL_EXPORTER_OTLP_"
	var v variables
	exporter := v.oneOf([]string{"OTEL_TRACES_EXPORTER"}, "otlp", "none")
	to, variable := v.text(otlp+"TRACES_ENDPOINT", otlp+"ENDPOINT")
	if to == "" || exporter == "none" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, v.err
	}
	at, err := url.Parse(to)
	if err != nil {
		at = &url.URL{}
	}
	v.must((at.Scheme == "http" || at.Scheme == "https") && at.Host != "", variable, "a URL such as http://127.0.0.1:4318")
	if variable == otlp+"ENDPOINT" { // of all signals: theirs are below it
		at = at.JoinPath("v1/traces")
	}
	v.oneOf([]string{otlp + "TRACES_PROTOCOL", otlp + "PROTOCOL"}, "http/json", "http/protobuf") // collectors take both on one port
	s := &traceSettings{
		url: at.String(), headers: http.Header{"Content-Type": {"application/json"}}, resource: v.resource(o), share: v.share(),
		plain:   v.oneOf([]string{otlp + "TRACES_COMPRESSION", otlp + "COMPRESSION"}, "gzip", "none") == "none",
		timeout: time.Duration(v.number(10_000, otlp+"TRACES_TIMEOUT", otlp+"TIMEOUT")) * time.Millisecond,
		delay:   time.Duration(v.number(1000, "OTEL_BSP_SCHEDULE_DELAY")) * time.Millisecond,
		queue:   v.number(4096, "OTEL_BSP_MAX_QUEUE_SIZE"), batch: v.number(512, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
	}
	if !s.plain {
		s.headers.Set("Content-Encoding", "gzip")
	}
	for _, pair := range v.pairs(otlp+"TRACES_HEADERS", otlp+"HEADERS") {
		s.headers.Set(pair[0], pair[1])
	}
	return s, v.err
}

// share returns the part of traces that OTEL_TRACES_SAMPLER keeps. Each trace begins here, so what a
// parent says does not matter.
func (v *variables) share() float64 {
	switch sampler := v.oneOf([]string{"OTEL_TRACES_SAMPLER"}, "parentbased_always_on", "always_on", "parentbased_always_off", "always_off",
		"parentbased_traceidratio", "traceidratio"); {
	case strings.HasSuffix(sampler, "always_off"):
		return 0
	case strings.HasSuffix(sampler, "traceidratio"):
		text, name := v.text("OTEL_TRACES_SAMPLER_ARG")
		share, err := strconv.ParseFloat(cmp.Or(text, "1"), 64)
		v.must(err == nil && share >= 0 && share <= 1, name, "a number from 0 to 1")
		return share
	}
	return 1
}

// resource says who makes the spans: the roles are services of their own, and each process is an instance.
func (v *variables) resource(o Options) []attribute {
	name := namespace
	if o.Role != "" && o.Role != "serve" {
		name += "-" + o.Role
	}
	values := map[string]string{"service.version": o.Version, "service.instance.id": o.Instance, "service.name": name}
	if host, err := os.Hostname(); err == nil {
		values["host.name"] = host
	}
	for _, pair := range v.pairs("OTEL_RESOURCE_ATTRIBUTES") {
		values[pair[0]] = pair[1]
	}
	values["service.name"] = cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), values["service.name"])
	var about []attribute
	for key, value := range values {
		about = append(about, attributes(key, value)...)
	}
	return about
}
