package web_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/mmcdole/gofeed"
)

// jsonFeed checks the rules of JSON Feed 1.1, and returns the document.
func (a answer) jsonFeed() map[string]any {
	a.t.Helper()
	if got := a.header.Get("Content-Type"); got != "application/feed+json" {
		a.t.Errorf("media type %q", got)
	}
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
