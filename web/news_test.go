package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
)

func TestNews(t *testing.T) {
	t.Run("counts what is newer than the page", newsCountWhatIsNewerThanThePage)
	t.Run("are asked for only by the first page of the newest", onlyTheNewestPageAsks)
}

// newsPath is what the script of the page asks for.
func (p page) newsPath() string {
	for _, n := range all(p.doc, tag("p")) {
		if path := attr(n, "data-news"); path != "" {
			if attr(n, "role") != "status" {
				p.t.Error("new posts are not announced")
			}
			return path + "&after="
		}
	}
	return ""
}

func (a answer) is(body string) {
	a.t.Helper()
	if got := strings.TrimSpace(string(a.body)); got != body {
		a.t.Errorf("answers %s, want %s", got, body)
	}
}

func newsCountWhatIsNewerThanThePage(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Ärger", "ada")
	empty := b.open("/channels/%C3%84rger").newsPath()
	s.do("GET", empty).want(200).is(`{"new":0}`)
	s.postOn(time.Now().Add(-time.Hour), channel, "old")
	s.do("GET", empty).want(200).is(`{"new":1}`)
	shown, feed := b.open("/channels/%C3%84rger").newsPath(), b.open("/").newsPath()
	s.do("GET", shown).want(200).is(`{"new":0}`)
	s.postOn(time.Now().Add(-2*time.Hour), channel, "imported, and older")
	s.post(channel, "ada", "new")
	s.post(channel, "ada", "newer")
	a := s.do("GET", shown).want(200)
	a.is(`{"new":2}`)
	s.do("GET", shown, header("If-None-Match", a.header.Get("ETag"))).want(http.StatusNotModified)
	s.post(channel, "ada", "newest")
	s.do("GET", shown, header("If-None-Match", a.header.Get("ETag"))).want(200).is(`{"new":3}`)
	s.do("GET", feed, b.cookies).want(200).is(`{"new":3}`)
	if _, err := s.store.AskDeletion(t.Context(), channel.Key(), "ada", domain.Any[domain.Incarnation]()); err != nil {
		t.Fatal(err)
	}
	s.do("GET", shown).want(410)
	s.do("GET", feed, b.cookies).want(200).is(`{"new":0}`)
	s.do("GET", "/channels/nothing/news").want(404)
	s.do("GET", strings.Replace(shown, "since=", "since=x", 1)).want(404)
}

func onlyTheNewestPageAsks(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	for range 21 {
		s.post(channel, "ada", "Hello")
	}
	older := b.open("/channels/Engines").follow("Older posts →")
	for path, want := range map[string]bool{
		"/channels/Engines": true, "/": true, "/channels/Engines?order=rating": false, "/channels/Engines?rating=0": false,
		older.path: false, b.open("/").follow("Older posts →").path: false, "/channels": false,
	} {
		p := b.open(path)
		if asks, loads := p.newsPath() != "", strings.Contains(string(p.body), "/static/live."); asks != want || loads != want {
			t.Errorf("%s asks: %t, loads the script: %t", path, asks, loads)
		}
	}
}
