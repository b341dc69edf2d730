package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A sweepValve is a proxy between a worker and its tables. It decides when the
// transactions of a sweep pass, so that a test can look at a deletion that is half
// done for as long as it likes. All other requests pass immediately.
type sweepValve struct {
	// account is the connection string that leads through the valve.
	account string
	// control is the URL where POST /hold, /one, /open and /refuse tell the valve
	// what to do. At first it holds.
	control string

	mu sync.Mutex
	// changed wakes the waiting goroutines when credit or refusing has changed.
	changed  *sync.Cond
	credit   int
	refusing bool
}

// unlimited is more transactions than any test needs.
const unlimited = 1 << 30

var tableEndpoint = regexp.MustCompile(`TableEndpoint=(http://[^/;]+)`)

func newSweepValve(t *testing.T, account string) *sweepValve {
	t.Helper()
	endpoint := tableEndpoint.FindStringSubmatch(account)
	if endpoint == nil {
		t.Fatalf("no table endpoint in %q", account)
	}
	tables, err := url.Parse(endpoint[1])
	ok(t, err)
	v := &sweepValve{}
	v.changed = sync.NewCond(&v.mu)
	forward := httputil.NewSingleHostReverseProxy(tables)
	// The default handler logs each request that a worker gave up.
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	through := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !v.admits(r) {
			// Not 403 or 503: the worker would wait for a store that answers so.
			http.Error(w, "refused by the test", http.StatusBadRequest)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(through.Close)
	control := httptest.NewServer(http.HandlerFunc(v.obey))
	t.Cleanup(control.Close)
	v.account, v.control = strings.Replace(account, endpoint[1], through.URL, 1), control.URL
	return v
}

// unreachable is the same account at a port where no process listens.
func unreachable(account string) string {
	return regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(account, "127.0.0.1:1")
}

// heldTooLong is how long a request may be held and still pass. The worker gives a try up after 5 s: if
// one passed just before that, its response would be lost, and its rows not counted. Its next try passes.
const heldTooLong = 2 * time.Second

// admits waits until the request may pass. It returns false if the request is
// refused, or the worker has given it up.
func (v *sweepValve) admits(r *http.Request) bool {
	if !isSweep(r) {
		return true
	}
	defer context.AfterFunc(r.Context(), v.changed.Broadcast)()
	arrived := time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	for (v.credit == 0 || time.Since(arrived) > heldTooLong) && !v.refusing && r.Context().Err() == nil {
		v.changed.Wait()
	}
	if v.credit == 0 || v.refusing || r.Context().Err() != nil {
		return false
	}
	v.credit--
	return true
}

// isSweep reports whether a request is a transaction of a sweep: no other transaction of a worker
// deletes more than one row of Blogs.
func isSweep(r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, "/$batch") {
		return false
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil && bytes.Count(body, []byte("\nDELETE ")) > 1 && bytes.Contains(body, []byte("/Blogs("))
}

func (v *sweepValve) obey(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refusing = false
	switch r.URL.Path {
	case "/hold":
		v.credit = 0
	case "/one":
		v.credit++
	case "/open":
		v.credit = unlimited
	case "/refuse":
		v.refusing = true
	default:
		http.NotFound(w, r)
		return
	}
	v.changed.Broadcast()
}
