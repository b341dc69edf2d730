package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestLab(t *testing.T) {
	for flags, status := range map[[2]string]int{
		{"--teach"}: http.StatusOK, {"--teach=false"}: http.StatusOK, {"--teach", "--no-lab"}: http.StatusNotFound,
	} {
		t.Run(strings.Join(flags[:], " "), func(t *testing.T) {
			defer http.DefaultClient.CloseIdleConnections()
			r, address := serving(t, slices.DeleteFunc(flags[:], func(flag string) bool { return flag == "" })...)
			defer r.end(t)
			for _, path := range []string{"/lab", "/lab/A1", "/lab/scenarios.json"} {
				get(t, http.DefaultClient, address+path, status)
			}
			for _, path := range []string{"/", "/how-deletion-works", "/channels"} {
				if body := get(t, http.DefaultClient, address+path, http.StatusOK); strings.Contains(body, `"/lab`) != (flags[0] == "--teach" && status == http.StatusOK) {
					t.Errorf("%s leads to the lab, or does not: %s", path, body)
				}
			}
		})
	}
}
