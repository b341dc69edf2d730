package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The file of the embedded store is removed: nothing is written, and /healthz fails.
func TestHealthWithoutFile(t *testing.T) {
	data := t.TempDir()
	r, address := serving(t, "--data", data)
	ask := func(method, path, body string) int {
		request, err := http.NewRequestWithContext(t.Context(), method, address+path, strings.NewReader(body))
		ok(t, err)
		request.Header.Set("Content-Type", "application/json")
		return statusOf(t, request)
	}
	ok(t, os.Remove(filepath.Join(data, "microblogging.db")))
	if status := ask("POST", "/api/v1/users", `{"name":"ada","password":"`+testPassword+`"}`); status != http.StatusServiceUnavailable {
		t.Errorf("a write answers %d, want 503", status)
	}
	if status := ask("GET", "/healthz", ""); status != http.StatusServiceUnavailable {
		t.Errorf("/healthz answers %d, want 503", status)
	}
	r.stop()
	if code := <-r.ended; code != exitFound || !strings.Contains(r.wrote.String(), "was removed or replaced") {
		t.Errorf("ended with %d after writing %s", code, r.wrote.String())
	}
}

func statusOf(t *testing.T, request *http.Request) int {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	ok(t, err)
	ok(t, response.Body.Close())
	return response.StatusCode
}
