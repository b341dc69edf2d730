package web_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"
)

func TestChannelFeedCaching(t *testing.T) {
	t.Run("is the same for all readers and after each vote", feedIsTheSameForAllAndForAllVotes)
}

func feedIsTheSameForAllAndForAllVotes(t *testing.T) {
	s, token, channel := engines(t, "ada")
	blog := s.post(channel, "ada", "Hello")
	atom, json := feedsOf(channel)
	for _, path := range []string{atom, json} {
		a := s.do("GET", path).want(200)
		tag := a.header.Get("ETag")
		if !strings.HasPrefix(tag, `W/"`) || a.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("ETag %s, Vary %q", tag, a.header.Get("Vary"))
		}
		s.vote(blog, 1)
		mine := s.do("GET", path, header("If-None-Match", tag), cookie(token)).want(304)
		mine.headed("ETag", tag).headed("Cache-Control", "no-cache")
	}
}

// The rules of the formats. The parser gofeed accepts many feeds that break them.

// mustBeSafe allows in content only elements that a feed reader needs, and nothing that
// runs.
func mustBeSafe(t testing.TB, content string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(content))
	ok(t, err)
	allowed := "html head body p br a h2 h3 h4 h5 h6 ul ol li em strong del code pre blockquote hr"
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !strings.Contains(" "+allowed+" ", " "+n.Data+" ") {
			t.Errorf("element %s in %s", n.Data, content)
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "href":
				mustBeAbsolute(t, a.Val)
			case "rel", "dir", "title", "start", "tabindex":
			default:
				t.Errorf("attribute %s in %s", a.Key, content)
			}
		}
	}
}

func textOf(t testing.TB, value any, path string) string {
	t.Helper()
	text, ok := dig(value, path).(string)
	if !ok || text == "" {
		t.Fatalf("no text at %s in %v", path, value)
	}
	return text
}

func mustBeAbsolute(t testing.TB, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		t.Errorf("address %q is not absolute: %v", address, err)
	}
}

var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)

func mustBeTime(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !rfc3339.MatchString(text) {
		t.Errorf("time %q: %v", text, err)
	}
	return at
}

var uuid = regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func mustBeUUID(t testing.TB, id string) {
	t.Helper()
	if !uuid.MatchString(id) {
		t.Errorf("id %q is no version 8 UUID", id)
	}
}

// jsonFeed checks the rules of JSON Feed 1.1, and returns the document.
func (a answer) jsonFeed() map[string]any {
	a.t.Helper()
	a.headed("Content-Type", "application/feed+json")
	var feed map[string]any
	if err := json.Unmarshal(a.body, &feed); err != nil {
		a.t.Fatalf("not JSON: %v\n%s", err, a.body)
	}
	if _, err := gofeed.NewParser().Parse(bytes.NewReader(a.body)); err != nil {
		a.t.Fatalf("gofeed: %v", err)
	}
	if feed["version"] != "https://jsonfeed.org/version/1.1" || textOf(a.t, feed, "title") == "" {
		a.t.Errorf("version %v, title %v", feed["version"], feed["title"])
	}
	mustBeAbsolute(a.t, textOf(a.t, feed, "feed_url"))
	mustBeAbsolute(a.t, textOf(a.t, feed, "home_page_url"))
	ids := make(map[string]bool)
	for _, item := range feed["items"].([]any) {
		id := textOf(a.t, item, "id")
		if mustBeUUID(a.t, id); ids[id] {
			a.t.Errorf("id %s twice", id)
		}
		ids[id] = true
		checkJSONItem(a.t, item)
	}
	return feed
}

func checkJSONItem(t testing.TB, item any) {
	t.Helper()
	mustBeAbsolute(t, textOf(t, item, "url"))
	published := mustBeTime(t, textOf(t, item, "date_published"))
	if modified := mustBeTime(t, textOf(t, item, "date_modified")); modified.Before(published) {
		t.Errorf("modified on %s, before it was published on %s", modified, published)
	}
	textOf(t, item, "content_text")
	textOf(t, item, "authors.0.name")
	if title, there := item.(map[string]any)["title"]; there && title == "" {
		t.Error("an empty title")
	}
}

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
	a.headed("Content-Type", "application/atom+xml; charset=utf-8")
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
