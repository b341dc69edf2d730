package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAdminListen(t *testing.T) {
	t.Run("answers the operator of each role, and no other client", adminAnswers)
	t.Run("refuses what a web page made a browser send", adminRefusesPages)
}

// admin awaits the address of the role's admin listener.
func (r *role) admin(t *testing.T) string {
	t.Helper()
	return r.await(t, `admin listener started" address=(\S+)`)
}

func adminAnswers(t *testing.T) {
	for command, flags := range map[string][]string{"serve": {"--listen", "127.0.0.1:0"}, "web": {"--listen", "127.0.0.1:0"}, "worker": nil} {
		t.Run(command, func(t *testing.T) {
			r := startRole(t, append([]string{command, "--admin-listen", "127.0.0.1:0"}, flags...)...)
			address := r.admin(t)
			get(t, http.DefaultClient, address+"/healthz", http.StatusOK)
			get(t, http.DefaultClient, address+"/readyz", http.StatusOK)
			if list := get(t, http.DefaultClient, address+"/debug/pprof/", http.StatusOK); !strings.Contains(list, "goroutine") {
				t.Errorf("the profiles are %s", list)
			}
			get(t, http.DefaultClient, address+"/debug/pprof/heap", http.StatusOK)
			get(t, http.DefaultClient, address+"/debug/pprof/cmdline", http.StatusNotFound) // it may hold a secret
			get(t, http.DefaultClient, address+"/channels", http.StatusNotFound)
			told := get(t, http.DefaultClient, address+"/metrics", http.StatusOK)
			for _, prefix := range []string{"store_up 1", "deletions_open 0", "bolt_commits_total", "http_requests_in_flight", "worker_deliveries_total"} {
				if !strings.Contains(told, "\nmicroblogging_"+prefix) {
					t.Errorf("does not tell of %s\n%s", prefix, told)
				}
			}
			if command != "worker" {
				public := r.await(t, `listening on (\S+)\n`)
				get(t, http.DefaultClient, public+"/debug/pprof/", http.StatusNotFound)
				get(t, http.DefaultClient, public+"/metrics", http.StatusNotFound)
			}
			r.end(t)
		})
	}
}

func adminRefusesPages(t *testing.T) {
	loopback, everywhere := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, &net.TCPAddr{IP: net.IPv4zero}
	for name, c := range map[string]struct {
		at         net.Addr
		host, site string
		status     int
	}{
		"by address":                       {loopback, "127.0.0.1:9090", "", 200},
		"by address of version 6":          {loopback, "[::1]:9090", "", 200},
		"by a name that leads here":        {loopback, "evil.example:9090", "", 403},
		"by a name on every address":       {everywhere, "web:9090", "", 200},
		"from a page of another site":      {everywhere, "web:9090", "cross-site", 403},
		"from a page of a neighbour":       {loopback, "localhost:9090", "same-site", 403},
		"typed into the address bar":       {loopback, "localhost:9090", "none", 200},
		"without the name of any host":     {loopback, "", "", 403},
		"by a name that begins alike":      {loopback, "localhost.evil.example", "", 403},
		"by a name that looks like a host": {loopback, "127.0.0.1.evil.example", "", 403},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(context.Background(), "GET", "/metrics", nil)
			r.Host = c.host
			if c.site != "" {
				r.Header.Set("Sec-Fetch-Site", c.site)
			}
			w := httptest.NewRecorder()
			guardAdmin(c.at, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
			if w.Code != c.status {
				t.Errorf("answers %d, want %d", w.Code, c.status)
			}
		})
	}
}
