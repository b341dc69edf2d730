package page_test

import (
	"slices"
	"strings"
	"testing"

	"microblogging/lab/page"
)

func TestAnswer(t *testing.T) {
	t.Run("has the headers of the site and is the same for everyone", answerIsTheSameForEveryone)
	t.Run("is sent once to a client that keeps it", answerIsSentOnce)
	t.Run("is compressed as the client likes", answerIsCompressed)
	t.Run("of another version has another tag", answerOfAnotherVersionHasAnotherTag)
	t.Run("to another method is a refusal", answerToAnotherMethodIsARefusal)
}

// anyPath is a path of each kind of answer.
func anyPath() []string {
	return []string{"/lab", "/lab/scenarios.json", "/lab/A1", "/lab/A1?s=ann", "/lab/A1.json?s=ann", "/lab/open-gate/compare?s=ann,olga"}
}

func answerIsTheSameForEveryone(t *testing.T) {
	s := newSite(t)
	for _, path := range anyPath() {
		stranger := s.get(path).want(200)
		user := s.get(path, "Cookie", "session=secret", "Authorization", "Bearer secret").want(200)
		if user.body != stranger.body {
			t.Errorf("%s differs for a user", path)
		}
		for _, r := range []response{stranger, user} {
			if got := r.header.Get("Cache-Control"); !strings.HasPrefix(got, "public, max-age=") {
				t.Errorf("%s: Cache-Control %q", path, got)
			}
			if r.header.Get("Vary") != "Accept-Encoding" || r.header.Get("Set-Cookie") != "" {
				t.Errorf("%s: not for everyone: %v", path, r.header)
			}
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Request-Id", "Etag", "Content-Length"} {
			if stranger.header.Get(name) == "" {
				t.Errorf("%s: no %s", path, name)
			}
		}
		if links := stranger.links(); slices.ContainsFunc(links, func(l string) bool { return strings.HasPrefix(l, "/sign-") }) {
			t.Errorf("%s leads to %s", path, links)
		}
	}
}

func answerIsSentOnce(t *testing.T) {
	s := newSite(t)
	for _, path := range anyPath() {
		etag := s.get(path).want(200).header.Get("Etag")
		for _, tag := range []string{etag, strings.TrimPrefix(etag, "W/"), `"other", ` + etag, "*"} {
			if again := s.get(path, "If-None-Match", tag).want(304); again.body != "" || again.header.Get("Etag") != etag || again.header.Get("Cache-Control") == "" {
				t.Errorf("%s, %s: %v %q", path, tag, again.header, again.body)
			}
		}
		s.get(path, "If-None-Match", `"other"`).want(200)
		if head := s.do("HEAD", path).want(200); head.header.Get("Etag") != etag {
			t.Errorf("HEAD %s: %v", path, head.header)
		}
	}
}

func answerIsCompressed(t *testing.T) {
	s := newSite(t)
	for _, path := range anyPath() {
		whole := s.get(path).want(200)
		for _, coding := range []string{"gzip", "gzip"} {
			r := s.get(path, "Accept-Encoding", coding).want(200)
			if len(whole.body) < 1024 {
				continue
			}
			if r.header.Get("Content-Encoding") != coding || r.header.Get("Etag") != whole.header.Get("Etag") || len(r.body) > len(whole.body)/2 {
				t.Errorf("%s in %s: %d of %d bytes, %v", path, coding, len(r.body), len(whole.body), r.header)
			}
		}
	}
}

func answerOfAnotherVersionHasAnotherTag(t *testing.T) {
	old, next := newSiteWith(t, page.Options{Version: "1"}), newSiteWith(t, page.Options{Version: "2"})
	for _, path := range anyPath() {
		if etag := old.get(path).header.Get("Etag"); etag == next.get(path).header.Get("Etag") {
			t.Errorf("%s: both versions have %s", path, etag)
		}
	}
}

func answerToAnotherMethodIsARefusal(t *testing.T) {
	s := newSite(t)
	for _, path := range anyPath() {
		for _, method := range []string{"POST", "PUT", "DELETE"} {
			if r := s.do(method, path).want(405); !strings.Contains(r.header.Get("Allow"), "GET") {
				t.Errorf("%s %s: Allow %q", method, path, r.header.Get("Allow"))
			}
		}
	}
}
