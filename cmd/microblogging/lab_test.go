package main

import (
	"net/http"
	"strings"
	"testing"
)

func TestLab(t *testing.T) {
	t.Run("is served, and each page leads to it", labIsServed)
	t.Run("is left out with --no-lab, and no page leads to it", noLabLeavesItOut)
}

func labIsServed(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	printed, stop := serving(t, 1, "--data", t.TempDir())
	defer stop()
	address := strings.TrimPrefix(printed[0], "listening on ")
	for _, path := range []string{"/lab", "/lab/A1", "/lab/scenarios.json"} {
		get(t, http.DefaultClient, address+path, http.StatusOK)
	}
	if home := get(t, http.DefaultClient, address, http.StatusOK); !strings.Contains(home, `href="/lab"`) {
		t.Errorf("the home page does not lead to the lab: %s", home)
	}
}

func noLabLeavesItOut(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	printed, stop := serving(t, 1, "--no-lab", "--data", t.TempDir())
	defer stop()
	address := strings.TrimPrefix(printed[0], "listening on ")
	for _, path := range []string{"/lab", "/lab/A1", "/lab/scenarios.json"} {
		get(t, http.DefaultClient, address+path, http.StatusNotFound)
	}
	for _, path := range []string{"/", "/how-deletion-works", "/channels"} {
		if body := get(t, http.DefaultClient, address+path, http.StatusOK); strings.Contains(body, "/lab") {
			t.Errorf("%s leads to the lab: %s", path, body)
		}
	}
}
