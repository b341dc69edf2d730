package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"microblogging/web"
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
	for name, c := range map[string]struct {
		path, host, site string
		status           int
	}{
		"by address":                       {"/metrics", "127.0.0.1:9090", "", 200},
		"by address of version 6":          {"/metrics", "[::1]:9090", "", 200},
		"by a name that leads here":        {"/metrics", "evil.example:9090", "", 421},
		"from a rebound name":              {"/metrics", "evil.example:9090", "same-origin", 421},
		"by a name of its own":             {"/metrics", "web:9090", "", 200},
		"from a page of another site":      {"/metrics", "web:9090", "cross-site", 403},
		"from a page of a neighbour":       {"/metrics", "localhost:9090", "same-site", 403},
		"typed into the address bar":       {"/metrics", "localhost:9090", "none", 200},
		"without the name of any host":     {"/metrics", "", "", 421},
		"by a name that begins alike":      {"/metrics", "localhost.evil.example", "", 421},
		"by a name that looks like a host": {"/metrics", "127.0.0.1.evil.example", "", 421},
		"a probe by any name":              {"/healthz", "evil.example:9090", "", 200},
		"a probe of readiness by any name": {"/readyz", "", "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(context.Background(), "GET", c.path, nil)
			r.Host = c.host
			if c.site != "" {
				r.Header.Set("Sec-Fetch-Site", c.site)
			}
			w := httptest.NewRecorder()
			guardAdmin(web.NewHosts(nil, []string{"web"}), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
			if w.Code != c.status {
				t.Errorf("answers %d, want %d", w.Code, c.status)
			}
		})
	}
}
