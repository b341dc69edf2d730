package web_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/web"
)

func TestServerTiming(t *testing.T) {
	t.Run("is in each response, with as many calls as the store got", everyRouteIsTimed)
	t.Run("counts what a page reads", timingCountsAPage)
	t.Run("counts calls beside each other", timingCountsConcurrentCalls)
	t.Run("is in redirects, problems, 304 and event streams", otherAnswersAreTimed)
	t.Run("is in a response after the store failed", failureIsTimed)
	t.Run("does not tell which names exist", timingTellsNoNames)
}

// timingForm is what contract and issue ask for. What tells names has no rows.
var timingForm = regexp.MustCompile(`^store;dur=([0-9]+(?:\.[0-9]+)?), calls;desc="([0-9]+)"(?:, read;desc="([0-9]+)", returned;desc="([0-9]+)")?$`)

// A cost is what a Server-Timing header says. Rows are -1 if it does not count them.
type cost struct {
	milliseconds          float64
	calls, read, returned int
}

func (a answer) cost() cost {
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
	return cost{milliseconds, number(parts[2]), number(parts[3]), number(parts[4])}
}

// A routeSample fills in the parameters of the routes, so that handlers get as far as
// they can.
type routeSample struct {
	*site
	channel domain.Channel
	blog    domain.Blog
	who     change
}

func newRouteSample(s *site) routeSample {
	s.Helper()
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	return routeSample{s, channel, s.post(channel, "ada", "Hello"), func(r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			bearer(token)(r)
		} else {
			r.AddCookie(&http.Cookie{Name: "session", Value: token})
		}
	}}
}

// visit sends a request, and leaves an event stream as soon as it has begun.
func (s routeSample) visit(method, path string, who change) answer {
	s.Helper()
	ctx, leave := context.WithCancel(s.Context())
	defer leave()
	w := &leavingReader{httptest.NewRecorder(), leave}
	r := httptest.NewRequestWithContext(ctx, method, path, nil)
	who(r)
	s.handler.ServeHTTP(w, r)
	return answer{s, w.Code, w.Header(), w.Body.Bytes()}
}

// A leavingReader leaves when it gets the beginning of a response that goes on.
type leavingReader struct {
	*httptest.ResponseRecorder
	leave func()
}

func (w *leavingReader) Flush() {
	w.ResponseRecorder.Flush()
	w.leave()
}

// path fills in a route's parameters.
func (s routeSample) path(route string) string {
	parameters := map[string]string{
		":name": "Engines", ":channel": "Engines", ":blog": string(s.blog.ID), ":id": string(s.blog.ID), ":user": "ada",
		":incarnation": string(s.channel.Incarnation), ":secret": "secret", "*": "app.css",
	}
	segments := strings.Split(route, "/")
	for i, segment := range segments {
		if value, ok := parameters[segment]; ok {
			segments[i] = url.PathEscape(value)
		} else if strings.HasPrefix(segment, ":") {
			segments[i] = "x"
		}
	}
	return strings.ReplaceAll(strings.Join(segments, "/"), `\:`, ":") // the router's escape
}

// routes are all that the web role answers, and one that it does not.
func (s routeSample) routes() []*echo.Route {
	s.Helper()
	router, ok := s.handler.(*echo.Echo)
	if !ok {
		s.Fatalf("the handler is a %T: this test does not see its routes", s.handler)
	}
	routes := router.Routes()
	if len(routes) < 60 {
		s.Fatalf("only %d routes", len(routes))
	}
	routes = append(routes, &echo.Route{Method: http.MethodGet, Path: "/nothing"}, &echo.Route{Method: http.MethodPut, Path: "/"})
	// In the order of their methods, so that the channel is there until it is deleted.
	order := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	slices.SortFunc(routes, func(a, b *echo.Route) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Method), slices.Index(order, b.Method)), cmp.Compare(a.Path, b.Path))
	})
	return routes
}

func everyRouteIsTimed(t *testing.T) {
	stopping := make(chan struct{})
	close(stopping) // so that a stream ends after its first event
	s := newRouteSample(newSiteWith(t, web.Options{Version: "test", Stopping: stopping}))
	for _, route := range s.routes() {
		for who, change := range map[string]change{"a stranger": func(*http.Request) {}, "a user": s.who} {
			name := fmt.Sprintf("%s %s by %s", route.Method, route.Path, who)
			var a answer
			made := 0
			for _, n := range s.calls(func() { a = s.visit(route.Method, s.path(route.Path), change) }) {
				made += n
			}
			if got := a.cost(); got.calls != made || got.calls == 0 && got.milliseconds != 0 {
				t.Errorf("%s: %+v, and the store got %d calls", name, got, made)
			}
		}
	}
}

func timingCountsAPage(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", "ada")
	for i := range 30 {
		s.post(channel, "ada", fmt.Sprint("Post ", i))
	}
	// The channel; its gate; 21 posts, behind which the store finds another; its owner, who subscribes.
	if got := s.do("GET", "/channels/Engines").want(200).cost(); got.calls != 4 || got.read != 1+1+22+1 || got.returned != 1+1+21+1 || got.milliseconds <= 0 {
		t.Errorf("a channel's page costs %+v", got)
	}
	if got := s.do("GET", "/channels/Engines").want(200).cost(); got.calls != 2 || got.read != 2 || got.returned != 2 || got.milliseconds <= 0 {
		t.Errorf("a channel's page that is kept costs %+v", got)
	}
	if got := s.do("GET", "/api/v1/channels/Engines").want(200).cost(); got.calls != 1 || got.read != 1 || got.returned != 1 {
		t.Errorf("a channel in the API costs %+v", got)
	}
	if got := s.do("GET", "/how-deletion-works").want(200).cost(); got != (cost{}) {
		t.Errorf("a page that asks nothing costs %+v", got)
	}
}

func timingCountsConcurrentCalls(t *testing.T) {
	s := newSite(t)
	token := s.signUp("bea")
	for i := range 20 {
		channel := s.channel(fmt.Sprint("Channel", i), "ada")
		s.post(channel, "ada", "Hello")
		s.subscribe("bea", channel)
	}
	made := 0
	var a answer
	for _, n := range s.calls(func() { a = s.do("GET", "/", cookie(token)).want(200) }) {
		made += n
	}
	if got := a.cost(); got.calls != made || made < 40 {
		t.Errorf("a feed costs %+v, and the store got %d calls", got, made)
	}
}

func otherAnswersAreTimed(t *testing.T) {
	s := newSite(t)
	b, channel := s.signedIn("bea"), s.channel("Engines", string(s.author("ada")))
	s.post(channel, "ada", "Hello")
	subscribe := url.Values{"action": {"subscribe"}, "incarnation": {string(channel.Incarnation)}}
	if got := s.do("POST", "/channels/Engines", posted(subscribe), b.cookies).want(303).cost(); got.calls < 8 {
		t.Errorf("a form that subscribes costs %+v", got)
	}
	s.do("GET", "/channels/Nothing").want(404).cost()
	s.do("GET", "/api/v1/channels/Nothing").want(404).cost()
	s.do("POST", "/channels", header("Sec-Fetch-Site", "cross-site")).want(403).cost()
	feed := s.do("GET", "/channels/Engines/feed.atom").want(200)
	feed.cost()
	if got := s.do("GET", "/channels/Engines/feed.atom", header("If-None-Match", feed.header.Get("Etag"))).want(304).cost(); got.calls == 0 {
		t.Errorf("304 costs %+v", got)
	}
	s.askDeletion(channel)
	s.cascade(channel.Ref())
	s.advance(channel.Ref(), domain.DeletionDone, "", 3)
	events := "/channels/Engines/deletions/" + string(channel.Incarnation) + "/events"
	if got := s.do("GET", events, s.again("ada").cookies).want(200).cost(); got.calls == 0 {
		t.Errorf("an event stream costs %+v until it begins", got)
	}
}

func failureIsTimed(t *testing.T) {
	s := newSite(t)
	s.breakStore(everyCall(domain.ErrUnavailable))
	for path, calls := range map[string]int{"/channels/Engines": 2, "/api/v1/channels/Engines": 1} { // the gate is read beside the channel
		if got := s.do("GET", path).want(503).cost(); got.calls < 1 || got.calls > calls || got.read != 0 {
			t.Errorf("%s costs %+v", path, got)
		}
	}
}

// timingTellsNoNames compares all but the time for a name that exists and one that does
// not.
func timingTellsNoNames(t *testing.T) {
	s := newSite(t)
	s.author("ada")
	if _, err := s.store.NewDigestAddress(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
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
		there, absent := known.cost(), unknown.cost()
		there.milliseconds, absent.milliseconds = 0, 0
		if known.status < 400 || known.status != unknown.status || there != absent {
			t.Errorf("%s: status %d, %+v for a name that exists; status %d, %+v for one that does not", what, known.status, there, unknown.status, absent)
		}
	}
}
