package traces

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// The variables are those of the OpenTelemetry specification ("Environment Variable
// Specification", "OpenTelemetry Protocol Exporter"). The SDK reads them too, but goes on
// with a default where it cannot read one. So they are checked here first.
const (
	varDisabled    = "OTEL_SDK_DISABLED"
	varExporter    = "OTEL_TRACES_EXPORTER"
	varPropagators = "OTEL_PROPAGATORS"
	varSampler     = "OTEL_TRACES_SAMPLER"
	varSamplerArg  = "OTEL_TRACES_SAMPLER_ARG"
	varResource    = "OTEL_RESOURCE_ATTRIBUTES"
	varQueue       = "OTEL_BSP_MAX_QUEUE_SIZE"
	varBatch       = "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
)

// The values of varExporter.
const (
	exporterNone    = "none"
	exporterOTLP    = "otlp"
	exporterConsole = "console"
)

const (
	protocolGRPC = "grpc"
	// defaultQueue is the SDK's number of spans that wait at most.
	defaultQueue = 2048
	// maxQueue bounds varQueue, because the SDK makes room for the whole queue.
	maxQueue = 1_000_000
)

// settings are what the variables say and this package must know.
type settings struct {
	// exporter is exporterNone if there are no traces.
	exporter string
	protocol string
}

// variable returns the value of a variable. An empty one is as if it were not set.
func variable(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// otlp names the two variables of a setting of the OTLP exporter. The first is for traces
// alone, and goes before the second.
func otlp(setting string) []string {
	return []string{"OTEL_EXPORTER_OTLP_TRACES_" + setting, "OTEL_EXPORTER_OTLP_" + setting}
}

// first returns the first of the variables that is set.
func first(names []string) string {
	for _, name := range names {
		if value := variable(name); value != "" {
			return value
		}
	}
	return ""
}

// readSettings reads the variables. Without varExporter, there are traces if an endpoint is
// named. If there are none, the other variables are not looked at: they may be for other
// programs.
func readSettings() (settings, error) {
	if err := check(varDisabled, isBoolean); err != nil {
		return settings{}, err
	}
	s := settings{exporter: strings.ToLower(variable(varExporter)), protocol: first(otlp("PROTOCOL"))}
	if s.exporter == "" && first(otlp("ENDPOINT")) != "" {
		s.exporter = exporterOTLP
	}
	switch {
	case strings.EqualFold(variable(varDisabled), "true"), s.exporter == "":
		return settings{exporter: exporterNone}, nil
	case s.exporter != exporterNone && s.exporter != exporterOTLP && s.exporter != exporterConsole:
		return settings{}, fmt.Errorf("%s must be otlp, console or none, not %q", varExporter, s.exporter)
	case s.exporter == exporterNone:
		return s, nil
	}
	return s, s.check()
}

// newExporter makes the exporter. It reads the other variables itself.
func (s settings) newExporter(ctx context.Context, console io.Writer) (sdk.SpanExporter, error) {
	switch {
	case s.exporter == exporterConsole:
		return stdouttrace.New(stdouttrace.WithWriter(console))
	case s.protocol == protocolGRPC:
		return otlptracegrpc.New(ctx)
	default:
		return otlptracehttp.New(ctx)
	}
}

// newPropagator reads and writes the headers that varPropagators names.
func newPropagator() propagation.TextMapPropagator {
	var all []propagation.TextMapPropagator
	for name := range strings.SplitSeq(variable(varPropagators), ",") {
		switch strings.TrimSpace(name) {
		case "":
			return propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
		case "tracecontext":
			all = append(all, propagation.TraceContext{})
		case "baggage":
			all = append(all, propagation.Baggage{})
		}
	}
	return propagation.NewCompositeTextMapPropagator(all...)
}

// check checks the variables that the exporter, the SDK and newPropagator read.
func (s settings) check() error {
	failures := []error{
		check(varPropagators, listOf("tracecontext", "baggage", "none")),
		check(varSampler, isSampler),
		check(varResource, isPairs),
		check("OTEL_BSP_SCHEDULE_DELAY", isWhole(1, 1<<31)),
		check("OTEL_BSP_EXPORT_TIMEOUT", isWhole(1, 1<<31)),
		check(varQueue, isWhole(1, maxQueue)),
	}
	if strings.HasSuffix(strings.ToLower(variable(varSampler)), "traceidratio") {
		failures = append(failures, check(varSamplerArg, isRatio))
	}
	queue := defaultQueue
	if n, err := strconv.Atoi(os.Getenv(varQueue)); err == nil {
		queue = n
	}
	failures = append(failures, check(varBatch, isWhole(1, queue)))
	for _, limit := range []string{
		"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
		"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_EVENT_COUNT_LIMIT", "OTEL_SPAN_LINK_COUNT_LIMIT",
		"OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT",
	} {
		failures = append(failures, check(limit, isWhole(0, 1<<31)))
	}
	if s.exporter == exporterOTLP {
		failures = append(failures, checkOTLP()...)
	}
	for _, err := range failures {
		if err != nil {
			return err // one sentence
		}
	}
	return nil
}

// checkOTLP checks the variables of the OTLP exporter.
func checkOTLP() (failures []error) {
	for _, setting := range []struct {
		name  string
		valid func(value string) error
	}{
		{"ENDPOINT", isURL},
		{"PROTOCOL", oneOf("http/protobuf", "http/json", protocolGRPC)},
		{"HEADERS", isPairs},
		{"TIMEOUT", isWhole(1, 1<<31)},
		{"COMPRESSION", oneOf("gzip", "none")},
		{"INSECURE", isBoolean},
		{"CERTIFICATE", isCertificates},
	} {
		for _, name := range otlp(setting.name) {
			failures = append(failures, check(name, setting.valid))
		}
	}
	for i, certificate := range otlp("CLIENT_CERTIFICATE") {
		failures = append(failures, checkKeyPair(certificate, otlp("CLIENT_KEY")[i]))
	}
	return failures
}

// check checks a variable, if it is set.
func check(name string, valid func(value string) error) error {
	if variable(name) == "" {
		return nil
	}
	if err := valid(os.Getenv(name)); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	return nil
}

func isBoolean(value string) error { return oneOf("true", "false")(strings.ToLower(value)) }

func isSampler(value string) error {
	return oneOf("always_on", "always_off", "traceidratio",
		"parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio")(strings.ToLower(value))
}

func oneOf(words ...string) func(string) error {
	return func(value string) error {
		if !slices.Contains(words, strings.TrimSpace(value)) {
			return fmt.Errorf("must be %s, not %q", either(words), value)
		}
		return nil
	}
}

// either joins words with commas and an “or”.
func either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func listOf(words ...string) func(string) error {
	return func(value string) error {
		for word := range strings.SplitSeq(value, ",") {
			if !slices.Contains(words, strings.TrimSpace(word)) {
				return fmt.Errorf("must be a list of %s, not %q", either(words), value)
			}
		}
		return nil
	}
}

func isWhole(least, most int) func(string) error {
	return func(value string) error {
		if n, err := strconv.Atoi(value); err != nil || n < least || n > most {
			return fmt.Errorf("must be a whole number from %d to %d, not %q", least, most, value)
		}
		return nil
	}
}

func isRatio(value string) error {
	if ratio, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil || !(ratio >= 0 && ratio <= 1) {
		return fmt.Errorf("must be a number from 0 to 1, not %q", value)
	}
	return nil
}

// isURL does not show the value, which may hold a password.
func isURL(value string) error {
	u, err := url.Parse(strings.TrimSpace(value))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("must be a URL such as http://127.0.0.1:4318 or https://HOST")
	}
	return nil
}

// isPairs does not show the value, which may hold a password.
func isPairs(value string) error {
	for i, pair := range strings.Split(value, ",") {
		name, text, found := strings.Cut(pair, "=")
		_, err := url.PathUnescape(text)
		if !found || strings.TrimSpace(name) == "" || err != nil {
			return fmt.Errorf("must be a list such as name=value,other=value, with percent-encoded values; its entry %d is not", i+1)
		}
	}
	return nil
}

func isCertificates(file string) error {
	text, err := os.ReadFile(strings.TrimSpace(file))
	if err != nil {
		return fmt.Errorf("names a file that cannot be read: %w", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(text) {
		return fmt.Errorf("names the file %s, which has no certificate in PEM", file)
	}
	return nil
}

// checkKeyPair checks the certificate and the key with which the collector knows us.
func checkKeyPair(certificate, key string) error {
	files := [...]string{variable(certificate), variable(key)}
	switch {
	case files[0] == "" && files[1] == "":
		return nil
	case files[0] == "" || files[1] == "":
		return fmt.Errorf("%s and %s must be set together", certificate, key)
	}
	if _, err := tls.LoadX509KeyPair(files[0], files[1]); err != nil {
		return fmt.Errorf("%s and %s do not name a certificate and its key: %w", certificate, key, err)
	}
	return nil
}
