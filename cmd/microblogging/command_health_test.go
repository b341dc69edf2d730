package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealthCommand(t *testing.T) {
	t.Run("a probe that answers 200 is healthy", healthOfRole)
	refused(t, exitFound, "127.0.0.1:1", "health", "http://127.0.0.1:1/readyz")
	for sentence, c := range map[string]struct {
		handler http.HandlerFunc
		says    string
	}{
		"a probe that answers 503 is not, and says why": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "storage does not answer", http.StatusServiceUnavailable)
		}, `503 "storage does not answer"`},
		"a page is not": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<!doctype html>")
		}, "answers 200 and not as a probe does"},
		"a redirect is not": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/elsewhere" {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
			}
		}, "302"},
		"silence is not": {func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}, "no answer within 500ms"},
		"an answer that does not end is not": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "503"},
	} {
		t.Run(sentence, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			if line := refused(t, exitFound, c.says, "health", server.URL+"/readyz", "--timeout", "500ms"); strings.Contains(line, "html") {
				t.Errorf("says %q", line)
			}
		})
	}
}

// healthOfRole asks a worker. Where a role answers its probes, it answers metrics and nothing else.
func healthOfRole(t *testing.T) {
	r := startRole(t, "worker", "--data", t.TempDir(), "--health-listen", "127.0.0.1:0")
	address := r.await(t, `health listener started" address=(\S+)`)
	for _, probe := range []string{"/healthz", "/readyz", "/", ""} {
		if code, out, errs := program(t, "health", address+probe); code != exitOK || out != "ok\n" || errs != "" {
			t.Errorf("%s: exits with %d, prints %q and says %q", probe, code, out, errs)
		}
	}
	if told := get(t, http.DefaultClient, address+"/metrics", http.StatusOK); !strings.Contains(told, "\nmicroblogging_store_up 1") {
		t.Errorf("the metrics are %s", told)
	}
	for _, path := range []string{"/", "/backup", "/debug/pprof/"} {
		get(t, http.DefaultClient, address+path, http.StatusNotFound)
	}
	r.end(t)
}
