package traces

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unset unsets every variable of the specification that this process was started with.
func unset(t *testing.T) {
	t.Helper()
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
}

func options(t *testing.T) Options {
	return Options{Version: "test", Storage: "bolt", Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Console: t.Output()}
}

func TestSettings(t *testing.T) {
	t.Run("nothing is started without a variable, or if one says so", nothingIsStarted)
	t.Run("an exporter or an endpoint starts traces", tracesAreStarted)
	t.Run("a variable that is wrong is told in a sentence", wrongVariableIsTold)
	t.Run("a secret is not told", secretIsNotTold)
}

func nothingIsStarted(t *testing.T) {
	for _, set := range []map[string]string{
		{},
		{"OTEL_TRACES_EXPORTER": "none"},
		{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_TIMEOUT": "soon"},
		{"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
		{"OTEL_SDK_DISABLED": "TRUE", "OTEL_TRACES_EXPORTER": "no such exporter"},
		{"OTEL_SERVICE_NAME": "site", "OTEL_TRACES_SAMPLER": "always_on", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "  "},
	} {
		unset(t)
		for name, value := range set {
			t.Setenv(name, value)
		}
		if got, err := Start(t.Context(), options(t)); got != nil || err != nil {
			t.Errorf("with %v: %v, %v", set, got, err)
		}
	}
}

func tracesAreStarted(t *testing.T) {
	for _, set := range []map[string]string{
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://collector.example/v1/traces", "OTEL_EXPORTER_OTLP_HEADERS": "a=b,c=d%20e"},
		{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_SDK_DISABLED": "false"},
		{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"},
		{"OTEL_TRACES_EXPORTER": "console", "OTEL_EXPORTER_OTLP_TIMEOUT": "not looked at"},
		{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_TRACES_SAMPLER": "ParentBased_TraceIDRatio", "OTEL_TRACES_SAMPLER_ARG": "0.25"},
		{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_PROPAGATORS": "tracecontext, baggage", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test"},
	} {
		unset(t)
		for name, value := range set {
			t.Setenv(name, value)
		}
		got, err := Start(t.Context(), options(t))
		if got == nil || err != nil {
			t.Errorf("with %v: %v, %v", set, got, err)
		}
		got.Stop()
	}
}

func wrongVariableIsTold(t *testing.T) {
	noPEM := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(noPEM, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct{ name, value, besides string }{
		{"OTEL_SDK_DISABLED", "yes", ""},
		{"OTEL_TRACES_EXPORTER", "zipkin", ""},
		{"OTEL_TRACES_EXPORTER", "otlp,console", ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318", ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://collector", ""},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://", ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://[::1", ""},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "http", ""},
		{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "GRPC", ""},
		{"OTEL_EXPORTER_OTLP_HEADERS", "token", ""},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a=%zz", ""},
		{"OTEL_EXPORTER_OTLP_TIMEOUT", "10s", ""},
		{"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "0", ""},
		{"OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", ""},
		{"OTEL_EXPORTER_OTLP_INSECURE", "1", ""},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE", "/no/such/file", ""},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE", noPEM, ""},
		{"OTEL_EXPORTER_OTLP_CLIENT_KEY", noPEM, ""},
		{"OTEL_EXPORTER_OTLP_CLIENT_KEY", noPEM, "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"},
		{"OTEL_TRACES_SAMPLER", "jaeger_remote", ""},
		{"OTEL_TRACES_SAMPLER_ARG", "2", ""},
		{"OTEL_TRACES_SAMPLER_ARG", "NaN", ""},
		{"OTEL_PROPAGATORS", "b3", ""},
		{"OTEL_RESOURCE_ATTRIBUTES", "team", ""},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "1000000000000", ""},
		{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4096", ""},
		{"OTEL_BSP_SCHEDULE_DELAY", "-1", ""},
		{"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "many", ""},
	} {
		unset(t)
		t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
		t.Setenv("OTEL_TRACES_SAMPLER", "traceidratio")
		t.Setenv(wrong.name, wrong.value)
		if wrong.besides != "" {
			t.Setenv(wrong.besides, wrong.value)
		}
		got, err := Start(t.Context(), options(t))
		if got != nil || err == nil || !strings.Contains(err.Error(), wrong.name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("with %s=%s: %v, %v", wrong.name, wrong.value, got, err)
		}
		if wrong.besides != "" {
			t.Setenv(wrong.besides, "")
		}
	}
}

func secretIsNotTold(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_RESOURCE_ATTRIBUTES"} {
		unset(t)
		t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
		t.Setenv(name, "ftp://SECRET:SECRET@host")
		if _, err := Start(t.Context(), options(t)); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("with %s: %v", name, err)
		}
	}
}
