package web_test

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// A form is a form on a page, with the values of its fields.
type form struct {
	page
	action string
	values url.Values
	// away says that the form posts to another page than the one that shows it.
	away bool
}

// form returns the form that has a button of this label.
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
