package web_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/web"
)

func TestRobots(t *testing.T) {
	t.Run("may read, do not see forms, and are told of no page that is gone", robotsMayReadAndDoNotSeeForms)
}

// robotsAllow reports whether a robot may read a path, by the rules of RFC 9309 for the
// file as it is: one group, and rules of Disallow alone.
func robotsAllow(file, path string) bool {
	for line := range strings.Lines(file) {
		rule, ok := strings.CutPrefix(strings.TrimSpace(line), "Disallow: ")
		pattern := strings.NewReplacer(`\*`, ".*", `\$`, "$").Replace(regexp.QuoteMeta(rule))
		if ok && regexp.MustCompile("^"+pattern).MatchString(path) {
			return false
		}
	}
	return true
}

func robotsMayReadAndDoNotSeeForms(t *testing.T) {
	s := newSiteWith(t, web.Options{Routes: map[string]web.Handler{"/lab/A1.json": nil}})
	channel := s.channel("newspaper", string(s.author("ada")))
	blog := s.post(channel, "ada", "Hello")
	rules := string(s.do("GET", "/robots.txt").want(200).body)
	reading := []string{
		"/", "/channels", "/channels?after=x", "/channels/newspaper", "/channels/newspaper?order=rating", "/channels/newspaper/feed",
		"/channels/newspaper/feed.atom", "/channels/news", "/channels/edit", "/channels/delete", "/how-deletion-works", "/users/ada", "/lab", "/lab/A1",
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
	endless := []string{"/lab/A1?s=ann", "/lab/open-gate?s=ann&at=0", "/lab/A1.json", "/lab/A1.json?s=ann"}
	for _, path := range append(forms, endless...) {
		if robotsAllow(rules, path) {
			t.Errorf("robots read %s", path)
		}
	}
	for rule := range strings.Lines(rules) {
		path, _, _ := strings.Cut(rule, "?")
		kept := slices.ContainsFunc(s.handler.(*echo.Echo).Routes(), func(r *echo.Route) bool { return !robotsAllow(path, r.Path) })
		if strings.HasPrefix(rule, "Disallow") && !kept {
			t.Errorf("robots.txt: no route is kept from robots by %s: take it out", strings.TrimSpace(rule))
		}
	}
}
