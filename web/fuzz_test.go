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

// Each target below refutes that some request
//   - is answered by a status from 500 up, or logs an error, which a panic does
//     too, or sends a header that leads off the site
//   - is answered by the API with what the description does not say
//   - is refused, or only reads, and has changed a row or queued a message, but
//     for the counts of failed sign-ins
//   - is accepted and breaks an invariant.
//
// A target varies requests to its routes, of which each seed is answered by
// the status that it names: the mutator starts from requests that succeed.
// Routes are numbered by the corpus: new ones go last.

func FuzzAPI(f *testing.F) { fuzzRequests(f, apiRoutes, apiSeeds()) }

func FuzzPages(f *testing.F) { fuzzRequests(f, pageRoutes, pageSeeds()) }

// What hashes passwords is slow, and so has a target of its own.
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

// A seed is a request and the status that it has to be answered by.
type seed struct {
	draftRequest
	status int
}

func everyRouteIsFuzzed(t *testing.T) {
	fuzzed := slices.Concat(apiRoutes, pageRoutes, credentialRoutes)
	for _, route := range newSite(t).handler.(*echo.Echo).Routes() {
		fixed := route.Path == "/healthz" || route.Path == "/readyz" || route.Path == "/api/openapi.json" || strings.HasPrefix(route.Path, "/static/")
		if route.Method != http.MethodHead && !fixed && !slices.Contains(fuzzed, route.Method+" "+route.Path) {
			t.Errorf("%s %s is not fuzzed", route.Method, route.Path)
		}
	}
}
