package main

import (
	"net/http"
	"strings"
	"testing"
)

func TestRegistrationFlag(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	for what, c := range map[string]struct {
		environment string
		flags       []string
		status      int
		warns       bool
	}{
		"a loopback address is open":                     {"", nil, http.StatusCreated, false},
		"every address is invited, and the log says so":  {"", []string{"--listen", "0.0.0.0:0"}, http.StatusForbidden, true},
		"a base URL is invited, and the log says so":     {"", []string{"--base-url", "http://127.0.0.1:80"}, http.StatusForbidden, true},
		"a proxy is invited, and the log says so":        {"", []string{"--trust-proxy"}, http.StatusForbidden, true},
		"a network is invited, and the log says so":      {"", []string{"--trust-proxy=10.0.0.0/8"}, http.StatusForbidden, true},
		"a proxy that is not trusted is none":            {"", []string{"--trust-proxy=false"}, http.StatusCreated, false},
		"every address is open if the operator says so":  {"", []string{"--listen", "0.0.0.0:0", "--registration", "open"}, http.StatusCreated, false},
		"the environment says it":                        {"open", []string{"--base-url", "http://127.0.0.1:80"}, http.StatusCreated, false},
		"a variable that is empty is unset":              {" ", nil, http.StatusCreated, false},
		"a loopback address is closed if the flag is so": {"open", []string{"--registration", "closed"}, http.StatusForbidden, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Setenv("MICROBLOGGING_REGISTRATION", strings.TrimSpace(c.environment))
			r, address := serving(t, c.flags...)
			answer, err := http.Post(address+"/api/v1/users", "application/json", strings.NewReader(`{"name":"ada","password":"correct horse"}`))
			ok(t, err)
			ok(t, answer.Body.Close())
			r.end(t)
			if answer.StatusCode != c.status || strings.Contains(r.wrote.String(), "level=WARN msg=\"others may reach this site") != c.warns {
				t.Errorf("a sign-up is answered %d, want %d, and the log is %s", answer.StatusCode, c.status, r.wrote.String())
			}
		})
	}
	t.Run("another word ends the start with the reason", func(t *testing.T) {
		refused(t, exitCannotRun, "--registration must be one of", "web", "--registration", "secret", "--data", t.TempDir())
	})
}
