package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
)

func TestFuzzTargets(t *testing.T) {
	t.Run("every route is fuzzed", everyRouteIsFuzzed)
}

// Each target looks for a request that
//   - gets a status of 500 or more, logs an error (as a panic does), or gets a header
//     that leads off the site
//   - gets an answer from the API that the description does not have
//   - is refused or only reads, but changes a row or queues a message (counts of failed
//     sign-ins excepted)
//   - is accepted and breaks an invariant.
//
// A target varies requests to its routes. Each seed states the status that it must get,
// so the fuzzer starts from requests that succeed.

func FuzzAPI(f *testing.F) { fuzzRequests(f, apiRoutes, apiSeeds()) }

func FuzzPages(f *testing.F) { fuzzRequests(f, pageRoutes, pageSeeds()) }

// FuzzCredentials is a target of its own because hashing passwords is slow.
func FuzzCredentials(f *testing.F) {
	fuzzRequests(f, credentialRoutes, credentialSeeds())
}

func fuzzRequests(f *testing.F, routes []string, seeds []seed) {
	g := newStage(f)
	want := make(map[draftRequest]int)
	succeeds := make(map[string]bool)
	for _, s := range seeds {
		want[s.draftRequest] = s.status
		succeeds[s.route] = succeeds[s.route] || s.status < 400
		f.Add(uint8(slices.Index(routes, s.route)), s.who, s.params, s.query, s.headers, s.body)
	}
	for _, route := range routes {
		if !succeeds[route] {
			f.Errorf("no seed of %s succeeds", route)
		}
	}
	f.Fuzz(func(t *testing.T, route, who uint8, params, query, headers, body string) {
		d := draftRequest{routes[int(route)%len(routes)], who, params, query, headers, body}
		status := g.play(t, d)
		if status != want[d] && want[d] != 0 {
			t.Errorf("%+v: status %d, want %d", d, status, want[d])
		}
	})
}

// A seed is a request and the status that it must get.
type seed struct {
	draftRequest
	status int
}

func everyRouteIsFuzzed(t *testing.T) {
	fuzzed := slices.Concat(apiRoutes, pageRoutes, credentialRoutes)
	for _, route := range newSite(t).handler.(*echo.Echo).Routes() {
		fixed := route.Path == "/healthz" || route.Path == "/readyz" || route.Path == "/api/openapi.json" || strings.HasPrefix(route.Path, "/static/") ||
			route.Path == "/favicon.ico" || route.Path == "/apple-touch-icon.png" || route.Path == "/robots.txt"
		if route.Method != http.MethodHead && !fixed && !slices.Contains(fuzzed, route.Method+" "+route.Path) {
			t.Errorf("%s %s is not fuzzed", route.Method, route.Path)
		}
	}
}
