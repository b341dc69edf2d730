package web_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http/httpguts"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

// A stage is a web role whose store is reset before each request, so that the effect of
// a request depends only on the request. The store is lab/mem: it keeps the contract of
// all backends, and its content is a value, which is cheap to reset and to compare.
type stage struct {
	*site
	db    *mem.DB
	start mem.Snapshot
	// names replaces placeholders in a request, such as {post}, by the ids of this
	// stage, which are random.
	names *strings.Replacer
	// newest is the post that is {post}.
	newest domain.BlogID
	tokens [4]string
	errors *bytes.Buffer
}

// newStage makes a stage whose content furnish makes.
func newStage(t testing.TB, options web.Options, furnish func(*stage)) *stage {
	t.Helper()
	g := &stage{db: mem.Open(mem.Snapshot{}, "stage"), errors: &bytes.Buffer{}}
	options.Version, options.TrustProxy, options.SiteAbout = "test", true, "# About us\n\n## Rules\n\nNo selling.\n"
	options.Operators = domain.Operators{"ada"}
	if options.Stopping == nil {
		stopping := make(chan struct{})
		close(stopping) // event streams end after their first event
		options.Stopping = stopping
	}
	options.Logger = slog.New(slog.NewTextHandler(g.errors, &slog.HandlerOptions{Level: slog.LevelError}))
	g.site = newSiteOver(t, g.db, options)
	furnish(g)
	g.start = g.db.Snapshot()
	return g
}

// request makes the request as net/http would pass it on, or nil if net/http would
// refuse it.
func (g *stage) request(t testing.TB, of route, s seed) *http.Request {
	method, path, _ := strings.Cut(of.name, " ")
	params := g.names.Replace(s.params)
	for segment := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(segment, ":") || segment == "*" {
			var param string
			param, params, _ = strings.Cut(params, "/")
			path = strings.Replace(path, segment, param, 1)
		}
	}
	path = strings.ReplaceAll(path, `\:`, ":") // the router's escape
	u, err := url.ParseRequestURI(path + "?" + g.names.Replace(s.query))
	if err != nil {
		return nil
	}
	body := g.names.Replace(s.body)
	r := &http.Request{
		Method: method, URL: u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: make(http.Header),
		Body: http.NoBody, ContentLength: int64(len(body)), Host: "blog.example", RemoteAddr: "192.0.2.1:1234", RequestURI: u.RequestURI(),
	}
	if body != "" {
		r.Body = io.NopCloser(strings.NewReader(body))
	}
	g.setHeaders(r, s)
	return r.WithContext(t.Context())
}

func (g *stage) setHeaders(r *http.Request, s seed) {
	switch token := g.tokens[s.who&3]; {
	case token == "":
	case s.who&4 == 0:
		r.Header.Set("Authorization", "Bearer "+token)
	default:
		r.Header.Set("Cookie", "session="+token)
	}
	for line := range strings.SplitSeq(g.names.Replace(s.headers), "\n") {
		name, value, _ := strings.Cut(line, ":")
		if httpguts.ValidHeaderFieldName(name) {
			r.Header.Add(name, carried(value))
		}
	}
	if !strings.HasPrefix(r.URL.Path, "/api/") && r.Method == http.MethodPost && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
}

// carried removes the bytes that net/http refuses from the value of a header. To drop
// the whole header would waste most of the fuzzer's inputs.
func carried(value string) string {
	kept := slices.DeleteFunc([]byte(value), func(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f })
	return strings.Trim(string(kept), " \t")
}

// ask resets the store and answers a request.
func (g *stage) ask(t testing.TB, r *http.Request) answer {
	t.Helper()
	g.reset(t)
	return g.answer(t, r)
}

// play answers a seed and checks what every answer must keep. It returns the status, or 0 if
// there is no request.
func (g *stage) play(t testing.TB, of route, s seed) int {
	t.Helper()
	r := g.request(t, of, s)
	if r == nil {
		return 0
	}
	a := g.ask(t, r)
	if a.status < 200 || a.status >= 500 || g.errors.Len() > 0 {
		t.Errorf("status %d, logged %q", a.status, g.errors)
		g.errors.Reset()
	}
	checkHeaderValues(t, a)
	g.checkWrites(t, r, a)
	return a.status
}

func (g *stage) reset(t testing.TB) {
	t.Helper()
	ok(t, g.db.Change(func(mem.Snapshot) (mem.Snapshot, error) { return g.start, nil }))
}

// checkHeaderValues finds a value that would break the header or lead off the site.
func checkHeaderValues(t testing.TB, a answer) {
	t.Helper()
	for name, values := range a.header {
		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				t.Errorf("%s is %q", name, value)
			}
		}
	}
	location := a.header.Get("Location")
	if location != "" && (location[0] != '/' || strings.HasPrefix(location, "//") || strings.ContainsAny(location, "\\")) {
		t.Errorf("Location leads to %q", location)
	}
}

// checkWrites finds a write of a request that was refused or that only reads. If a
// request was accepted, it checks the invariants.
func (g *stage) checkWrites(t testing.TB, r *http.Request, a answer) {
	t.Helper()
	now := g.db.Snapshot()
	if now.Sum() == g.start.Sum() {
		return
	}
	reads := r.Method == http.MethodGet && r.URL.Path != "/sign-in/link"
	if a.status < 400 && !reads {
		checker := g.store.Operator.NewChecker(time.Hour, false, drivertest.FailOnce(t))
		if _, err := checker.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return
	}
	// A refused request may count as a failed sign-in. The stage starts without garbage,
	// so no read has anything to repair.
	if unthrottled(t, now).Sum() != g.start.Sum() {
		t.Errorf("%s %s: status %d, and the store has changed:\n%s", r.Method, r.URL, a.status, changes(g.start, now))
	}
}

// unthrottled returns a snapshot without the counts of failed sign-ins.
func unthrottled(t testing.TB, s mem.Snapshot) mem.Snapshot {
	t.Helper()
	db := mem.Open(s, "")
	for row := range s.Rows("Throttle") {
		ok(t, driver.NewTable(db, "Throttle").Transact(t.Context(), row.Partition, driver.Delete(row.Row, driver.Exists)))
	}
	return db.Snapshot()
}

// changes lists the rows and messages that only one of the snapshots has.
func changes(before, after mem.Snapshot) string {
	lines := make(map[string]int)
	for by, s := range map[int]mem.Snapshot{-1: before, 1: after} {
		for _, table := range []string{"Channels", "Blogs", "Deletions", "Users", "Sessions", "Subscriptions"} {
			for row := range s.Rows(table) {
				lines[fmt.Sprintf("%s: %+v\n", table, row)] += by
			}
		}
		for _, m := range s.Messages(domain.QueueName) {
			lines[fmt.Sprintf("%s: %s\n", domain.QueueName, m.Text)] += by
		}
	}
	var b strings.Builder
	for line, by := range lines {
		if by != 0 {
			fmt.Fprintf(&b, "%+d %s", by, line)
		}
	}
	return b.String()
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
// so the fuzzer starts from requests that succeed. Make a seed of what it finds: the file that Go
// writes names the route by its number, which a new route changes.

func FuzzAPI(f *testing.F) {
	fuzzRequests(f, slices.DeleteFunc(siteRoutes(), func(r route) bool { return !r.isAPI() }))
}

func FuzzPages(f *testing.F) {
	fuzzRequests(f, append(slices.DeleteFunc(siteRoutes(), route.isAPI), fileRoutes()...))
}

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
