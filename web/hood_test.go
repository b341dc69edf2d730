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
	"microblogging/web"
)

func TestHood(t *testing.T) {
	t.Run("lists what a page has asked for", hoodListsCalls)
	t.Run("of a form is sent in a cookie that no script reads", hoodCookieIsGuarded)
	t.Run("knows nothing of a form that another process answered", hoodOfAnotherProcess)
	t.Run("keeps a form for a minute, and not more than its room", hoodIsBounded)
	t.Run("shows the gate that refused a post", hoodShowsMissingGate)
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

// mustList fails the test unless the page ends in a list of so many calls, or has no list if it
// does not teach. What would tell which names exist has none either.
func (p page) mustList(teaches bool, calls int) {
	p.t.Helper()
	if !teaches || strings.Contains(p.path, "/:secret") || p.hood() == nil && p.status >= 400 {
		if p.hood() != nil || strings.Contains(string(p.body), "/static/hood.") {
			p.t.Error("the page has a fold")
		}
		return
	}
	if got, want := p.summary(), fmt.Sprintf("Under the hood: %d storage call", calls); !strings.HasPrefix(got, want) {
		p.t.Errorf("the fold says %q, want %q", got, want)
	}
	if listed := all(p.hood(), func(n *html.Node) bool { return attr(n, "class") == "call" }); len(listed) != calls {
		p.t.Errorf("the fold lists %d calls, want %d", len(listed), calls)
	}
	if words := seen(p.hood()); strings.Contains(words, "(of no form)") {
		p.t.Errorf("the fold does not say what a call asks for: %s", words)
	}
	if strings.Count(string(p.body), "/static/hood.") != 1 {
		p.t.Error("the page has not one style sheet for the fold")
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
	p.says("a transaction was refused", "✗ refused", "merge gate!open!<incarnation> if it is there : not found: Whoever changes what a page shows merges it", "nothing written")
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
