package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// The traces of a page and of its calls reach the collector, which is too busy for each first try.
func TestTraces(t *testing.T) {
	var mu sync.Mutex
	var received strings.Builder
	tries := 0
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if tries++; tries%2 == 1 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		body, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		var data bytes.Buffer
		if err := json.NewDecoder(io.TeeReader(body, &data)).Decode(&struct{}{}); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(&received, "%s %s %q %s", r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("Token"), &data)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL+"/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "other=1, token=abc%20de+f=")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=a%20garden")
	r, address := serving(t)
	client := &http.Client{Transport: &http.Transport{}}
	get(t, client, address+"/channels/not-there", http.StatusNotFound)
	client.CloseIdleConnections()
	r.end(t) // it sends what it has
	for _, want := range []string{
		`/v1/traces application/json "abc de+f="`, `{"key":"service.name","value":{"stringValue":"microblogging"}}`, `{"key":"service.instance.id","value":{"stringValue":"`,
		`{"key":"deployment.environment.name","value":{"stringValue":"a garden"}}`, `"name":"GET /channels/:name","kind":2,`, `"http.response.header.x-request-id","value":{"stringValue":"`,
		`"name":"point Channels","kind":3,`, `{"key":"db.operation.batch.size","value":{"intValue":"0"}}`, "db.collection.name",
	} {
		if !strings.Contains(received.String(), want) {
			t.Errorf("the collector has heard nothing of %q", want)
		}
	}
}
