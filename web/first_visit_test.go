package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestFirstVisit(t *testing.T) {
	t.Run("of a channel weighs no more than before there were drafts, keys and news", firstVisitWeighsNoMore)
}

// firstVisitBytes is what the visit below weighed before that, at b213d73, not compressed.
const firstVisitBytes = 34327

// What comes later weighs nothing here: app.js loads the keys when somebody uses the page,
// and the news when somebody stays.
func firstVisitWeighsNoMore(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", "ada")
	for i := range 20 {
		s.post(channel, "ada", fmt.Sprintf("Post %d says that ", i)+strings.Repeat("a store keeps rows. ", 19))
	}
	page := s.do("GET", "/channels/Engines").want(200)
	bytes, loaded := len(page.body), []string{"the page"}
	for _, link := range regexp.MustCompile(`<(?:script|link rel="(?:icon|stylesheet)")[^>]* (?:src|href)="(/static/[^"]+)"`).FindAllStringSubmatch(string(page.body), -1) {
		bytes += len(s.do("GET", link[1]).want(200).body)
		loaded = append(loaded, link[1])
	}
	t.Logf("%d bytes: %s", bytes, loaded)
	if len(loaded) != 5 || bytes > firstVisitBytes {
		t.Errorf("a first visit loads %s, %d bytes, want at most %d", loaded, bytes, firstVisitBytes)
	}
}
