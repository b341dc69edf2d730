package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/web"
)

func TestHead(t *testing.T) {
	t.Run("of a page names the address that the reader sees", headNamesTheAddressThatTheReaderSees)
	t.Run("leads to files that are there", headLeadsToFilesThatAreThere)
	t.Run("files at fixed addresses are there", filesAtFixedAddressesAreThere)
	t.Run("robots may read and do not see forms", robotsMayReadAndDoNotSeeForms)
}

func headNamesTheAddressThatTheReaderSees(t *testing.T) {
	base, err := url.Parse("https://blogs.example")
	if err != nil {
		t.Fatal(err)
	}
	for want, options := range map[string]web.Options{"http://example.com": {}, "https://blogs.example": {BaseURL: base}} {
		s := newSiteWith(t, options)
		channel := s.channel("Ärger", string(s.author("ada")))
		blog := s.post(channel, "ada", "Hello world")
		for _, path := range []string{"/channels/%C3%84rger", "/channels/%C3%84rger/feed", permalink(channel, blog), "/channels"} {
			p := s.browser().open(path).want(200)
			if link := `<link rel="canonical" href="` + want + path + `"`; !strings.Contains(string(p.body), link) {
				t.Errorf("%s has no %s", path, link)
			}
		}
	}
}

func headLeadsToFilesThatAreThere(t *testing.T) {
	s := newSite(t)
	p := s.browser().open("/channels").want(200)
	links := 0
	for _, n := range all(p.doc, tag("link")) {
		if href := attr(n, "href"); strings.HasPrefix(href, "/") {
			links++
			s.do("GET", href).want(200)
		}
	}
	if links < 4 {
		t.Errorf("%d links", links)
	}
	if policy := p.header.Get("Content-Security-Policy"); !strings.Contains(policy, "manifest-src 'self'") {
		t.Errorf("browsers may not read the manifest: %s", policy)
	}
}

func filesAtFixedAddressesAreThere(t *testing.T) {
	s := newSite(t)
	for path, kind := range map[string]string{
		"/favicon.ico": "image/x-icon", "/apple-touch-icon.png": "image/png", "/robots.txt": "text/plain; charset=utf-8",
	} {
		a := s.do("GET", path).want(200)
		if got := a.header.Get("Content-Type"); got != kind || strings.Contains(a.header.Get("Vary"), "Cookie") || a.header.Get("Cache-Control") != "public, max-age=86400" {
			t.Errorf("%s: %v", path, a.header)
		}
		s.do("HEAD", path).want(200)
		s.do("GET", path, header("If-None-Match", a.header.Get("ETag"))).want(http.StatusNotModified)
	}
}

// robotsAllow tells whether a robot may read a path, by the rules of RFC 9309 for the
// file as it is: one group, and rules of Disallow alone.
func robotsAllow(file, path string) bool {
	for line := range strings.Lines(file) {
		if rule, ok := strings.CutPrefix(strings.TrimSpace(line), "Disallow: "); ok && robotRuleMatches(rule, path) {
			return false
		}
	}
	return true
}

func robotRuleMatches(rule, path string) bool {
	rule, whole := strings.CutSuffix(rule, "$")
	parts := strings.Split(rule, "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	for i, part := range parts[1:] {
		if !ok {
			return false
		}
		at := strings.Index(rest, part)
		if whole && i == len(parts)-2 {
			at = strings.LastIndex(rest, part)
		}
		if ok = at >= 0; ok {
			rest = rest[at+len(part):]
		}
	}
	return ok && (!whole || rest == "")
}

func robotsMayReadAndDoNotSeeForms(t *testing.T) {
	s := newSite(t)
	channel := s.channel("newspaper", string(s.author("ada")))
	blog := s.post(channel, "ada", "Hello")
	rules := string(s.do("GET", "/robots.txt").want(200).body)
	reading := []string{
		"/", "/channels", "/channels?after=x", "/channels/newspaper", "/channels/newspaper?order=rating", "/channels/newspaper/feed",
		"/channels/newspaper/feed.atom", "/channels/news", "/channels/edit", "/channels/delete", "/how-deletion-works", "/users/ada", "/lab", "/lab/A1", "/lab/A1/compare",
		"/users/account", permalink(channel, blog), "/static/app.css", "/robots.txt", "/favicon.ico",
	}
	for _, path := range reading {
		if !robotsAllow(rules, path) {
			t.Errorf("robots may not read %s", path)
		}
	}
	forms := []string{
		"/sign-in", "/sign-in?next=%2F", "/sign-up", "/sign-out", "/account", "/subscriptions", "/digest", "/digest?day=2026-01-01",
		"/digest/ada/secret/feed.atom", "/channels/new", "/channels/new?name=x", "/channels/newspaper/edit", "/channels/newspaper/delete",
		permalink(channel, blog) + "/edit", "/channels/newspaper/deletions/" + string(domain.NewIncarnation()), "/api/v1/channels",
	}
	endless := []string{"/lab/A1?s=ann", "/lab/open-gate?s=ann&at=0", "/lab/A1.json", "/lab/A1.json?s=ann", "/lab/queries"}
	for _, path := range append(forms, endless...) {
		if robotsAllow(rules, path) {
			t.Errorf("robots read %s", path)
		}
	}
}
