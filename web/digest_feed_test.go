package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/templates"
	"microblogging/web"
)

func TestDigestFeed(t *testing.T) {
	t.Run("a feed has an entry for each complete day with posts", feedHasAnEntryForEachCompleteDayWithPosts)
	t.Run("a day lists its posts by channel and most popular first", dayListsItsPostsByChannelAndMostPopularFirst)
	t.Run("a day stays one entry", dayStaysOneEntry)
	t.Run("only the secret address opens a personal feed", onlyTheSecretAddressOpensAPersonalFeed)
	t.Run("the log has no secret address, however it is written", logHasNoSecretAddress)
}

// digestFeed makes an address of a user's personal feed, and returns it without scheme
// and host.
func (s *site) digestFeed(token, zone string) string {
	s.Helper()
	address, err := url.Parse(s.do("POST", digestPath+"/address?tz="+url.QueryEscape(zone), bearer(token)).want(201).text("url"))
	ok(s, err)
	return address.RequestURI()
}

func feedHasAnEntryForEachCompleteDayWithPosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fake time begins at midnight UTC, on New Year
		s := newSiteWith(t, web.Options{PageCache: -1}) // which has a clock of its own
		bob := s.signUp("bob")
		channel, path := s.channel("Engines", "bob"), s.digestFeed(bob, "UTC")
		time.Sleep(15 * 24 * time.Hour)
		midnight := time.Now()
		for _, hours := range []int{0, 1, 24, 25, 3 * 24, 14 * 24, 14*24 + 1} {
			s.postOn(midnight.Add(-time.Duration(hours)*time.Hour), channel, "Hello")
		}
		var want []string
		for _, days := range []int{1, 2, 3, 14} { // not today, which is not over, and nothing older
			want = append(want, midnight.AddDate(0, 0, -days).Format("Monday 2 January"))
		}
		feed := s.do("GET", path).want(200).atom()
		var got []string
		for _, entry := range feed.all("entry") {
			date, _, _ := strings.Cut(entry.text(t, "title"), ":")
			got = append(got, date)
		}
		if !slices.Equal(got, want) {
			t.Errorf("it has entries for %q, want %q", got, want)
		}
	})
}

func dayListsItsPostsByChannelAndMostPopularFirst(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	wheels, engines := s.channel("Wheels", "ada"), s.channel("Ärger", "ada")
	s.subscribe("bob", wheels, engines)
	yesterday := time.Now().AddDate(0, 0, -1)
	var posts []domain.Blog
	for i, votes := range []int{0, 2, 1} {
		blog := s.postOn(yesterday, wheels, fmt.Sprintf("<i>%d</i> & more", i))
		s.vote(blog, votes)
		posts = append(posts, blog)
	}
	for range 23 {
		s.postOn(yesterday, engines, "https://example.org")
	}
	feed := s.do("GET", s.digestFeed(bob, "UTC"), host("blog.example")).want(200).atom()
	entry := feed.all("entry")[0]
	if got, want := entry.text(t, "title"), yesterday.UTC().Format("Monday 2 January")+": 26 posts in 2 channels"; got != want {
		t.Errorf("the day is called %q, want %q", got, want)
	}
	day := "http://blog.example/digest?day=" + yesterday.UTC().Format(time.DateOnly) + "&tz=UTC"
	is(t, "the day links to", entry.link(t, "alternate"), day)
	root, err := html.Parse(strings.NewReader(entry.text(t, "content")))
	ok(t, err)
	var lines []string
	for _, n := range all(root, func(n *html.Node) bool { return tag("h2")(n) || tag("p")(n) || tag("li")(n) }) {
		line := text(n)
		if link := one(n, tag("a")); link != nil {
			line += " → " + attr(link, "href")
			if tag("li")(n) && attr(link, "dir") != "auto" {
				t.Errorf("the title may turn round what is next to it in %q", line)
			}
		}
		lines = append(lines, line)
	}
	link := func(i int) string { return "http://blog.example" + templates.BlogPath("Wheels", posts[i]) }
	want := []string{
		"Wheels → http://blog.example/channels/Wheels",
		"<i>1</i> & more by ada, 2 votes → " + link(1),
		"<i>2</i> & more by ada, 1 vote → " + link(2),
		"<i>0</i> & more by ada → " + link(0),
		"Ärger → http://blog.example/channels/%C3%84rger",
		"The 20 most popular of 23 posts.",
	}
	if len(lines) != 26 || !slices.Equal(lines[:6], want) {
		t.Errorf("the day lists %q", lines)
	}
}

func dayStaysOneEntry(t *testing.T) {
	s := newSite(t)
	bob, eve := s.signUp("bob"), s.signUp("eve")
	channel := s.channel("Engines", "ada")
	s.subscribe("bob", channel)
	s.subscribe("eve", channel)
	blog := s.postOn(time.Now().AddDate(0, 0, -1), channel, "Hello")
	path := s.digestFeed(bob, "UTC")
	a := s.do("GET", path).want(200)
	before := a.atom()
	etag := a.header.Get("ETag")
	s.do("GET", path, header("If-None-Match", etag)).want(304)
	s.do("HEAD", path).want(200)

	s.vote(blog, 1)
	again := s.do("GET", path, header("If-None-Match", etag)).want(200).atom() // the content shows the vote
	renewed := s.do("GET", s.digestFeed(bob, "UTC"), host("blog.example")).want(200).atom()
	for _, after := range []element{again, renewed} {
		for _, name := range []string{"id", "updated"} {
			if after.text(t, name) != before.text(t, name) {
				t.Errorf("the feed's %s has changed", name)
			}
			if was, is := before.all("entry")[0].text(t, name), after.all("entry")[0].text(t, name); was != is {
				t.Errorf("the day's %s has changed from %s to %s", name, was, is)
			}
		}
	}
	theirs := s.do("GET", s.digestFeed(eve, "UTC")).want(200).atom()
	if theirs.text(t, "id") == before.text(t, "id") || theirs.all("entry")[0].text(t, "id") == before.all("entry")[0].text(t, "id") {
		t.Error("two users' digests have the same id")
	}
}

func onlyTheSecretAddressOpensAPersonalFeed(t *testing.T) {
	s := newSite(t)
	bob, eve := s.signUp("bob"), s.signUp("eve")
	path, theirs := s.digestFeed(bob, "UTC"), s.digestFeed(eve, "UTC")
	secret, other := strings.Split(path, "/")[3], strings.Split(theirs, "/")[3]
	for _, wrong := range []string{
		strings.Replace(path, secret, other, 1),
		strings.Replace(path, secret, strings.ToLower(secret), 1),
		strings.Replace(path, secret, secret[:25], 1),
		strings.Replace(path, secret, "%20", 1),
		strings.Replace(path, "bob", "eve", 1),
		strings.Replace(path, "bob", "zoe", 1),
		strings.Replace(path, "bob", "b%2Fb", 1),
		strings.Replace(path, "bob", "%27", 1),
		strings.Replace(path, secret, other, 1) + "x", // the bad time zone must not change the answer
	} {
		a := s.do("GET", wrong, bearer(bob)).want(404)
		a.headed("Cache-Control", "no-store")
	}
	s.do("GET", strings.Replace(path, "bob", "BOB", 1)).want(200)
	for _, who := range [][]change{nil, {cookie(eve)}, {bearer(bob)}} {
		a := s.do("GET", path, who...).want(200)
		a.headed("Cache-Control", "private, no-cache, no-transform")
	}
	s.do("POST", path).want(405)
	if strings.Contains(s.log.String(), secret) {
		t.Errorf("the log holds the address:\n%s", s.log.String())
	}
}

// A proxy, a feed reader or a person may change an address.
func logHasNoSecretAddress(t *testing.T) {
	s := newSite(t)
	path := s.digestFeed(s.signUp("bob"), "UTC")
	secret := strings.Split(path, "/")[3]
	escaped := strings.ReplaceAll(path, "/", "%2F")
	for _, written := range []string{
		path, path + "/", "/" + path, "///" + path, "/." + path, "/x/.." + path, "/%2E" + path, "/;x" + path, `/\` + path, "/%09" + path, "/%0A" + path,
		strings.Replace(path, "/digest/", "/DIGEST/", 1), strings.Replace(path, "/digest/", "/Digest//", 1), strings.Replace(path, "/digest/", "/digest/./", 1),
		strings.Replace(path, "/digest/", "/%64igest/", 1), strings.Replace(path, "/digest/", "/digest%09/", 1),
		strings.ToUpper(path), "/blogs" + path, "/api/v1" + path, "/static/.." + path, "/static" + path, "/https://blogs.example" + path,
		path + "/../../../../latest", "/" + escaped, "/" + strings.ReplaceAll(escaped, "%", "%25"), "/digest/x%0A" + path[len("/digest/"):],
		strings.Replace(path, "/digest/", "/%2564igest/", 1), strings.Replace(path, "/digest/", "/%25252564igest/", 1), strings.Replace(path, "/digest/", "/dig%C2%ADest/", 1),
		strings.Replace(path, "/digest/", "/d%20igest/", 1), "/static" + strings.Replace(path, "/digest/", "/%2564igest/", 1), strings.TrimPrefix(path, "/digest"),
	} {
		s.do("GET", "/", func(r *http.Request) {
			u, err := url.ParseRequestURI("http://example.com" + written)
			ok(t, err)
			r.URL = u
		})
	}
	if log := s.log.String(); strings.Contains(strings.ToUpper(log), secret) || !strings.Contains(log, "path=/digest… ") || !strings.Contains(log, "path=… ") {
		t.Errorf("the log holds the address:\n%s", log)
	}
	before := len(s.log.String())
	s.do("GET", "/channels/Wheels/2026-01-02/a-b").want(404)
	if log := s.log.String()[before:]; !strings.Contains(log, "path=/channels/Wheels/2026-01-02/a-b ") {
		t.Errorf("the log does not hold another address:\n%s", log)
	}
}
