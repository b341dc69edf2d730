package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestRoutes(t *testing.T) {
	t.Run("are all in the table, and the API's in its description", routesAreAllInTheTable)
	t.Run("take the fields of their description and no others", routesTakeWhatIsDocumented)
	t.Run("take the actions of the forms on pages", routesTakeActions)
	t.Run("name a notice that has a sentence", routesNameTheirNotice)
	t.Run("answer who may ask and refuse everybody else", routesAnswerWhoMayAsk)
	t.Run("do not fail for a session that has ended, or an account that is being deleted", routesOfWhoLeaves)
	t.Run("do nothing for a page of another origin", routesDoNothingForAnotherOrigin)
	t.Run("neither read nor write under a name that is not the site's", routesDoNothingUnderAnotherName)
	t.Run("read no body that is too large", routesReadNoLargeBody)
	t.Run("refuse a body that is damaged or of another type", routesRefuseADamagedBody)
	t.Run("are limited if they write", routesAreLimitedIfTheyWrite)
	t.Run("count a text that they store, and refuse it if that is too much for a day", routesCountTexts)
	t.Run("say that the store does not answer, and not why", routesSayThatTheStoreIsAway)
	t.Run("of a channel that is not there or is being deleted say so", routesOfAChannelThatIsGone)
	t.Run("show no channel without its gate, and nothing of an account that is being deleted", routesShowNoHiddenChannel)
	t.Run("end with their session once they have begun", routesEndWithTheirSession)
	t.Run("tell what they cost", routesTellWhatTheyCost)
	t.Run("have the headers of every response", routesHaveTheirHeaders)
	t.Run("compress what is long enough", routesCompress)
	t.Run("save their body by its tag", routesSaveTheirBody)
}

// try calls a test with each route and its first seed, which the test may change.
func (g *stage) try(t *testing.T, test func(t *testing.T, r route, s seed)) {
	t.Helper()
	for _, r := range allRoutes() {
		t.Run(r.name, func(t *testing.T) { test(t, r, r.seeds[0]) })
	}
}

// send sends a seed, with changes.
func (g *stage) send(t testing.TB, r route, s seed, changes ...change) answer {
	t.Helper()
	request := g.request(t, r, s)
	for _, change := range changes {
		change(request)
	}
	return g.ask(t, request)
}

// refused fails the test unless the request gets the status and writes nothing.
func (g *stage) refused(t testing.TB, status int, r route, s seed, changes ...change) answer {
	t.Helper()
	a := g.send(t, r, s, changes...)
	if a.status != status || a.writes != 0 {
		t.Errorf("as %d with %q: status %d, want %d, and %d writes", s.who, s.params, a.status, status, a.writes)
	}
	return a
}

// counted is how many calls of the store a request takes.
func (g *stage) counted(request func()) (calls int) {
	for _, n := range g.calls(request) {
		calls += n
	}
	return calls
}

func routesAreAllInTheTable(t *testing.T) {
	s := newSiteWith(t, web.Options{Version: "test", SiteAbout: "We row."})
	var registered, listed, described, api []string
	for _, r := range s.handler.(*echo.Echo).Routes() {
		if r.Method == http.MethodHead {
			continue
		}
		registered = append(registered, r.Method+" "+r.Path)
		if strings.HasPrefix(r.Path, "/api/v1/") {
			api = append(api, documented(r.Method+" "+r.Path))
		}
	}
	for _, r := range allRoutes() {
		listed = append(listed, r.name)
		if r.reads() && len(r.costs) == 0 && !r.isStream() && !r.isFile() && r.seeds[0].status == 200 {
			t.Errorf("%s has no cost", r.name)
		}
		_, word, _ := strings.Cut(r.name, "/channels/")
		word, _, _ = strings.Cut(word, "/")
		if _, err := domain.ParseChannelName(word); err == nil {
			t.Errorf("%s hides the channel %s: reserve the name in domain.ParseChannelName", r.name, word)
		}
		if first := r.seeds[0].status; first >= 400 {
			t.Errorf("the first seed of %s gets %d", r.name, first)
		}
	}
	for path, item := range s.spec.paths() {
		for method := range item.(map[string]any) {
			if method != "parameters" {
				described = append(described, strings.ToUpper(method)+" "+path)
			}
		}
	}
	same(t, "registered", registered, "in web/route_table_test.go", listed)
	same(t, "registered", api, "in web/openapi.json", described)
}

// A field that a route takes is in the body of a seed that succeeds.
func routesTakeWhatIsDocumented(t *testing.T) {
	spec := newSite(t).spec
	for _, r := range allRoutes() {
		if !r.isAPI() {
			continue
		}
		schema := dig(spec.of(r), "requestBody.content.application/json.schema")
		var taken []string
		for _, s := range r.seeds {
			if s.status < 300 && s.body != "" {
				var body any
				ok(t, json.Unmarshal([]byte(s.body), &body))
				taken = append(taken, members(body)...)
			}
		}
		same(t, "documented", spec.members(schema), "in a seed of route_table_test.go that succeeds, of "+r.name, taken)
	}
}

// Each action that a handler knows is in the body of a seed that succeeds, and in package templates.
func routesTakeActions(t *testing.T) {
	var seeds string
	for _, r := range allRoutes() {
		for _, s := range r.seeds {
			if s.status < 400 {
				seeds += s.body + "&"
			}
		}
	}
	forms := sources(t, "../templates/*.*")
	for _, handler := range regexp.MustCompile(`(?s)form\.Get\("action"\).*?\n\t}`).FindAllString(sources(t, "*.go"), -1) {
		for _, action := range regexp.MustCompile(`(?:case|!=) "([\w-]+)"`).FindAllStringSubmatch(handler, -1) {
			if !strings.Contains(seeds, "action="+action[1]+"&") || !strings.Contains(forms, `"`+action[1]+`"`) {
				t.Errorf("action=%s is not in a seed that succeeds, or in no form: add it to route_table_test.go and to templates", action[1])
			}
		}
	}
}

func routesNameTheirNotice(t *testing.T) {
	g := newStage(t, web.Options{}, furnish)
	for _, r := range allRoutes() {
		for _, s := range r.seeds {
			if s.status != http.StatusSeeOther {
				continue
			}
			for _, line := range g.send(t, r, s).header.Values("Set-Cookie") {
				notice, _, _ := strings.Cut(line, ";")
				page := g.do("GET", "/keys", header("Cookie", notice))
				if strings.HasPrefix(notice, "notice=") && !strings.Contains(string(page.body), `<p class="notice"`) {
					t.Errorf("%s: no page says what %s is", r.name, notice)
				}
			}
		}
	}
}

// sources is the text of the files of a pattern.
func sources(t *testing.T, pattern string) (text string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	ok(t, err)
	for _, name := range names {
		file, err := os.ReadFile(name)
		ok(t, err)
		text += string(file)
	}
	return text
}

// members are the names of the members of a JSON value, at any depth.
func members(value any) (names []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			names = append(append(names, name), members(member)...)
		}
	case []any:
		for _, item := range value {
			names = append(names, members(item)...)
		}
	}
	return names
}

func same(t *testing.T, here string, these []string, there string, those []string) {
	t.Helper()
	for _, one := range these {
		if !slices.Contains(those, one) {
			t.Errorf("%s is %s, and not %s", one, here, there)
		}
	}
	for _, one := range those {
		if !slices.Contains(these, one) {
			t.Errorf("%s is %s, and not %s", one, there, here)
		}
	}
}

func routesAnswerWhoMayAsk(t *testing.T) {
	g := newStage(t, web.Options{Teach: true}, furnish)
	g.try(t, func(t *testing.T, r route, s seed) {
		asker := s.who
		if r.who >= users {
			for _, s.who = range []uint8{anonymous, invalid, badCookie} {
				g.refused(t, 401, r, s)
			}
		}
		if r.who >= owner {
			s.who = asker ^ ada ^ bob // the other one of the two, by the same means
			g.refused(t, 403, r, s)
		}
		if r.who == everyone && r.reads() {
			for _, s.who = range []uint8{anonymous, adasCookie} {
				a := g.send(t, r, s)
				if a.status != r.seeds[0].status && a.status != http.StatusSeeOther {
					t.Errorf("as %d: status %d", s.who, a.status)
				}
				if s.who == adasCookie && strings.Contains(string(a.plain()), ">Sign in<") {
					t.Error("it does not name its reader: its access in routes.go is anyone, and not everybody")
				}
			}
			if s.who = invalid; r.isAPI() && g.send(t, r, s).status != 401 && dig(g.spec.of(r), "responses.401") != nil {
				t.Error("it refuses no token, and openapi.json documents a 401: let its access in routes.go be anyone, or drop the 401")
			}
		}
	})
}

// The process has seen the sessions before they ended, or before their accounts were to be deleted.
func routesOfWhoLeaves(t *testing.T) {
	const ended = "an ended session"
	users := map[uint8]domain.UserName{ada: "ada", bob: "bob"}
	for what, leave := range map[string]func(g *stage, who uint8){
		ended: func(g *stage, who uint8) { ok(g, g.store.Accounts.SignOut(g.Context(), g.tokens[who])) },
		"a pending account": func(g *stage, who uint8) {
			_, err := g.store.Accounts.Delete(g.Context(), storage.Attempt{Name: string(users[who]), Password: password}, false)
			ok(g, err)
			g.tokens[who] = g.session(string(users[who]))
		},
	} {
		g := newStage(t, web.Options{Teach: true}, furnish)
		there, before := g.start, g.tokens
		for who := range users {
			leave(g, who)
		}
		gone := g.db.Snapshot()
		g.try(t, func(t *testing.T, r route, s seed) {
			for _, s.who = range []uint8{ada, adasCookie, bob, bobsCookie} {
				g.start = there
				g.reset(t)
				g.do("GET", "/account", cookie(before[s.who&3])).want(200)
				g.start = gone
				a := g.send(t, r, s)
				if a.status >= 500 || what == ended && r.who != everyone && a.status != 401 {
					t.Errorf("%s, as %d: status %d", what, s.who, a.status)
				}
				if what != ended && !r.reads() && !r.free && a.status < 400 {
					t.Errorf("%s writes, as %d: status %d", what, s.who, a.status)
				}
			}
		})
	}
}

func routesDoNothingForAnotherOrigin(t *testing.T) {
	g := newStage(t, web.Options{Teach: true}, furnish)
	g.try(t, func(t *testing.T, r route, s seed) {
		if r.reads() {
			if a := g.send(t, r, s, header("Sec-Fetch-Site", "cross-site")); a.status != s.status {
				t.Errorf("a link on another site: status %d", a.status)
			}
			return
		}
		for _, foreign := range [][2]string{
			{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
		} {
			g.refused(t, 403, r, s, func(request *http.Request) { request.Header.Set(foreign[0], foreign[1]) })
		}
	})
}

// A probe is answered under each name.
func routesDoNothingUnderAnotherName(t *testing.T) {
	g := newStage(t, web.Options{Teach: true}, furnish)
	g.try(t, func(t *testing.T, r route, s seed) {
		want := 421
		if r.name == "GET /healthz" || r.name == "GET /readyz" {
			want = s.status
		}
		for _, s.who = range []uint8{s.who, anonymous, adasCookie} {
			calls := g.counted(func() { g.refused(t, want, r, s, host("rebind.test:8080")) })
			if want == 421 && calls != 0 {
				t.Errorf("as %d: %d calls of the store", s.who, calls)
			}
		}
	})
}

// unread is a body that fails the test when it is read.
type unread struct{ testing.TB }

func (u unread) Read([]byte) (int, error) {
	u.Error("the body is read")
	return 0, io.EOF
}

// sized is a body of so many bytes. A negative length is not declared.
func sized(body io.Reader, length int) change {
	return func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(body), int64(length) }
}

func routesReadNoLargeBody(t *testing.T) {
	g := newStage(t, web.Options{Teach: true}, furnish)
	g.try(t, func(t *testing.T, r route, s seed) {
		g.refused(t, 413, r, s, sized(unread{t}, r.limit()+1))
		spaces := strings.Repeat(" ", r.limit())
		if a := g.send(t, r, s, sized(strings.NewReader(spaces), len(spaces))); a.status == 413 {
			t.Errorf("%d bytes are too many", len(spaces))
		}
		if s.body != "" {
			g.refused(t, 413, r, s, sized(strings.NewReader(spaces+" "), -1))
		}
	})
}

func routesRefuseADamagedBody(t *testing.T) {
	g := newStage(t, web.Options{Teach: true}, furnish)
	g.try(t, func(t *testing.T, r route, s seed) {
		switch {
		case s.body == "":
		case r.isAPI():
			g.refused(t, 415, r, s, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") })
			g.refused(t, 400, r, s, raw("{"))
			g.refused(t, 422, r, s, raw(`{"unknown":"x"}`))
		default:
			g.refused(t, 415, r, s, typed("application/json", `{"text":"x"}`))
			g.refused(t, 400, r, s, typed("application/x-www-form-urlencoded", "text=%zz"))
		}
	})
}

func routesAreLimitedIfTheyWrite(t *testing.T) {
	g := newStage(t, web.Options{Teach: true, WriteRate: 1.0 / 3600, WriteBurst: 1}, furnish)
	for _, token := range g.tokens[ada:invalid] {
		g.do("PUT", "/api/v1/subscriptions/Engines", bearer(token)).want(204)
	}
	g.try(t, func(t *testing.T, r route, s seed) {
		if r.reads() || r.free {
			if a := g.send(t, r, s); a.status == 429 {
				t.Error("it is limited")
			}
		} else if a := g.refused(t, 429, r, s); a.header.Get("Retry-After") != "3600" ||
			a.header.Get("RateLimit") != `"user";r=0;t=3600` || a.header.Get("RateLimit-Policy") != `"user";q=1;w=3600` {
			t.Errorf("%v", a.header)
		}
	})
}

func routesCountTexts(t *testing.T) {
	g := newStage(t, web.Options{Teach: true, Quotas: web.Quotas{AccountDay: 1}}, furnish)
	g.try(t, func(t *testing.T, r route, s seed) {
		switch a := g.send(t, r, s); {
		case strings.HasSuffix(r.name, "batch"):
			a.statuses(429)
		case r.text:
			g.refused(t, 429, r, s).retries(24 * 60 * 60).has("Nothing was saved")
		case a.status == 429:
			t.Error("it is refused, and its row in the table does not say that it stores a text")
		}
	})
}

func routesSayThatTheStoreIsAway(t *testing.T) {
	g := newStage(t, web.Options{Teach: true}, furnish)
	g.try(t, func(t *testing.T, r route, s seed) {
		if g.counted(func() { g.send(t, r, s) }) == 0 {
			return
		}
		g.breakStore(everyCall(fmt.Errorf("%w: dial tcp 10.0.0.1: connection refused", domain.ErrUnavailable)))
		defer g.mendStore()
		a := g.send(t, r, s)
		if strings.Contains(string(a.plain()), "10.0.0.1") {
			t.Errorf("the answer shows the cause: %s", a.plain())
		}
		if a.status != 503 || a.header.Get("Retry-After") == "" && r.name != "GET /readyz" {
			t.Errorf("status %d, Retry-After %q", a.status, a.header.Get("Retry-After"))
		}
		if r.isAPI() && strings.Contains(a.text("detail"), "saved") == r.reads() {
			t.Errorf("it says %q", a.text("detail"))
		}
		unknown := strings.Contains(string(a.plain()), "unknown whether") || strings.Contains(string(a.plain()), "may or may not")
		if !r.reads() && unknown != (a.writes > 0) {
			t.Errorf("it sent %d writes, and says %s", a.writes, string(a.plain()))
		}
		if got := a.timing(); got.calls < 1 || got.read > 0 {
			t.Errorf("it costs %+v", got)
		}
	})
}

func routesOfAChannelThatIsGone(t *testing.T) {
	g := newStage(t, web.Options{Teach: true}, func(g *stage) {
		furnish(g)
		g.ungated("Ungated")
	})
	g.try(t, func(t *testing.T, r route, s seed) {
		name, rest, _ := strings.Cut(s.params, "/")
		if !strings.Contains(r.name, ":name") {
			return
		}
		for _, nothing := range []string{"Nothing", "a%2Fb", "%2e%2e", "%FF"} {
			s.params = nothing + "/" + rest
			g.refused(t, 404, r, s)
		}
		s.params = "Ungated/" + rest
		if r.reads() && !strings.Contains(r.name, "/rows") {
			g.refused(t, 404, r, s)
		}
		// What is about a deletion is there while it runs, and it can be asked for again.
		s.params = "Going/" + rest
		again := r.name == "DELETE /api/v1/channels/:name" || r.name == "POST /channels/:name/delete"
		if name == "Engines" && !again && !strings.Contains(r.name, "/rows") {
			status := 410
			if strings.Contains(r.name, "/feed.") {
				status = 503 // it may come back
			}
			g.refused(t, status, r, s)
		}
	})
	g.reset(t)
	g.do("PATCH", "/api/v1/channels/Ungated", bearer(g.tokens[ada]), fields("description", "Words of now")).want(404)
}

// ungated makes what a delayed duplicate of a channel's insert leaves: a channel without its gate.
func (g *stage) ungated(name string) {
	ungated := g.channel(name, "ada")
	gate := driver.Delete("gate!open!"+string(ungated.Incarnation), driver.Exists)
	ok(g, driver.NewTable(g.db, "Blogs").Transact(g.Context(), string(ungated.Key()), gate))
}

// The channels sort first in each list, and all hold the texts of the seeds and costs. Carol lets her
// posts stay, and dave does not.
func routesShowNoHiddenChannel(t *testing.T) {
	fixes := map[string]string{"a-engine-ungated": "ask GateIsOpen for each channel that is listed", "a-engine-leaving": "show only what Leaving.Readable allows",
		"carol": "show each post as Leaving.Shown returns it", "dave": "show no post that Leaving.Shown hides"}
	g := newStage(t, web.Options{}, func(g *stage) {
		furnish(g)
		g.ungated("a-engine-ungated")
		leaving := g.channel("a-engine-leaving", string(g.author("carol")))
		g.subscribe(leaving)
		g.keyed(leaving, "k", "Hello")
		g.post(leaving, "bob", "Hello")
		g.author("dave")
		in, err := g.store.Channels.Get(g.Context(), g.ref("Engines").Key.Address())
		ok(g, err)
		for name, text := range map[string]string{"carol": "Hello engine", "dave": "Hello engine of dave"} {
			post := g.post(in, name, text)
			g.site.subscribe(domain.UserName(name), in)
			ok(g, g.store.Posts.Vote(g.Context(), in.Ref(), post.ID, domain.UserName(name)))
			removal := domain.Message{Kind: domain.MessageBlog, Channel: in.Key(), Incarnation: in.Incarnation, Name: in.Name,
				Blog: post.ID, Revision: post.Revision, RequestedBy: domain.UserName(name), RequestedOn: domain.Now()}
			ok(g, g.store.Operator.Messages().Send(g.Context(), removal.Encode()))
			_, err := g.store.Accounts.Delete(g.Context(), storage.Attempt{Name: name, Password: password}, name == "carol")
			ok(g, err)
		}
		ok(g, g.store.Accounts.FindLeaving(g.Context()))
	})
	g.try(t, func(t *testing.T, r route, s seed) {
		seeds := r.seeds
		for _, cost := range r.costs {
			s.query = cost.query
			seeds = append(seeds, s)
		}
		for _, s := range seeds {
			if r.who == operator || strings.Contains(s.query, "order=created") {
				continue // an operator sees whose account is being deleted
			}
			for _, s.who = range []uint8{anonymous, bobsCookie, adasCookie} {
				for name, fix := range fixes {
					if s.who == adasCookie && name == "a-engine-ungated" {
						continue // it is hers
					}
					if r.reads() && strings.Contains(string(g.send(t, r, s).plain()), name) {
						t.Errorf("as %d with %q and %q, it shows %s: %s", s.who, s.params, s.query, name, fix)
					}
				}
			}
		}
	})
}

// The sessions end before the first byte of the response arrives.
func routesEndWithTheirSession(t *testing.T) {
	g := newStage(t, web.Options{Teach: true, Stopping: make(chan struct{})}, furnish)
	g.try(t, func(t *testing.T, r route, s seed) {
		if !r.reads() {
			return
		}
		g.reset(t)
		defer g.mendStore()
		var looks, reads atomic.Int64
		ctx, leave := context.WithTimeout(t.Context(), 3*time.Second) // if it does not end
		defer leave()
		g.read(g.request(t, r, s).WithContext(ctx), sync.OnceFunc(func() {
			for _, name := range []domain.UserName{"ada", "bob"} {
				ok(t, g.store.Accounts.EndSessions(t.Context(), name))
			}
			g.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				if call.Method == driver.CallGet && (call.Target == "Sessions" || call.Target == "Users") {
					looks.Add(1)
				} else {
					reads.Add(1)
				}
				return send(ctx)
			})
		}))
		if n := reads.Load(); n > 0 {
			t.Errorf("after its session has ended, %d calls read what it sends: use openStream", n)
		}
		if n := looks.Load(); n > 0 != r.isStream() {
			t.Errorf("%d calls read its session after its first byte, and isStream says %t", n, r.isStream())
		}
	})
}

// Where pages teach, each of them ends in a list of its calls. A cost must not tell which names
// exist: where a name or a secret is refused, there is no list.
func routesTellWhatTheyCost(t *testing.T) {
	for _, teach := range []bool{true, false} {
		g := newStage(t, web.Options{Teach: teach}, furnish)
		g.try(t, func(t *testing.T, r route, s seed) {
			for _, s.who = range []uint8{s.who, anonymous} {
				var a answer
				made := g.counted(func() { a = g.send(t, r, s) })
				got := a.timing()
				if !r.isStream() && got.calls != made || got.calls == 0 && got.milliseconds != 0 {
					t.Errorf("as %d: %+v, and the store got %d calls", s.who, got, made)
				}
				if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
					page{answer: a, path: r.name, doc: parseHTML(t, a)}.mustList(teach, made)
				}
			}
		})
	}
}

func routesHaveTheirHeaders(t *testing.T) {
	g := newStage(t, web.Options{Teach: true}, furnish)
	g.try(t, func(t *testing.T, r route, s seed) {
		referrer := "same-origin"
		if r.name == "GET /sign-in/link" || r.name == "GET /sign-in/reset" { // the address has a secret
			referrer = "strict-origin"
		}
		for _, s.query = range []string{s.query, s.query + "&after=x"} { // which most lists refuse
			request := g.request(t, r, s)
			request.Header.Add("If-None-Match", `"x"`)
			a := g.ask(t, request)
			for name, want := range map[string]string{
				"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; manifest-src 'self'; " +
					"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
				"X-Content-Type-Options":     "nosniff",
				"Referrer-Policy":            referrer,
				"Cross-Origin-Opener-Policy": "same-origin",
				"Strict-Transport-Security":  "",
			} {
				is(t, name, a.header.Get(name), want)
			}
			if a.header.Get("Permissions-Policy") == "" || a.header.Get("X-Request-Id") == "" {
				t.Errorf("%v", a.header)
			}
			if a.status >= 400 && (a.header.Get("ETag") != "" || a.header.Get("Cache-Control") != "no-store") {
				t.Errorf("%d may be kept: %v", a.status, a.header)
			}
			// Else the row is about another route.
			is(t, "it is answered by", request.Method+" "+request.Pattern, r.name)
		}
	})
}

func routesCompress(t *testing.T) {
	g := newStage(t, web.Options{}, furnish)
	compressed := 0
	g.try(t, func(t *testing.T, r route, s seed) {
		if r.isFile() {
			return // package static sees to those
		}
		a := g.send(t, r, s, accepting("gzip"))
		coding, kind := a.header.Get("Content-Encoding"), a.header.Get("Content-Type")
		if coding != "" {
			compressed++
		}
		short := len(a.plain()) < 1024
		plain := strings.HasPrefix(a.header.Get("Etag"), `"`) || strings.HasPrefix(kind, "text/event-stream") || kind == "application/zip" ||
			strings.Contains(a.header.Get("Cache-Control"), "no-transform")
		if coding != "" && (plain || short) || coding == "" && !plain && !short {
			t.Errorf("%d bytes in %q", len(a.plain()), coding)
		}
		if coding != "" && !strings.Contains(a.header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("Vary %q", a.header.Get("Vary"))
		}
	})
	if compressed < 20 {
		t.Errorf("only %d responses are compressed", compressed)
	}
}

func routesSaveTheirBody(t *testing.T) {
	g := newStage(t, web.Options{}, furnish)
	g.try(t, func(t *testing.T, r route, s seed) {
		if !r.reads() || r.untagged {
			return
		}
		cached := map[uint8]string{s.who: "private, no-cache"}
		if r.who == everyone && !strings.Contains(r.name, ":secret") {
			cached[anonymous] = "no-cache"
		}
		for asker, want := range cached {
			s.who = asker
			full := g.send(t, r, s)
			if asker == anonymous && full.status != 200 {
				continue // it is for users, or for all where pages teach
			}
			full.want(200)
			tag := header("If-None-Match", full.header.Get("ETag"))
			for _, method := range []string{"GET", "HEAD"} {
				as := func(r *http.Request) { r.Method = method }
				a, whole := g.send(t, r, s, as, tag).want(304), g.send(t, r, s, as).want(200)
				if len(a.body) > 0 || a.header.Get("Content-Type") != "" || a.header.Get("Content-Length") != "" || len(a.header["Set-Cookie"]) > 0 {
					t.Errorf("%s: 304 with %v", method, a.header)
				}
				a.timing()
				for _, name := range []string{"ETag", "Cache-Control", "Vary"} {
					if got := full.header.Get(name); a.header.Get(name) != got || whole.header.Get(name) != got {
						t.Errorf("%s: %s was %q, and is %q with 304 and %q with 200", method, name, got, a.header.Get(name), whole.header.Get(name))
					}
				}
			}
			if got := strings.TrimSuffix(full.header.Get("Cache-Control"), ", no-transform"); got != want && !r.isFile() {
				t.Errorf("as %d: Cache-Control %q, want %q", asker, got, want)
			}
		}
	})
}
