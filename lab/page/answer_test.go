package page_test

import (
	"strings"
	"testing"
)

// anyPath is a path of each kind of answer.
func anyPath() []string {
	return []string{"/lab", "/lab/scenarios.json", "/lab/A1", "/lab/A1?s=ann", "/lab/A1.json?s=ann", "/lab/open-gate?s=ann,olga"}
}

func TestAnswerDoesNotDependOnTheReader(t *testing.T) {
	s := newSite(t)
	for _, path := range anyPath() {
		anonymous := s.get(path).want(200)
		user := s.get(path, "Cookie", "session=secret", "Authorization", "Bearer secret").want(200)
		if user.body != anonymous.body {
			t.Errorf("%s differs for a user", path)
		}
		for _, r := range []response{anonymous, user} {
			if got := r.header.Get("Cache-Control"); !strings.HasPrefix(got, "public, max-age=") {
				t.Errorf("%s: Cache-Control %q", path, got)
			}
			vary := "Accept-Encoding"
			if !strings.Contains(path, ".json") { // web shows a user's header above a page
				vary = "Cookie, Authorization, Accept-Encoding"
			}
			if r.header.Get("Vary") != vary || r.header.Get("Set-Cookie") != "" {
				t.Errorf("%s: not for everyone: %v", path, r.header)
			}
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Request-Id", "Etag", "Content-Length"} {
			if anonymous.header.Get(name) == "" {
				t.Errorf("%s: no %s", path, name)
			}
		}
	}
}
