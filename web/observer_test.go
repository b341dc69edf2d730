package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestObserver(t *testing.T) {
	t.Run("is told of each request by its route", observerOfRequests)
	t.Run("is told what the page cache had", observerOfCache)
}

// A notebook is an observer that writes down what it is told.
type notebook struct {
	mu             sync.Mutex
	requests, held []string
	stored         int64
}

func (n *notebook) Request(r *http.Request, route string) func(int) {
	return func(status int) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.requests = append(n.requests, fmt.Sprintf("%s %s %d", r.Method, route, status))
	}
}

func (n *notebook) Cached(cache string, hit bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held = append(n.held, fmt.Sprintf("%s %t", cache, hit))
}

func (n *notebook) Stored(bytes int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stored += bytes
}

func (n *notebook) OverQuota(quota string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held = append(n.held, quota)
}

// observed makes a site with a channel, and forgets what making it told the observer.
func observed(t *testing.T) (*site, *notebook) {
	t.Helper()
	n := &notebook{}
	s := newSiteWith(t, web.Options{Version: "test", Observer: n})
	s.post(s.channel("Engines", "ada"), "ada", "Hello")
	n.requests, n.held = nil, nil
	return s, n
}

func observerOfRequests(t *testing.T) {
	s, n := observed(t)
	s.do("GET", "/channels/Engines").want(200)
	s.do("GET", "/api/v1/channels/Missing").want(404)
	s.do("GET", "/static/no-such-file").want(404)
	s.do("GET", "/no/such/page/../../etc/passwd").want(404)
	s.do("PATCH", "/channels/Engines").want(405)
	s.breakStore(func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected })
	s.do("GET", "/readyz").want(503)
	want := []string{
		"GET /channels/:name 200", "GET /api/v1/channels/:name 404", "GET /static/* 404", "GET  404", "PATCH /channels/:name 405", "GET /readyz 503",
	}
	if !slices.Equal(n.requests, want) {
		t.Errorf("told:\n%s\nwant:\n%s", strings.Join(n.requests, "\n"), strings.Join(want, "\n"))
	}
}

func observerOfCache(t *testing.T) {
	s, n := observed(t)
	wantHeld := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(n.held, want) {
			t.Errorf("%s: told %q, want %q", what, n.held, want)
		}
		n.held = nil
	}
	s.do("GET", "/channels/Engines").want(200)
	wantHeld("the first time", "view false", "page false")
	s.do("GET", "/channels/Engines").want(200)
	wantHeld("the second time", "page true")
	s.do("GET", "/channels/Missing").want(404)
	wantHeld("no such channel")
}

func TestServerTiming(t *testing.T) {
	t.Run("does not tell which names exist", timingTellsNoNames)
}

// timingForm is what contract and issue ask for. What tells names has no rows.
var timingForm = regexp.MustCompile(`^store;dur=([0-9]+(?:\.[0-9]+)?), calls;desc="([0-9]+)"(?:, read;desc="([0-9]+)", returned;desc="([0-9]+)")?$`)

// A timing is what a Server-Timing header says. Rows are -1 if it does not count them.
type timing struct {
	milliseconds          float64
	calls, read, returned int
}

func (a answer) timing() timing {
	a.t.Helper()
	values := a.header.Values("Server-Timing")
	if len(values) != 1 {
		a.t.Fatalf("status %d has Server-Timing %q", a.status, values)
	}
	parts := timingForm.FindStringSubmatch(values[0])
	if parts == nil {
		a.t.Fatalf("Server-Timing: %s", values[0])
	}
	number := func(s string) int {
		if s == "" {
			return -1
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			a.t.Fatal(err)
		}
		return n
	}
	milliseconds, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		a.t.Fatal(err)
	}
	return timing{milliseconds, number(parts[2]), number(parts[3]), number(parts[4])}
}

// timingTellsNoNames compares all but the time for a name that exists and one that does
// not.
func timingTellsNoNames(t *testing.T) {
	s := newTeachingSite(t)
	s.author("ada")
	_, err := s.store.Accounts.NewDigestAddress(t.Context(), "ada")
	ok(t, err)
	signIn := func(name string) answer {
		return s.do("POST", "/sign-in", posted(url.Values{"name": {name}, "password": {"wrong password here"}}))
	}
	session := func(name string) answer {
		return s.do("POST", "/api/v1/sessions", fields("name", name, "password", "wrong password here"))
	}
	digest := func(name string) answer { return s.do("GET", "/digest/"+name+"/wrong/feed.atom") }
	for what, request := range map[string]func(name string) answer{"a form": signIn, "the API": session, "a digest": digest} {
		request("zoe") // the first writes the counters of this address
		known, unknown := request("ada"), request("bob")
		there, absent := known.timing(), unknown.timing()
		there.milliseconds, absent.milliseconds = 0, 0
		if known.status < 400 || known.status != unknown.status || there != absent {
			t.Errorf("%s: status %d, %+v for a name that exists; status %d, %+v for one that does not", what, known.status, there, unknown.status, absent)
		}
		if strings.Contains(string(known.body), "How this page was made") {
			t.Errorf("%s lists the calls of a name that exists", what)
		}
	}
}
