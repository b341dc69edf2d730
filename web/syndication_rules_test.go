package web_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// The rules of the formats. The parser gofeed accepts many feeds that break them.

// mustBeSafe allows in content only elements that a feed reader needs, and nothing that
// runs.
func mustBeSafe(t testing.TB, content string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(content))
	if err != nil {
		t.Fatalf("not HTML: %v", err)
	}
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
