package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A sweepGate stands between a worker and its tables, and decides when the
// transactions that sweep a channel arrive there. A deletion can so be looked at
// half way for as long as one likes, although it is over in a moment otherwise.
// Everything else passes.
type sweepGate struct {
	// account is the connection string that leads through the gate.
	account string
	// control is where POST /hold, /one, /open and /refuse tell the gate what to
	// do. It holds at first.
	control string

	mu sync.Mutex
	// changed is closed, and replaced, whenever credit or refusing changes.
	changed  chan struct{}
	credit   int
	refusing bool
}

// unlimited is more than any test sweeps.
const unlimited = 1 << 30

var tableEndpoint = regexp.MustCompile(`TableEndpoint=(http://[^/;]+)`)

func newSweepGate(t *testing.T, account string) *sweepGate {
	t.Helper()
	endpoint := tableEndpoint.FindStringSubmatch(account)
	if endpoint == nil {
		t.Fatalf("no table endpoint in %q", account)
	}
	tables, err := url.Parse(endpoint[1])
	if err != nil {
		t.Fatal(err)
	}
	g := &sweepGate{changed: make(chan struct{})}
	forward := httputil.NewSingleHostReverseProxy(tables)
	// What a worker gave up is no news.
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	through := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.admits(r) {
			http.Error(w, "refused by the test", http.StatusForbidden)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(through.Close)
	control := httptest.NewServer(http.HandlerFunc(g.obey))
	t.Cleanup(control.Close)
	g.account, g.control = strings.Replace(account, endpoint[1], through.URL, 1), control.URL
	return g
}

// unreachable is the account where nobody listens.
func unreachable(account string) string {
	return regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(account, "127.0.0.1:1")
}

// admits waits until the request may pass. It reports false if it may not, or
// if the worker has given it up.
func (g *sweepGate) admits(r *http.Request) bool {
	if !isSweep(r) {
		return true
	}
	for {
		decided, pass, changed := g.decide()
		if decided {
			return pass
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return false
		}
	}
}

// decide says whether a sweep may pass, or whose closing to wait for to ask again.
func (g *sweepGate) decide() (decided, pass bool, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.refusing:
		return true, false, nil
	case g.credit > 0:
		g.credit--
		return true, true, nil
	}
	return false, false, g.changed
}

// isSweep tells by the operations: no other transaction of a worker deletes more
// than one row.
func isSweep(r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, "/$batch") {
		return false
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil && bytes.Count(body, []byte("\nDELETE ")) > 1
}

func (g *sweepGate) obey(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refusing = false
	switch r.URL.Path {
	case "/hold":
		g.credit = 0
	case "/one":
		g.credit++
	case "/open":
		g.credit = unlimited
	case "/refuse":
		g.refusing = true
	default:
		http.NotFound(w, r)
		return
	}
	close(g.changed)
	g.changed = make(chan struct{})
}
