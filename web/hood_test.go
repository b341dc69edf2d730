package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/html"

	"microblogging/storage/drivertest"
	"microblogging/templates"
	"microblogging/web"
)

func TestHood(t *testing.T) {
	t.Run("ends each page with --teach", hoodEndsEachPage)
	t.Run("is on no page without --teach", noHoodWithoutTeach)
	t.Run("lists what a page has asked for", hoodListsCalls)
	t.Run("shows the calls of a form after its redirect, once", hoodShowsForm)
	t.Run("of a form is sent in a cookie that no script reads", hoodCookieIsGuarded)
	t.Run("knows nothing of a form that another process answered", hoodOfAnotherProcess)
	t.Run("keeps a form for a minute, and not more than its room", hoodIsBounded)
	t.Run("shows the gate that refused a post", hoodShowsMissingGate)
	t.Run("leads to the lab only if there is one", hoodLeadsToTheLab)
	t.Run("shows no secret", hoodShowsNoSecret)
	t.Run("does not tell which names exist", hoodTellsNoNames)
}

// hood returns the fold of a page, or nil.
func (p page) hood() *html.Node {
	return one(p.doc, func(n *html.Node) bool { return attr(n, "class") == "hood" })
}

// summary returns what the closed fold says.
func (p page) summary() string {
	p.t.Helper()
	fold := p.hood()
	if fold == nil {
		p.t.Fatalf("%s has no fold:\n%s", p.path, p.body)
	}
	return seen(one(fold, tag("summary")))
}

// pagesOf calls look with each page that the routes answer a GET with.
func pagesOf(s routeSample, look func(p page)) {
	s.Helper()
	n := 0
	for _, route := range s.routes() {
		for _, who := range []change{func(*http.Request) {}, s.who} {
			if route.Method != http.MethodGet {
				continue
			}
			a := s.visit(http.MethodGet, s.path(route.Path), who)
			if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
				look(page{answer: a, path: s.path(route.Path), doc: parseHTML(s, a)})
				n++
			}
		}
	}
	if n < 40 {
		s.Errorf("only %d pages", n)
	}
}

func hoodEndsEachPage(t *testing.T) {
	s := newRouteSample(newTeachingSite(t))
	pagesOf(s, func(p page) {
		if strings.HasPrefix(p.path, "/digest/") {
			return // its calls would tell which names exist
		}
		want := fmt.Sprintf("Under the hood: %d storage call", p.cost().calls)
		if got := p.summary(); !strings.HasPrefix(got, want) {
			t.Errorf("%s says %q, want %q", p.path, got, want)
		}
		if calls := all(p.hood(), func(n *html.Node) bool { return attr(n, "class") == "call" }); len(calls) != p.cost().calls {
			t.Errorf("%s lists %d calls, want %d", p.path, len(calls), p.cost().calls)
		}
		if words := seen(p.hood()); strings.Contains(words, "(of no form)") {
			t.Errorf("%s does not say what a call asks for: %s", p.path, words)
		}
		if strings.Count(string(p.body), "/static/hood.") != 1 {
			t.Errorf("%s has not one style sheet for it", p.path)
		}
	})
}

func noHoodWithoutTeach(t *testing.T) {
	s := newRouteSample(newSite(t))
	pagesOf(s, func(p page) {
		if strings.Contains(string(p.body), "hood") || p.hood() != nil {
			t.Errorf("%s has a fold", p.path)
		}
	})
	b := s.again("ada")
	b.open("/channels/Engines").form("Unsubscribe").press().at("/channels/Engines")
	if len(b.jar) != 1 {
		t.Errorf("after a form the browser has the cookies %v", b.jar)
	}
}

func hoodListsCalls(t *testing.T) {
	s := newTeachingSite(t)
	channel := s.channel("Engines", string(s.author("ada")))
	for i := range 3 {
		s.post(channel, "ada", fmt.Sprint("Post ", i))
	}
	s.browser().open("/channels/Engines").want(200).says(
		"table Channels", "point", "PartitionKey = engines and RowKey = (empty)", "1 row read, 1 returned",
		"range", "RowKey like blog!<id>, the first 21", "3 rows read, 3 returned",
		"The store looked at 6 rows and gave 6", "A million views like this one cost $0.14 in Azure, for 4 table calls each", "East US", "2026",
		"The time in its key counts down",
	)
	s.browser().open("/how-deletion-works").says("Under the hood: 0 storage calls, 0 ms").saysNot("A million views")
}

func hoodShowsForm(t *testing.T) {
	s := newTeachingSite(t)
	s.channel("Engines", string(s.author("ada")))
	b := s.signedIn("bea")
	after := b.open("/channels/Engines").saysNot("The form that led here").form("Subscribe").press().at("/channels/Engines")
	after.says("The form that led here", "insert sub!<user> if it is not there", "This page", "; the form before: ")
	if b.jar["hood"] != "" {
		t.Errorf("the browser keeps the cookie %q", b.jar["hood"])
	}
	b.open("/channels/Engines").saysNot("The form that led here")
}

func hoodCookieIsGuarded(t *testing.T) {
	s := newTeachingSite(t)
	s.channel("Engines", string(s.author("ada")))
	b := s.signedIn("bea")
	values := b.open("/channels/Engines").form("Subscribe").values
	for what, change := range map[string]change{"redirect": func(*http.Request) {}, "script": header("Prefer", "return=minimal")} {
		a := s.do("POST", "/channels/Engines", posted(values), b.cookies, change)
		lines := strings.Join(a.header.Values("Set-Cookie"), "\n")
		if !regexp.MustCompile(`(?m)^hood=[A-Z2-7]{26}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax$`).MatchString(lines) {
			t.Errorf("%s: %s", what, lines)
		}
	}
	token := s.session("bea")
	api := s.do("PUT", "/api/v1/subscriptions/Engines", bearer(token))
	if api.status >= 300 || len(api.header.Values("Set-Cookie")) > 0 {
		t.Errorf("the API answers %d with %v", api.status, api.header)
	}
	// A HEAD shows nothing, so it takes nothing.
	b.jar["hood"] = cookieIn(t, s.do("POST", "/channels/Engines", posted(values), b.cookies), "hood")
	b.keep(s.do("HEAD", "/channels/Engines", b.cookies))
	b.open("/channels/Engines").says("The form that led here")
}

func cookieIn(t *testing.T, a answer, name string) string {
	t.Helper()
	for _, line := range a.header.Values("Set-Cookie") {
		if cookie, err := http.ParseSetCookie(line); err == nil && cookie.Name == name {
			return cookie.Value
		}
	}
	t.Fatalf("no cookie %s in %v", name, a.header)
	return ""
}

func hoodOfAnotherProcess(t *testing.T) {
	s := newTeachingSite(t)
	s.channel("Engines", string(s.author("ada")))
	b := s.signedIn("bea")
	a := s.do("POST", "/channels/Engines", posted(b.open("/channels/Engines").form("Subscribe").values), b.cookies).want(303)
	b.keep(a)
	var err error
	if s.handler, err = web.New(s.store, web.Options{Version: "test", Teach: true}); err != nil {
		t.Fatal(err)
	}
	b.open("/channels/Engines").says("Under the hood: 7 storage calls").saysNot("The form that led here")
	if b.jar["hood"] != "" {
		t.Error("the browser keeps a cookie that nobody knows")
	}
}

func hoodIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTeachingSite(t)
		channel := s.channel("Engines", string(s.author("ada")))
		b := s.signedIn("bea")
		form := url.Values{"action": {"subscribe"}, "incarnation": {string(channel.Incarnation)}}
		press := func() string {
			return cookieIn(t, s.do("POST", "/channels/Engines", posted(form), b.cookies).want(303), "hood")
		}
		first := press()
		time.Sleep(time.Minute + time.Second)
		b.jar["hood"] = first
		b.open("/channels/Engines").saysNot("The form that led here")
		first = press()
		for range 64 {
			press()
		}
		b.jar["hood"] = first
		b.open("/channels/Engines").saysNot("The form that led here")
		last := press()
		b.jar["hood"] = last
		b.open("/channels/Engines").says("The form that led here")
		b.jar["hood"] = last
		b.open("/channels/Engines").saysNot("The form that led here")
	})
}

// refusedPost posts to a channel that is deleted after it was found and before the post
// is made, and returns the page that refuses it.
func refusedPost(s *site) page {
	s.Helper()
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	form := b.open("/channels/Engines").form("Post").fill("text", "Hello")
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Blogs" && call.Method == "Transact" {
			s.mendStore()
			s.askDeletion(channel)
			s.cascade(channel.Ref())
		}
		return send(ctx)
	})
	return form.press()
}

func hoodShowsMissingGate(t *testing.T) {
	p := refusedPost(newTeachingSite(t)).want(404)
	p.says("a transaction was refused", "✗ refused", "merge gate!open!<incarnation> if it is there : not found: Whoever posts, votes or subscribes touches it", "nothing written")
	if !hasAttr(one(p.hood(), tag("details")), "open") {
		t.Error("the fold of a refusal is closed")
	}
	if n := len(all(p.hood(), tag("strong"))); n != 2 { // the transaction and one operation
		t.Errorf("%d things are marked", n)
	}
}

func hasAttr(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func hoodLeadsToTheLab(t *testing.T) {
	linked := func(options web.Options) bool {
		options.Version, options.Teach = "test", true
		p := refusedPost(newSiteWith(t, options)).want(404)
		return p.href("See what happens without this guard") == "/lab/open-gate" && p.href("Try to break it") != ""
	}
	if linked(web.Options{}) {
		t.Error("without a lab the fold leads to it")
	}
	lab := func(w http.ResponseWriter, _ *http.Request, _ templates.Page) error { return nil }
	if !linked(web.Options{Routes: map[string]web.Handler{templates.LabIndexPath: lab}}) {
		t.Error("the fold does not lead to the lab")
	}
}

func hoodShowsNoSecret(t *testing.T) {
	s := newTeachingSite(t)
	b := s.browser()
	const planted, other = "planted correct horse", "another planted horse"
	secrets := []string{planted, other, "planted-key"}
	looks := 0
	look := func(p page) page {
		t.Helper()
		looks++
		words := seen(p.hood())
		for _, secret := range append(secrets, p.b.jar["session"]) {
			if secret != "" && strings.Contains(words, secret) {
				t.Errorf("%s shows %q: %s", p.path, secret, words)
			}
		}
		if found := regexp.MustCompile(`[0-9a-f]{16,}|192\.0\.2\.1|\$argon2`).FindString(words); found != "" {
			t.Errorf("%s shows %s: %s", p.path, found, words)
		}
		return p
	}
	signIn := func(name string) page {
		return look(look(b.open("/sign-in")).form("Sign in").fill("name", name).fill("password", planted).press())
	}
	look(look(b.open("/sign-up")).form("Sign up").fill("name", "ada").fill("password", planted).press()).says("The form that led here")
	look(b.send("POST", "/sign-out"))
	signIn("planted-key").want(401)
	signIn("ada").says("The form that led here")
	if b.jar["session"] == "" {
		t.Fatal("not signed in")
	}
	look(look(b.open("/channels/new")).form("Create channel").fill("name", "Engines").press())
	look(look(b.open("/channels/Engines")).form("Post").fill("text", "Hello").fill("key", "planted-key").press().at("/channels/Engines")).
		says("The form that led here", "insert once!<hash>")
	look(look(b.open("/account")).form("Change password").fill("old", planted).fill("new", other).press())
	look(look(b.open("/digest")).form("Make an address").press())
	look(b.open("/sign-in/link?token=planted-key"))
	look(b.send("POST", "/sign-out"))
	if looks < 15 {
		t.Errorf("only %d pages", looks)
	}
}

// hoodTellsNoNames looks at the answers of which Server-Timing says less, too.
func hoodTellsNoNames(t *testing.T) {
	s := newTeachingSite(t)
	s.author("ada")
	for _, name := range []string{"ada", "bob"} {
		b := s.browser()
		p := b.open("/sign-in").form("Sign in").fill("name", name).fill("password", "wrong password here").press().want(401)
		if words := seen(p.hood()); words != "" {
			t.Errorf("a wrong password of %s shows %s", name, words)
		}
		if words := seen(b.open("/digest/" + name + "/wrong/feed.atom").want(404).hood()); words != "" {
			t.Errorf("a wrong digest of %s shows %s", name, words)
		}
	}
}
