package web_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestETag(t *testing.T) {
	t.Run("covers who reads it", tagCoversWhoReadsIt)
	t.Run("is compared weakly and in a list", tagIsComparedWeaklyAndInAList)
	t.Run("is on no page that is shown once", tagIsOnNoPageThatIsShownOnce)
	t.Run("of a channel's page covers the key of its form", tagOfAChannelsPageCoversTheKeyOfItsForm)
	t.Run("keeps no page beyond the session", pagesKeptAreDroppedWithTheSession)
}

// readable are the paths that answer GET by 200, for everybody and for ada.
func (s *site) readable() (everybody, ada []string) {
	s.Helper()
	channel := s.channel("Engines", "ada")
	blog := s.post(channel, "ada", "Hello")
	atom, json := feedsOf(channel)
	everybody = []string{
		"/", "/channels", "/channels?contains=N", "/channels/Engines", "/channels/engines", "/channels/Engines?order=rating", "/channels/Engines?rating=0",
		"/channels/Engines/feed", permalink(channel, blog), "/users/ada", "/how-deletion-works", "/keys", atom, json, "/channels/Engines/news?since=",
		"/api/v1/channels", "/api/v1/channels/Engines/blogs", "/api/openapi.json", "/sign-in",
	}
	ada = []string{
		"/", "/channels", "/channels/Engines", "/channels/Engines?order=rating", permalink(channel, blog), permalink(channel, blog) + "/edit",
		"/channels/Engines/edit", "/channels/Engines/delete", "/channels/Engines/rows", "/users/ada", "/account", "/subscriptions", "/digest", "/account/deletions",
		"/api/v1/feed", "/api/v1/digest", "/api/v1/subscriptions", "/api/v1/deletions", "/news?since=",
	}
	return everybody, ada
}

func tagCoversWhoReadsIt(t *testing.T) {
	s := newSite(t)
	token, other := s.signUp("ada"), s.signUp("bob")
	everybody, _ := s.readable()
	for _, path := range everybody[:9] {
		tag := s.do("GET", path).want(200).header.Get("ETag")
		adas := s.do("GET", path, cookie(token), header("If-None-Match", tag)).want(200).header.Get("ETag")
		s.do("GET", path, cookie(other), header("If-None-Match", tag+", "+adas)).want(200)
		s.do("GET", path, header("If-None-Match", adas)).want(200)
		s.do("GET", path, host("elsewhere.example"), header("If-None-Match", tag))
	}
	// What another site shows of a page has its address in it.
	tag := s.do("GET", "/channels/Engines").header.Get("ETag")
	s.do("GET", "/channels/Engines", host("elsewhere.example"), header("If-None-Match", tag)).want(200)
}

func tagIsComparedWeaklyAndInAList(t *testing.T) {
	s := newSite(t)
	s.readable()
	for _, path := range []string{"/channels/Engines", "/channels", "/channels/Engines/feed.atom", "/api/v1/channels"} {
		tag := s.do("GET", path).want(200).header.Get("ETag")
		strong := strings.TrimPrefix(tag, "W/")
		for _, met := range []string{strong, "W/" + strong, `"x", ` + tag, `W/"x",` + strong, "*"} {
			s.do("GET", path, header("If-None-Match", met)).want(304)
		}
		s.do("GET", path, header("If-None-Match", `"x"`), header("If-None-Match", tag)).want(304)
		for _, missed := range []string{`"x"`, strings.Trim(strong, `"`), `"` + strong, ""} {
			s.do("GET", path, header("If-None-Match", missed)).want(200)
		}
	}
}

func tagIsOnNoPageThatIsShownOnce(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	s.readable()
	for name, a := range map[string]answer{
		"a notice":            s.do("GET", "/channels/Engines", cookie(token), header("Cookie", "notice=posted")).want(200),
		"a notice of nothing": s.do("GET", "/channels/Engines", header("Cookie", "notice=nothing")).want(200),
		"a key":               s.do("GET", "/channels/new", cookie(token)).want(200),
		"an address":          s.do("GET", "/digest", cookie(token), header("Cookie", "digest-secret=x")).want(200),
	} {
		if tag := a.header.Get("ETag"); tag != "" || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: ETag %s, Cache-Control %q", name, tag, a.header.Get("Cache-Control"))
		}
	}
	if a := s.do("GET", "/sign-up").want(200); a.header.Get("ETag") != "" {
		t.Errorf("the form for an account has the ETag %s", a.header.Get("ETag"))
	}
	tag := s.do("GET", "/channels/Engines").header.Get("ETag")
	s.do("GET", "/channels/Engines", header("Cookie", "notice=signed-out"), header("If-None-Match", tag)).want(200)
	s.do("GET", "/channels/Engines", header("Cookie", "notice=signed-out"), header("If-None-Match", "*")).want(200)
}

func pagesKeptAreDroppedWithTheSession(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	for _, path := range []string{"/sign-out", "/account"} {
		a := s.do("POST", path, cookie(token), posted(url.Values{"action": {"end-sessions"}})).want(303)
		if got := a.header.Get("Clear-Site-Data"); got != `"cache"` {
			t.Errorf("%s: Clear-Site-Data %q", path, got)
		}
		token = s.session("ada")
	}
}

// A key that has made a post is spent, also if the post is gone again and the page looks
// as it did.
func tagOfAChannelsPageCoversTheKeyOfItsForm(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	first := s.do("GET", "/channels/Engines", cookie(token)).want(200)
	tag := first.header.Get("ETag")
	if again := s.do("GET", "/channels/Engines", cookie(token)).want(200); again.header.Get("ETag") != tag {
		t.Errorf("the tag is %s, and %s for another key", tag, again.header.Get("ETag"))
	}
	s.do("GET", "/channels/Engines", cookie(token), header("If-None-Match", tag)).want(304)
	s.do("POST", "/channels/Engines", cookie(token), posted(url.Values{
		"text": {"Hello"}, "key": {"spent-by-a-post-of-this-form"}, "user": {"ada"}, "incarnation": {string(channel.Incarnation)},
	})).want(303)
	posts := s.do("GET", "/api/v1/channels/Engines/blogs").items("id")
	s.do("DELETE", "/api/v1/channels/Engines/blogs/"+posts[0], bearer(token)).want(204)
	s.do("GET", "/channels/Engines", cookie(token), header("If-None-Match", tag)).want(200)
}
