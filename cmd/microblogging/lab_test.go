package main

import (
	"net/http"
	"strings"
	"testing"
)

func TestLab(t *testing.T) {
	for flag, status := range map[string]int{"--no-lab=false": http.StatusOK, "--no-lab": http.StatusNotFound} {
		t.Run(flag, func(t *testing.T) {
			defer http.DefaultClient.CloseIdleConnections()
			r, address := serving(t, flag)
			defer r.end(t)
			for _, path := range []string{"/lab", "/lab/A1", "/lab/scenarios.json"} {
				get(t, http.DefaultClient, address+path, status)
			}
			for _, path := range []string{"/", "/how-deletion-works", "/channels"} {
				if body := get(t, http.DefaultClient, address+path, http.StatusOK); strings.Contains(body, `"/lab`) != (status == http.StatusOK) {
					t.Errorf("%s leads to the lab, or does not: %s", path, body)
				}
			}
		})
	}
}
