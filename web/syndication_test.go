package web_test

import (
	"strings"
	"testing"
)

func TestChannelFeedCaching(t *testing.T) {
	t.Run("a reader who has the feed gets 304", readerWhoHasTheFeedGets304)
}

func readerWhoHasTheFeedGets304(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	blog := s.post(channel, "ada", "Hello")
	gone := s.post(channel, "ada", "Going")
	atom, json := feedsOf(channel)
	for _, path := range []string{atom, json} {
		a := s.do("GET", path).want(200)
		etag := a.header.Get("ETag")
		same := func() int { return s.do("GET", path, header("If-None-Match", etag)).status }
		if !strings.HasPrefix(etag, `W/"`) || a.header.Get("Cache-Control") != "no-cache" || a.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("ETag %s, Cache-Control %q, Vary %q", etag, a.header.Get("Cache-Control"), a.header.Get("Vary"))
		}
		unchanged := s.do("GET", path, header("If-None-Match", `"x", `+strings.TrimPrefix(etag, "W/")), cookie(token)).want(304)
		if unchanged.header.Get("ETag") != etag || len(unchanged.body) > 0 || unchanged.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("304 with %v and %s", unchanged.header, unchanged.body)
		}
		head := s.do("HEAD", path).want(200)
		if head.header.Get("ETag") != etag {
			t.Errorf("HEAD has ETag %s", head.header.Get("ETag"))
		}
		s.do("HEAD", path, header("If-None-Match", etag)).want(304)
		s.vote(blog, 1) // the feed shows no votes
		if same() != 304 {
			t.Error("a vote changed the ETag of the feed")
		}
	}
	etag := s.do("GET", atom).header.Get("ETag")
	for name, change := range map[string]func(){
		"an edit": func() {
			s.do("PUT", blogPath(channel, blog.ID), bearer(token), header("If-Match", "*"), fields("text", "Second")).want(200)
		},
		"a deletion": func() { s.do("DELETE", blogPath(channel, gone.ID), bearer(token)).want(204) },
		"a post":     func() { s.post(channel, "ada", "New") },
		"a description": func() {
			s.do("PATCH", "/api/v1/channels/Engines", bearer(token), fields("description", "Other")).want(200)
		},
	} {
		change()
		a := s.do("GET", atom, header("If-None-Match", etag)).want(200)
		if a.header.Get("ETag") == etag {
			t.Errorf("the ETag is the same after %s", name)
		}
		etag = a.header.Get("ETag")
	}
}
