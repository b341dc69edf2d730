package web_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/domain"
)

// A browser keeps cookies, follows redirects, and sees of a page what its reader
// does. It has no scripts.
type browser struct {
	*site
	jar map[string]string
}

func (s *site) browser() *browser { return &browser{site: s, jar: map[string]string{}} }

// signedIn is the browser of somebody who has an account and a session.
func (s *site) signedIn(name string) *browser {
	s.Helper()
	b := s.browser()
	b.jar["session"] = s.signUp(name)
	return b
}

// again is another browser of somebody who has an account.
func (s *site) again(name string) *browser {
	s.Helper()
	b := s.browser()
	b.jar["session"] = s.session(name)
	return b
}

// author makes an account.
func (s *site) author(name string) domain.UserName {
	s.Helper()
	user, err := s.store.SignUp(s.Context(), name, password)
	if err != nil {
		s.Fatalf("signing up: %v", err)
	}
	return user.Name
}

// A page is what a browser shows.
type page struct {
	answer
	b    *browser
	path string
	// first is the status of the first answer, where others were redirected to.
	first int
	doc   *html.Node
}

func (b *browser) open(path string) page {
	b.Helper()
	return b.send("GET", path)
}

// send sends a request and follows where it leads.
func (b *browser) send(method, path string, changes ...change) page {
	b.Helper()
	first := 0
	for range 5 {
		a := b.do(method, path, append(changes, b.cookies)...)
		b.keep(a)
		if first == 0 {
			first = a.status
		}
		if a.status == http.StatusSeeOther {
			method, path, changes = "GET", a.header.Get("Location"), nil
			continue
		}
		p := page{answer: a, b: b, path: path, first: first, doc: parseHTML(b, a)}
		p.mustBeDecent()
		return p
	}
	b.Fatalf("%s leads in circles", path)
	return page{}
}

func (b *browser) cookies(r *http.Request) {
	for name, value := range b.jar {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
}

func (b *browser) keep(a answer) {
	b.Helper()
	for _, line := range a.header.Values("Set-Cookie") {
		cookie, err := http.ParseSetCookie(line)
		if err != nil {
			b.Fatalf("Set-Cookie: %v", err)
		}
		delete(b.jar, cookie.Name)
		if cookie.MaxAge >= 0 {
			b.jar[cookie.Name] = cookie.Value
		}
	}
}

func parseHTML(t testing.TB, a answer) *html.Node {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(a.body))
	if err != nil {
		t.Fatalf("not HTML: %v", err)
	}
	return doc
}

// mustBeDecent checks what holds for every page, whatever it shows.
func (p page) mustBeDecent() {
	p.t.Helper()
	if got := p.header.Get("Content-Type"); got != "text/html; charset=UTF-8" {
		p.t.Errorf("%s: Content-Type %q", p.path, got)
	}
	if n := len(all(p.doc, tag("h1"))); n != 1 {
		p.t.Errorf("%s: %d headings of the first rank", p.path, n)
	}
	if main := one(p.doc, tag("main")); main != nil && p.status >= 400 && len(all(main, tag("a")))+len(all(main, tag("form"))) == 0 {
		p.t.Errorf("%s: status %d is a dead end", p.path, p.status)
	}
	cached := p.header.Get("Cache-Control")
	if personal := len(p.b.jar) > 0 || p.status >= 400; personal && cached != "no-store" {
		p.t.Errorf("%s: Cache-Control %q on a page that is not for everybody", p.path, cached)
	}
	for _, n := range all(p.doc, func(n *html.Node) bool { return n.Type == html.ElementNode }) {
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				p.t.Errorf("%s: <%s> has inline %s", p.path, n.Data, a.Key)
			}
		}
	}
}

func (p page) want(status int) page {
	p.t.Helper()
	p.answer.want(status)
	return p
}

// at fails the test unless the browser has ended at the path, after a form that
// was answered as it should be.
func (p page) at(path string) page {
	p.t.Helper()
	p.want(200)
	if p.path != path || p.first != http.StatusSeeOther {
		p.t.Fatalf("at %s by way of %d, want %s by way of 303", p.path, p.first, path)
	}
	return p
}

// heading fails the test unless this is what the page is called.
func (p page) heading(want string) page {
	p.t.Helper()
	if got := seen(one(p.doc, tag("h1"))); got != want {
		p.t.Fatalf("heading %q, want %q", got, want)
	}
	return p
}

// says fails the test unless the reader can read all of the texts.
func (p page) says(texts ...string) page {
	p.t.Helper()
	all := seen(p.doc)
	for _, text := range texts {
		if !strings.Contains(all, text) {
			p.t.Fatalf("%s does not say %q but\n%s", p.path, text, all)
		}
	}
	return p
}

func (p page) saysNot(texts ...string) page {
	p.t.Helper()
	all := seen(p.doc)
	for _, text := range texts {
		if strings.Contains(all, text) {
			p.t.Fatalf("%s says %q:\n%s", p.path, text, all)
		}
	}
	return p
}

// titles are the headings of the second rank: those of the posts or channels.
func (p page) titles() []string {
	var titles []string
	for _, n := range all(p.doc, tag("h2")) {
		titles = append(titles, seen(n))
	}
	return titles
}

// href is where a link leads; empty if there is none of that label.
func (p page) href(label string) string {
	for _, n := range all(p.doc, tag("a")) {
		if seen(n) == label {
			return attr(n, "href")
		}
	}
	return ""
}

func (p page) follow(label string) page {
	p.t.Helper()
	href := p.href(label)
	if href == "" {
		p.t.Fatalf("%s has no link %q:\n%s", p.path, label, p.body)
	}
	return p.b.open(href)
}

// complains fails the test unless the form says of the field that it is wrong.
func (p page) complains(field, detail string) page {
	p.t.Helper()
	got := seen(one(p.doc, func(n *html.Node) bool { return attr(n, "id") == field+"-error" }))
	if !strings.Contains(got, detail) {
		p.t.Fatalf("error at field %s: %q, want %q", field, got, detail)
	}
	return p
}

// A form is what somebody fills in.
type form struct {
	page
	action string
	values url.Values
}

// form is the form with a button of this label.
func (p page) form(button string) form {
	p.t.Helper()
	for _, n := range all(p.doc, tag("form")) {
		label := one(n, tag("button"))
		if label == nil || seen(label) != button || attr(n, "method") != "post" {
			continue
		}
		return form{page: p, action: attr(n, "action"), values: controls(n)}
	}
	p.t.Fatalf("%s has no form to %q:\n%s", p.path, button, p.body)
	return form{}
}

func (p page) hasForm(button string) bool {
	return slices.ContainsFunc(all(p.doc, tag("button")), func(n *html.Node) bool { return seen(n) == button })
}

func controls(form *html.Node) url.Values {
	values := url.Values{}
	for _, n := range all(form, func(n *html.Node) bool { return attr(n, "name") != "" }) {
		switch n.Data {
		case "input":
			values.Set(attr(n, "name"), attr(n, "value"))
		case "textarea":
			values.Set(attr(n, "name"), strings.TrimPrefix(text(n), "\n"))
		}
	}
	return values
}

// fill types a value into a field that the form has.
func (f form) fill(name, value string) form {
	f.t.Helper()
	if !f.values.Has(name) {
		f.t.Fatalf("the form at %s has no field %q", f.path, name)
	}
	f.values.Set(name, value)
	return f
}

// press sends the form.
func (f form) press() page {
	f.t.Helper()
	shownAt, _, _ := strings.Cut(f.path, "?")
	if f.action != shownAt && f.action != "/sign-in" && f.action != "/sign-out" {
		f.t.Errorf("a form at %s posts to %s", shownAt, f.action)
	}
	return f.b.send("POST", f.action, posted(f.values))
}

// posted is a form as browsers send it.
func posted(values url.Values) change {
	return typed("application/x-www-form-urlencoded", values.Encode())
}

// multiparted is a form as browsers send it if they are told to.
func multiparted(values url.Values) change {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name := range values {
		_ = w.WriteField(name, values.Get(name)) // a buffer takes everything
	}
	_ = w.Close()
	return typed(w.FormDataContentType(), body.String())
}

func typed(contentType, body string) change {
	return func(r *http.Request) {
		r.Header.Set("Content-Type", contentType)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
}
