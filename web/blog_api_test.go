package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

func TestBlogAPI(t *testing.T) {
	t.Run("a new post is found at its Location", newPostIsFoundAtItsLocation)
	t.Run("a bad post is refused field by field", badPostIsRefusedFieldByField)
	t.Run("the longest post fits in every spelling", longestPostFitsInEverySpelling)
	t.Run("posts are listed newest first and narrowed by time", postsAreListedNewestFirstAndNarrowedByTime)
	t.Run("a post that is not in the channel is not found", postThatIsNotInTheChannelIsNotFound)
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
		if got := read.get(path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

func badPostIsRefusedFieldByField(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	blog := s.post(channel, "ada", "Hello")
	for name, test := range map[string]struct{ title, text, field string }{
		"blank text": {"", " \n\t ", "text"},
		"long title": {strings.Repeat("é", 121), "x", "title"},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			body := fields("title", test.title, "text", test.text)
			s.unwritten(func() answer {
				return s.do("POST", "/api/v1/channels/Engines/blogs", bearer(token), body)
			}).want(422).wantField(test.field)
			s.unwritten(func() answer {
				return s.do("PUT", blogPath(channel, blog.ID), bearer(token), header("If-Match", "*"), body)
			}).want(422).wantField(test.field)
		})
	}
}

func longestPostFitsInEverySpelling(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	s.channel("Engines", "ada")
	text := strings.Repeat("\U0001f600", 5000)
	escaped := `{"text":"` + strings.Repeat(`\ud83d\ude00`, 5000) + `"}`
	for _, body := range []change{fields("text", text), raw(escaped)} {
		if got := s.do("POST", "/api/v1/channels/Engines/blogs", bearer(token), body).want(201).text("text"); got != text {
			t.Error("the text came back changed")
		}
	}
}

func postsAreListedNewestFirstAndNarrowedByTime(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	channel := s.channel("Engines", "ada")
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 30 {
		_, _, err := s.store.Post(t.Context(), storage.Posting{
			Channel: channel.Ref(), By: "ada", Key: fmt.Sprint(i), CreatedOn: start.AddDate(0, 0, i),
			Draft: domain.Draft{Text: fmt.Sprint(i)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	list := func(query string) (texts []string) {
		for after := ""; ; {
			a := s.do("GET", "/api/v1/channels/Engines/blogs?"+query+after).want(200)
			for _, item := range a.get("items").([]any) {
				texts = append(texts, item.(map[string]any)["text"].(string))
			}
			if a.get("next") == nil {
				return texts
			}
			after = "&after=" + url.QueryEscape(a.text("next"))
		}
	}
	if got := list("limit=7"); len(got) != 30 || got[0] != "29" || got[29] != "0" {
		t.Errorf("all: %v", got)
	}
	if got := list(""); len(got) != 30 {
		t.Errorf("%d posts with the default limit", len(got))
	}
	narrowed := list("limit=2&since=2026-01-03T00:00:00Z&until=2026-01-06T01:00:00%2B01:00")
	if want := []string{"4", "3", "2"}; !slices.Equal(narrowed, want) {
		t.Errorf("narrowed: %v, want %v", narrowed, want)
	}
	if got := list("since=2026-01-03T00:00:00Z&until=2026-01-03T00:00:00Z"); len(got) != 0 {
		t.Errorf("an empty interval holds %v", got)
	}
}

func postThatIsNotInTheChannelIsNotFound(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	engines, wheels := s.channel("Engines", "ada"), s.channel("Wheels", "ada")
	blog := s.post(engines, "ada", "Hello")
	for _, path := range []string{
		"/api/v1/channels/nothing/blogs",
		"/api/v1/channels/nothing/blogs/" + string(blog.ID),
		blogPath(wheels, blog.ID),
		blogPath(engines, domain.NewBlogID(time.Now())),
		blogPath(engines, "x"),
		blogPath(engines, blog.ID+"/x"),
		blogPath(engines, "%2e"),
	} {
		s.do("GET", path).want(404)
	}
	s.do("GET", "/api/v1/channels/engines/blogs/"+strings.Replace(string(blog.ID), "!", "%21", 1)).want(200)
	s.do("POST", "/api/v1/channels/nothing/blogs", bearer(token), fields("text", "x")).want(404)
	s.do("PUT", blogPath(wheels, blog.ID), bearer(token), header("If-Match", "*"), fields("text", "x")).want(404)
	s.do("DELETE", blogPath(wheels, blog.ID), bearer(token)).want(404)
}
