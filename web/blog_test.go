package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestBlog(t *testing.T) {
	t.Run("a new post is found at its Location", newPostIsFoundAtItsLocation)
	t.Run("the longest post fits in every spelling", longestPostFitsInEverySpelling)
	t.Run("posts are listed newest first and narrowed by time", postsAreListedNewestFirstAndNarrowedByTime)
	t.Run("shows a text as its post would, and saves nothing", previewShowsTheTextAndSavesNothing)
}

func newPostIsFoundAtItsLocation(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	s.channel("Ärger", "ada")
	bob := s.signUp("bob")
	created := s.do("POST", "/api/v1/channels/ärger/blogs", bearer(bob),
		fields("title", "  Notes ", "text", "One\r\ntwo\rthree\t<b>")).want(201)
	if got, want := created.header.Get("Location"), "/api/v1/channels/%C3%84rger/blogs/"+created.text("id"); got != want {
		t.Errorf("Location %q, want %q", got, want)
	}
	read := s.do("GET", created.header.Get("Location")).want(200)
	if string(read.body) != string(created.body) || read.header.Get("ETag") != created.header.Get("ETag") {
		t.Errorf("read %s, created %s", read.body, created.body)
	}
	for path, want := range map[string]any{
		"channel": "Ärger", "title": "Notes", "text": "One\ntwo\nthree\t<b>", "userId": "bob", "rating": 0.0, "editedOn": nil,
	} {
		read.holds(path, want)
	}
}

func longestPostFitsInEverySpelling(t *testing.T) {
	s, token, _ := engines(t, "ada")
	text := strings.Repeat("\U0001f600", 5000)
	escaped := `{"text":"` + strings.Repeat(`\ud83d\ude00`, 5000) + `"}`
	for _, body := range []change{fields("text", text), raw(escaped)} {
		s.do("POST", "/api/v1/channels/Engines/blogs", bearer(token), body).want(201).holds("text", text)
	}
}

func postsAreListedNewestFirstAndNarrowedByTime(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", "ada")
	for i := range 30 {
		s.postOn(time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC), channel, fmt.Sprint(i))
	}
	for query, want := range map[string]string{
		"limit=7": "[29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0]",
		"limit=2&since=2026-01-03T00:00:00Z&until=2026-01-06T01:00:00%2B01:00": "[4 3 2]",
		"since=2026-01-03T00:00:00Z&until=2026-01-03T00:00:00Z":                "[]",
	} {
		is(t, query, fmt.Sprint(s.listed(enginesBlogs+"?"+query, "text")), want)
	}
	if got := s.do("GET", enginesBlogs).items("text"); len(got) != 20 {
		t.Errorf("%d posts with the default limit", len(got))
	}
}

func preview(title, text string) change {
	return posted(url.Values{"title": {title}, "text": {text}, "key": {"k"}, "incarnation": {"x"}})
}

func previewShowsTheTextAndSavesNothing(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	post := s.post(channel, "ada", "There")
	page := b.send("POST", "/preview", preview("A <title>", "*Hello*, <b>\r\n\r\n# Head")).unwritten().want(200).heading("Preview").
		says("Nothing is saved.", "A <title>", "Hello, <b>")
	is(t, "the preview has", page.marked("em")+"|"+page.marked("h2")+"|"+page.marked("h3"), "Hello|A <title>|Head")
	for _, path := range []string{"/channels/Engines", permalink(channel, post) + "/edit"} {
		if got := strings.Count(string(b.open(path).body), `formaction="/preview"`); got != 1 {
			t.Errorf("%s has %d buttons for a preview", path, got)
		}
	}
}
