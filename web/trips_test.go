package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

// latency is how long a call takes in these tests, in fake time.
const latency = 10 * time.Millisecond

// A trip is what a request costs on a network: how many calls wait for one another, and
// how many calls there are.
type trip struct{ trips, calls int }

// tripsOf sends a request to a store whose calls take as long as a round trip.
func (s *site) tripsOf(path string, who change) (trip, answer) {
	s.Helper()
	var calls atomic.Int64
	s.breakStore(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		calls.Add(1)
		time.Sleep(latency)
		return send(ctx)
	})
	defer s.mendStore()
	began := time.Now()
	r := httptest.NewRequestWithContext(s.Context(), http.MethodGet, path, nil)
	who(r)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return trip{int(time.Since(began) / latency), int(calls.Load())}, answer{s, w.Code, w.Header(), w.Body.Bytes()}
}

// A tripCase is a page that one of the readers of a tripSite opens. Its process knows the
// reader's session from an earlier request.
type tripCase struct {
	// route is the pattern of the route, and query what its address has behind it.
	route, query string
	reader       string
	// changed is what the page costs after its channel has changed, and again what it costs
	// right after that. Most pages cost the same: then again is zero.
	changed, again trip
}

// GET routes whose answer needs nothing of the store but the session, or is a stream.
var tripless = []string{
	"/static/*", "/favicon.ico", "/apple-touch-icon.png", "/robots.txt", "/healthz", "/readyz", "/api/openapi.json", signInLink,
	"/channels/:name/deletions/:incarnation/events", "/channels/:name/rows/events",
}

const signInLink = "/sign-in/link"

// tripCases is the table of docs/performance.md, "What a page costs on Azure".
func tripCases() []tripCase {
	return []tripCase{
		{"/", "", "", trip{1, 1}, trip{}},
		{"/channels", "", "", trip{1, 1}, trip{}},
		{"/channels", "", "bea", trip{1, 3}, trip{}},
		{"/channels/:name", "", "", trip{2, 4}, trip{1, 2}},
		{"/channels/:name", "", "bea", trip{2, 8}, trip{1, 6}},
		{"/channels/:name", "?order=rating", "bea", trip{4, 28}, trip{1, 6}},
		{"/channels/:name/blogs/:id", "", "", trip{2, 3}, trip{1, 2}},
		{"/channels/:name/blogs/:id", "", "bea", trip{2, 6}, trip{1, 5}},
		{"/channels/:name/feed", "", "", trip{1, 1}, trip{}},
		{"/channels/:name/feed", "", "bea", trip{1, 3}, trip{}},
		{"/channels/:name/feed.atom", "", "", trip{2, 3}, trip{1, 2}},
		{"/channels/:name/feed.json", "", "", trip{2, 3}, trip{1, 2}},
		{"/channels/:name/news", "", "", trip{1, 2}, trip{}},
		{"/users/:user", "", "", trip{2, 18}, trip{}},
		{"/users/:user", "", "bea", trip{2, 20}, trip{}},

		{"/", "", "bea", trip{3, 67}, trip{}},
		{"/news", "", "bea", trip{3, 19}, trip{}},
		{"/digest", "", "bea", trip{4, 68}, trip{}},
		{"/subscriptions", "", "bea", trip{2, 35}, trip{}},
		{"/account", "", "bea", trip{1, 2}, trip{}},
		{"/channels/new", "", "bea", trip{1, 2}, trip{}},
		{"/sign-in", "", "", trip{}, trip{}},
		{"/sign-up", "", "", trip{}, trip{}},
		{"/sign-out", "", "bea", trip{1, 2}, trip{}},
		{"/keys", "", "bea", trip{1, 2}, trip{}},
		{"/how-deletion-works", "", "bea", trip{1, 2}, trip{}},

		{"/channels/:name/edit", "", "ada", trip{1, 3}, trip{}},
		{"/channels/:name/delete", "", "ada", trip{1, 3}, trip{}},
		{"/channels/:name/blogs/:id/edit", "", "ada", trip{1, 4}, trip{}},
		{"/channels/:name/rows", "", "ada", trip{2, 7}, trip{}},
		{"/account/deletions", "", "ada", trip{2, 6}, trip{}},
		{"/channels/:name/deletions/:incarnation", "", "ada", trip{1, 3}, trip{}},
		{"/digest/:user/:secret/feed.atom", "", "", trip{3, 18}, trip{}},

		{"/api/v1/channels", "", "", trip{1, 1}, trip{}},
		{"/api/v1/channels/:name", "", "", trip{1, 1}, trip{}},
		{"/api/v1/channels/:name/blogs", "", "", trip{1, 2}, trip{}},
		{"/api/v1/channels/:name/blogs", "?order=rating", "", trip{2, 22}, trip{}},
		{"/api/v1/channels/:name/blogs/:id", "", "", trip{1, 2}, trip{}},
		{"/api/v1/channels/:name/deletions/:incarnation", "", "ada", trip{1, 3}, trip{}},
		{"/api/v1/deletions", "", "ada", trip{2, 6}, trip{}},
		{"/api/v1/subscriptions", "", "bea", trip{2, 35}, trip{}},
		{"/api/v1/feed", "", "bea", trip{3, 67}, trip{}},
		{"/api/v1/digest", "", "bea", trip{4, 67}, trip{}},
	}
}

// A tripSite has something on each page. Ada owns everything, and bea subscribes to it.
type tripSite struct {
	*site
	readers map[string]change
	path    func(c tripCase) string
	// change changes the channel that the pages are about.
	change func()
}

func newTripSite(t *testing.T) tripSite {
	t.Helper()
	s := newSiteWith(t, web.Options{Version: "test"})
	readers := map[string]change{"": func(*http.Request) {}}
	for _, name := range []string{"ada", "bea"} {
		token := s.signUp(name)
		readers[name] = func(r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/api/") {
				bearer(token)(r)
			} else {
				cookie(token)(r)
			}
		}
	}
	engines := s.channel("Engines", "ada")
	var blog domain.Blog
	for i := range 30 {
		time.Sleep(time.Second)
		blog = s.post(engines, "ada", fmt.Sprint("Post ", i))
	}
	s.vote(blog, 3)
	for i := range 16 {
		channel := s.channel(fmt.Sprintf("Channel%02d", i), "ada")
		if err := s.store.ListChannel(t.Context(), channel); err != nil {
			t.Fatal(err)
		}
		s.post(channel, "ada", "Hello")
		s.subscribe("bea", channel)
	}
	var asked domain.Channel
	for i := range 3 {
		asked = s.channel(fmt.Sprint("Asked", i), "ada")
		s.askDeletion(asked)
		s.cascade(asked.Ref())
		s.advance(asked.Ref(), domain.DeletionDone, "", 3)
	}
	secret, err := s.store.NewDigestAddress(t.Context(), "bea")
	if err != nil {
		t.Fatal(err)
	}
	changes := 0
	change := func() {
		changes++
		voter := domain.UserName(fmt.Sprint("voter", changes))
		if err := s.store.Vote(t.Context(), engines.Ref(), blog.ID, voter); err != nil {
			t.Fatal(err)
		}
	}
	path := func(c tripCase) string {
		name, user := "Engines", "ada"
		if strings.Contains(c.route, ":incarnation") {
			name = string(asked.Name)
		}
		if strings.Contains(c.route, ":secret") {
			user = "bea"
		}
		return strings.NewReplacer(":name", name, ":id", string(blog.ID), ":user", user, ":secret", secret,
			":incarnation", string(asked.Incarnation)).Replace(c.route) + c.query
	}
	return tripSite{s, readers, path, change}
}

func (s tripSite) mustCost(when string, c tripCase, want trip) {
	s.Helper()
	got, a := s.tripsOf(s.path(c), s.readers[c.reader])
	if a.status != 200 || len(a.body) == 0 {
		s.Errorf("%s%s by %q: status %d\n%s", c.route, c.query, c.reader, a.status, a.body)
	}
	if got != want {
		s.Errorf("%s%s by %q, %s: %d round trips and %d calls, want %d and %d",
			c.route, c.query, c.reader, when, got.trips, got.calls, want.trips, want.calls)
	}
}

func TestTrips(t *testing.T) {
	t.Run("a page costs the round trips that it must", pageCostsTheRoundTripsThatItMust)
}

func pageCostsTheRoundTripsThatItMust(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTripSite(t)
		covered := tripless
		for _, c := range tripCases() {
			s.do("GET", "/account", s.readers[c.reader]) // so that the process knows the session
			s.change()
			s.mustCost("after a change", c, c.changed)
			if c.again == (trip{}) {
				c.again = c.changed
			}
			s.mustCost("again", c, c.again)
			covered = append(covered, c.route)
		}
		for _, route := range (routeSample{site: s.site}).routes() {
			if route.Method == http.MethodGet && !slices.Contains(covered, route.Path) && route.Path != "/nothing" {
				t.Errorf("the table has no row for %s", route.Path)
			}
		}
	})
}
