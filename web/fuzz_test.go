package web_test

import (
	"slices"
	"testing"

	"microblogging/web"
)

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

func FuzzAPI(f *testing.F) { fuzzRequests(f, apiRoutes()) }

func FuzzPages(f *testing.F) { fuzzRequests(f, slices.Concat(pageRoutes(), fileRoutes())) }

func FuzzCredentials(f *testing.F) { fuzzRequests(f, credentialRoutes()) }

func fuzzRequests(f *testing.F, routes []route) {
	g := newStage(f, web.Options{Teach: true}, furnish)
	type input struct {
		route int
		seed
	}
	want := make(map[input]int)
	for i, r := range routes {
		for _, s := range r.seeds {
			f.Add(uint8(i), s.who, s.params, s.query, s.headers, s.body)
			status := s.status
			s.status = 0
			want[input{i, s}] = status
		}
	}
	f.Fuzz(func(t *testing.T, number, who uint8, params, query, headers, body string) {
		i, s := int(number)%len(routes), seed{who: who, params: params, query: query, headers: headers, body: body}
		if got, wanted := g.play(t, routes[i], s), want[input{i, s}]; got != wanted && wanted != 0 {
			t.Errorf("%s %+v: status %d, want %d", routes[i].name, s, got, wanted)
		}
	})
}
