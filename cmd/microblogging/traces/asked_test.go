package traces

import (
	"log/slog"
	"os"
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
	return Options{Version: "test", Storage: "bolt", Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
}

func TestStart(t *testing.T) {
	t.Run("nothing is started without a variable, or if one says so", nothingIsStarted)
	t.Run("an exporter or an endpoint starts traces", tracesAreStarted)
	t.Run("a variable that is wrong is told in a sentence", wrongVariableIsTold)
	t.Run("a secret is not told", secretIsNotTold)
}

func nothingIsStarted(t *testing.T) {
	for _, set := range []map[string]string{
		{},
		{"OTEL_TRACES_EXPORTER": "none"},
		{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "not looked at"},
		{"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
		{"OTEL_SDK_DISABLED": "TRUE", "OTEL_TRACES_EXPORTER": "no such exporter"},
		{"OTEL_SERVICE_NAME": "site", "OTEL_TRACES_SAMPLER": "always_on", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
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
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://collector.example/v1/traces", "OTEL_EXPORTER_OTLP_HEADERS": "a=b, c=d%20e"},
		{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_SDK_DISABLED": "false"},
		{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25"},
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
	for _, wrong := range []struct{ name, value string }{
		{"OTEL_TRACES_EXPORTER", "console"},
		{"OTEL_TRACES_EXPORTER", "otlp,zipkin"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://collector"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://[::1"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
		{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "token"},
		{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=b,c=%zz"},
		{"OTEL_RESOURCE_ATTRIBUTES", "team"},
	} {
		unset(t)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
		t.Setenv(wrong.name, wrong.value)
		got, err := Start(t.Context(), options(t))
		if got != nil || err == nil || !strings.Contains(err.Error(), wrong.name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("with %s=%s: %v, %v", wrong.name, wrong.value, got, err)
		}
	}
}

func secretIsNotTold(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		unset(t)
		t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
		t.Setenv(name, "ftp://SECRET:SECRET@host")
		if _, err := Start(t.Context(), options(t)); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("with %s: %v", name, err)
		}
	}
}
