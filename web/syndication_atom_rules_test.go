package web_test

import (
	"bytes"
	"encoding/xml"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"
)

// An element is an element of an Atom document.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

func (e element) all(name string) (found []element) {
	for _, child := range e.Children {
		if child.XMLName == (xml.Name{Space: "http://www.w3.org/2005/Atom", Local: name}) {
			found = append(found, child)
		}
	}
	return found
}

func (e element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// text returns the text of the only child of this name.
func (e element) text(t testing.TB, name string) string {
	t.Helper()
	children := e.all(name)
	if len(children) != 1 || len(children[0].Children) > 0 {
		t.Fatalf("%d elements %s in %s, or one with more than text", len(children), name, e.XMLName.Local)
	}
	return children[0].Text
}

// link returns the address of the only link of this relation.
func (e element) link(t testing.TB, rel string) string {
	t.Helper()
	var found []string
	for _, link := range e.all("link") {
		if link.attr("rel") == rel {
			found = append(found, link.attr("href"))
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d links %s in %s", len(found), rel, e.XMLName.Local)
	}
	mustBeAbsolute(t, found[0])
	return found[0]
}

// atom checks the rules of RFC 4287, and returns the document.
func (a answer) atom() element {
	a.t.Helper()
	if got := a.header.Get("Content-Type"); got != "application/atom+xml; charset=utf-8" {
		a.t.Errorf("media type %q", got)
	}
	var feed element
	decoder := xml.NewDecoder(bytes.NewReader(a.body))
	if err := decoder.Decode(&feed); err != nil {
		a.t.Fatalf("not XML: %v\n%s", err, a.body)
	}
	if feed.XMLName != (xml.Name{Space: "http://www.w3.org/2005/Atom", Local: "feed"}) {
		a.t.Fatalf("the document is %v", feed.XMLName)
	}
	if _, err := gofeed.NewParser().Parse(bytes.NewReader(a.body)); err != nil {
		a.t.Fatalf("gofeed: %v", err)
	}
	feed.link(a.t, "self")
	updated := checkAtomCommon(a.t, feed)
	ids := map[string]bool{feed.text(a.t, "id"): true}
	for _, entry := range feed.all("entry") {
		at := checkAtomCommon(a.t, entry)
		if at.After(updated) {
			a.t.Errorf("an entry is of %s, and the feed of %s", at, updated)
		}
		checkAtomEntry(a.t, entry)
		if id := entry.text(a.t, "id"); ids[id] {
			a.t.Errorf("id %s twice", id)
		} else {
			ids[id] = true
		}
	}
	return feed
}

// checkAtomCommon checks the rules for both feeds and entries, and returns the time of
// the last update.
func checkAtomCommon(t testing.TB, e element) time.Time {
	t.Helper()
	mustBeUUID(t, e.text(t, "id"))
	if e.text(t, "title") == "" {
		t.Errorf("%s has no title", e.XMLName.Local)
	}
	e.link(t, "alternate")
	return mustBeTime(t, e.text(t, "updated"))
}

func checkAtomEntry(t testing.TB, entry element) {
	t.Helper()
	published := mustBeTime(t, entry.text(t, "published"))
	if updated := mustBeTime(t, entry.text(t, "updated")); updated.Before(published) {
		t.Errorf("updated on %s, before it was published on %s", updated, published)
	}
	authors := entry.all("author")
	if len(authors) != 1 || authors[0].text(t, "name") == "" {
		t.Errorf("an entry has %d authors, want one with a name", len(authors))
	}
	content := entry.all("content")
	if len(content) != 1 || content[0].attr("type") != "html" || len(content[0].Children) > 0 {
		t.Fatalf("the content is %+v", content)
	}
	mustBeSafe(t, content[0].Text)
}
