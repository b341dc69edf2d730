package web_test

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// A page is what a browser shows.
type page struct {
	answer
	b    *browser
	path string
	// first is the status of the first answer, before any redirects.
	first int
	doc   *html.Node
}

// mustBeDecent checks what every page must keep, whatever it shows.
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
	cached := strings.TrimSuffix(p.header.Get("Cache-Control"), ", no-transform")
	private := cached == "no-store" || cached == "private, no-cache" && p.status < 400 && p.header.Get("ETag") != ""
	if personal := len(p.b.jar) > 0 || p.status >= 400; personal && !private {
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

// unwritten fails the test if something was written on the way to the page.
func (p page) unwritten() page {
	p.t.Helper()
	p.answer.unwritten()
	return p
}

// at fails the test unless a form was answered by 303 and the browser ended at the
// path.
func (p page) at(path string) page {
	p.t.Helper()
	p.want(200)
	if p.path != path || p.first != http.StatusSeeOther {
		p.t.Fatalf("at %s by way of %d, want %s by way of 303", p.path, p.first, path)
	}
	return p
}

// atPost fails the test unless a form led to the post with this short address, whatever it says now.
func (p page) atPost(short string) page {
	p.t.Helper()
	if id := short[strings.LastIndex(short, "/")+1:]; !strings.HasSuffix(p.path, "-"+id) {
		p.t.Fatalf("at %s, want %s", p.path, short)
	}
	return p.at(p.path)
}

// heading fails the test unless the page has this heading.
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

// titles returns the headings of the second rank: those of posts or channels.
func (p page) titles() []string {
	var titles []string
	for _, n := range all(one(p.doc, func(n *html.Node) bool { return attr(n, "class") == "body" }), tag("h2")) {
		titles = append(titles, seen(n))
	}
	return titles
}

// texts returns the texts of the posts on a page.
func (p page) texts() []string {
	var texts []string
	for _, n := range all(p.doc, tag("article")) {
		texts = append(texts, seen(one(n, func(n *html.Node) bool { return attr(n, "class") == "text" })))
	}
	return texts
}

// marked returns the text of all elements of that name.
func (p page) marked(name string) string {
	var texts []string
	for _, n := range all(p.doc, tag(name)) {
		texts = append(texts, seen(n))
	}
	return strings.Join(texts, "|")
}

// href returns the address of the link with that label, or an empty string.
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

// walk follows a link from page to page to the last one. It calls meanwhile before each, and
// returns all pages.
func (p page) walk(label string, meanwhile func()) []page {
	p.t.Helper()
	pages := []page{p}
	for p.href(label) != "" {
		meanwhile()
		p = p.follow(label).want(200)
		pages = append(pages, p)
	}
	return pages
}

// complains fails the test unless the form shows this error at the field.
func (p page) complains(field, detail string) page {
	p.t.Helper()
	got := seen(one(p.doc, func(n *html.Node) bool { return attr(n, "id") == field+"-error" }))
	if !strings.Contains(got, detail) {
		p.t.Fatalf("error at field %s: %q, want %q", field, got, detail)
	}
	return p
}

func (p page) hasForm(button string) bool {
	return slices.ContainsFunc(all(p.doc, tag("button")), func(n *html.Node) bool { return labelOf(n) == button })
}

// A form is a form on a page, with the values of its fields.
type form struct {
	page
	action string
	values url.Values
	// away reports whether the form posts to another page than the one that shows it.
	away bool
}

var votes = regexp.MustCompile(`, [0-9,]+ votes?$`)

// labelOf is what a button says that it does, without the number of votes.
func labelOf(button *html.Node) string {
	return votes.ReplaceAllString(cmp.Or(attr(button, "aria-label"), seen(button)), "")
}

// form returns the form that has a button of this label, before the sign of a vote.
func (p page) form(button string) form {
	p.t.Helper()
	for _, n := range all(p.doc, tag("form")) {
		label := one(n, func(n *html.Node) bool { return n.Data == "button" && attr(n, "form") == "" }) // not of another form
		if label == nil || labelOf(label) != button || attr(n, "method") != "post" {
			continue
		}
		return form{page: p, action: attr(n, "action"), values: controls(n)}
	}
	p.t.Fatalf("%s has no form to %q:\n%s", p.path, button, p.body)
	return form{}
}

func controls(form *html.Node) url.Values {
	values := url.Values{}
	for _, n := range all(form, func(n *html.Node) bool { return attr(n, "name") != "" }) {
		switch n.Data {
		case "input", "button":
			is := func(kind string) bool { return attr(n, "type") == kind }
			checked := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" })
			switch {
			case is("checkbox") && checked, is("hidden"): // a list has several
				values.Add(attr(n, "name"), attr(n, "value"))
			case !is("checkbox") && !is("radio") || checked:
				values.Set(attr(n, "name"), attr(n, "value"))
			case is("radio") && !values.Has(attr(n, "name")): // it can be chosen, but a browser sends nothing
				values[attr(n, "name")] = nil
			}
		case "select":
			for _, option := range all(n, tag("option")) {
				has := func(key string) bool {
					return slices.ContainsFunc(option.Attr, func(a html.Attribute) bool { return a.Key == key })
				}
				switch {
				case has("selected") && has("disabled"): // it can be chosen, but a browser sends nothing
					values[attr(n, "name")] = nil
				case has("selected"):
					values.Set(attr(n, "name"), attr(option, "value"))
				}
			}
		case "textarea":
			values.Set(attr(n, "name"), strings.TrimPrefix(text(n), "\n"))
		}
	}
	return values
}

// fill types a value into a field. It fails the test if the form has no such field.
func (f form) fill(name, value string) form {
	f.t.Helper()
	if !f.values.Has(name) {
		f.t.Fatalf("the form at %s has no field %q", f.path, name)
	}
	f.values.Set(name, value)
	return f
}

// elsewhere allows the form to post to another page than the one that shows it.
func (f form) elsewhere() form {
	f.away = true
	return f
}

// press sends the form.
func (f form) press() page {
	f.t.Helper()
	shownAt, _, _ := strings.Cut(f.path, "?")
	if f.action != shownAt && !f.away && f.action != "/sign-in" && f.action != "/sign-out" {
		f.t.Errorf("a form at %s posts to %s", shownAt, f.action)
	}
	return f.b.send("POST", f.action, posted(f.values))
}
