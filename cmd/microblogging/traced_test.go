package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// The traces of a page and of its calls reach the collector.
func TestTraces(t *testing.T) {
	var mu sync.Mutex
	var received strings.Builder
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&received, "%s %s %q %s", r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("Token"), body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL+"/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "other=1, token=abc%20de+f=")
	printed, stop := serving(t, 1, "--data", t.TempDir())
	client := &http.Client{Transport: &http.Transport{}}
	get(t, client, strings.TrimPrefix(printed[0], "listening on ")+"/channels/nobody-has-it", http.StatusNotFound)
	client.CloseIdleConnections()
	stop() // it sends what it has
	for _, want := range []string{`/v1/traces application/x-protobuf "abc de+f="`, "service.name", "GET /channels/:name", "point Channels", "db.collection.name"} {
		if !strings.Contains(received.String(), want) {
			t.Errorf("the collector has heard nothing of %q", want)
		}
	}
}

// A collector that does not answer changes nothing of how a role ends.
func TestTracesOfNobody(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	printed, stop := serving(t, 1, "--data", t.TempDir())
	client := &http.Client{Transport: &http.Transport{}}
	get(t, client, strings.TrimPrefix(printed[0], "listening on ")+"/channels/nobody-has-it", http.StatusNotFound)
	client.CloseIdleConnections()
	stop()
}
