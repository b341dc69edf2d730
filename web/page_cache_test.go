package web_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestPageCache(t *testing.T) {
	t.Run("answers nothing after a deletion, on any process", cacheAnswersNothingAfterADeletion)
	t.Run("answers what was written last, on any process", cacheAnswersWhatWasWrittenLast)
	t.Run("answers as a site without it", drivertest.Long(cacheAnswersAsASiteWithoutIt))
	t.Run("answers anonymous clients alone", cacheAnswersAnonymousClientsAlone)
	t.Run("keeps the posts of a page for each reader as that reader sees them", cacheKeepsTheListOfEachReader)
	t.Run("keeps the addresses of a site apart", cacheKeepsAddressesApart)
	t.Run("costs few allocations", drivertest.Long(cacheCostsFewAllocations))
}

// twoSites are two processes on one store.
func twoSites(t *testing.T) (a, b *site) {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return newSiteOver(t, db, web.Options{}), newSiteOver(t, db, web.Options{})
}

// listPath is the list of the posts of a channel, for programs.
const listPath = "/api/v1/channels/Engines/blogs"

// sharedPaths are the pages, feeds and lists of a channel that are the same for all anonymous clients.
func sharedPaths(channel domain.Channel, blog domain.Blog) []string {
	atom, json := feedsOf(channel)
	return []string{"/channels/Engines", "/channels/engines", "/channels/Engines?order=rating", "/channels/Engines?rating=0", postPage(channel, blog), atom, json,
		listPath, listPath + "?order=rating", listPath + "?limit=1", listPath + "?find=hello"}
}

func cacheAnswersNothingAfterADeletion(t *testing.T) {
	a, b := twoSites(t)
	token := a.signUp("ada")
	channel := a.channel("Engines", "ada")
	paths := sharedPaths(channel, a.post(channel, "ada", "Hello"))
	anonymously := func(*http.Request) {}
	tags := map[string]string{}
	for _, path := range paths {
		for _, s := range []*site{a, b} {
			for _, who := range []change{anonymously, cookie(token)} {
				tag := s.do("GET", path, who).want(200).header.Get("ETag")
				s.do("GET", path, who, header("If-None-Match", tag)).want(304)
				tags[path] += tag + ", "
			}
		}
	}
	refused := func(status int) {
		t.Helper()
		for _, path := range paths {
			for _, s := range []*site{b, a} {
				for _, who := range []change{anonymously, cookie(token)} {
					for _, met := range []string{strings.Trim(tags[path], ", "), "*"} {
						is(t, path, s.do("GET", path, who, header("If-None-Match", met)).status, status)
					}
				}
			}
		}
	}
	a.do("DELETE", "/api/v1/channels/Engines", bearer(token)).want(202)
	refused(410)
	a.cascade(channel.Ref())
	refused(404)
	again := a.channel("Engines", "ada")
	a.post(again, "ada", "Another")
	for _, s := range []*site{b, a} {
		for _, path := range []string{paths[0], paths[5]} {
			s.do("GET", path, header("If-None-Match", tags[path]+`"x"`)).want(200).has("Another").lacks("Hello")
		}
	}
}

func cacheAnswersWhatWasWrittenLast(t *testing.T) {
	a, b := twoSites(t)
	ada, bob := a.signUp("ada"), a.signUp("bob")
	channel := a.channel("Engines", "ada")
	blog := a.post(channel, "ada", "Hello")
	form := func(action string) change {
		return posted(url.Values{"action": {action}, "incarnation": {string(channel.Incarnation)}})
	}
	post, page := blogPath(channel, blog.ID), postPage(channel, blog)
	atom, json := feedsOf(channel)
	for _, step := range []struct {
		name  string
		write func()
		says  string
		on    []string
	}{
		{"an edit", func() { a.do("PUT", post, bearer(ada), header("If-Match", "*"), fields("text", "Second")).want(200) }, "Second",
			[]string{"/channels/Engines", page, "/channels/Engines?order=rating", atom, json, listPath, listPath + "?find=second"}},
		{"a vote", func() { a.do("POST", permalink(channel, blog), cookie(bob), form("vote")).want(303) }, "1 vote", []string{"/channels/Engines", page}},
		{"a vote seen by rating", func() {}, "Second", []string{"/channels/Engines?rating=1"}},
		{"a vote taken back", func() { a.do("POST", permalink(channel, blog), cookie(bob), form("unvote")).want(303) }, "No post has 1 vote", []string{"/channels/Engines?rating=1"}},
		{"a subscriber", func() { a.do("POST", "/channels/Engines", cookie(bob), form("subscribe")).want(303) }, "2 subscribers", []string{"/channels/Engines"}},
		{"one less", func() { a.do("POST", "/channels/Engines", cookie(bob), form("unsubscribe")).want(303) }, "1 subscriber", []string{"/channels/Engines"}},
		{"a description", func() {
			a.do("PATCH", "/api/v1/channels/Engines", bearer(ada), fields("description", "Other words")).want(200)
		}, "Other words", []string{"/channels/Engines", atom, json}},
		{"a post", func() { a.post(channel, "bob", "Third") }, "Third", []string{"/channels/Engines", atom, json, listPath, listPath + "?limit=1"}},
		{"a reply", func() { a.reply(channel, blog, "bob", "Fourth") }, "Fourth", []string{page, post + "/replies"}},
		{"a reply seen in lists", func() {}, "Replies", []string{"/channels/Engines"}},
		{"a deletion of a post", func() { a.do("DELETE", post, bearer(ada)).want(204) }, "Third", []string{"/channels/Engines"}},
	} {
		for _, path := range step.on {
			for _, who := range []change{func(*http.Request) {}, cookie(ada)} {
				b.do("GET", path, who)
			}
		}
		t.Log("after " + step.name)
		step.write()
		for _, path := range step.on {
			for _, who := range []change{func(*http.Request) {}, cookie(ada)} {
				b.do("GET", path, who).want(200).has(step.says)
			}
		}
	}
	b.do("GET", page).want(404)
	b.do("GET", "/channels/Engines").want(200).lacks("Second")
}

func cacheAnswersAsASiteWithoutIt(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	defer db.Close()
	kept, anew := newSiteOver(t, db, web.Options{}), newSiteOver(t, db, web.Options{PageCache: -1})
	channel, token := kept.channel("Engines", "ada"), kept.signUp("bob")
	rated := kept.post(channel, "ada", "Hello, *world*")
	paths := sharedPaths(channel, rated)
	kept.post(channel, "ada", "Hello again")
	kept.vote(rated, 1)
	paths = append(paths, "/channels/Engines?after=x", "/channels/Engines?order=x", "/channels/Engines?x=y&x=z", "/channels/None", "/channels/%FF",
		"/channels/Engines/blogs/x", "/channels/Engines/blogs/x/y", "/channels/None/feed.atom", permalink(channel, domain.Blog{ID: "1"}))
	for _, path := range paths {
		for _, coding := range []string{"gzip", "", "gzip", ""} {
			accepts := header("Accept-Encoding", coding)
			for _, who := range []change{func(*http.Request) {}, cookie(token)} {
				with, without := kept.do("GET", path, accepts, who), anew.do("GET", path, accepts, who)
				if with.status != without.status || with.status == 200 && !bytes.Equal(with.plain(), without.plain()) {
					t.Errorf("%s: %d with %d bytes, and %d with %d without the cache", path, with.status, len(with.body), without.status, len(without.body))
				}
				for name := range without.header {
					differ := map[string]bool{"X-Request-Id": true, "Server-Timing": true,
						"Content-Length": with.status != 200 || coding != ""} // a problem names its request, and what is kept is packed more
					if !differ[name] && strings.Join(with.header[name], "\n") != strings.Join(without.header[name], "\n") {
						t.Errorf("%s: %s %q, and %q without the cache", path, name, with.header[name], without.header[name])
					}
				}
				if head := kept.do("HEAD", path, who); head.status != with.status || head.header.Get("ETag") != with.header.Get("ETag") {
					t.Errorf("HEAD %s: %d, %v", path, head.status, head.header)
				}
			}
		}
	}
}

func cacheAnswersAnonymousClientsAlone(t *testing.T) {
	s, token, channel := engines(t, "ada")
	path := postPage(channel, s.post(channel, "ada", "Hello"))
	for _, path := range []string{"/channels/Engines", path} {
		shared := s.do("GET", path).want(200)
		for name, who := range map[string]change{
			"a session":  cookie(token),
			"a token":    bearer(token),
			"no session": cookie("ended"),
			"a notice":   header("Cookie", "notice=signed-out"),
		} {
			mine := s.do("GET", path, who).want(200)
			if got := mine.header.Get("Cache-Control"); got == "no-cache" || mine.header.Get("Vary") != shared.header.Get("Vary") {
				t.Errorf("%s, %s: Cache-Control %q, Vary %q", path, name, got, mine.header.Get("Vary"))
			}
			if says := strings.Contains(string(mine.body), "Sign out"); says != (name == "a session" || name == "a token") {
				t.Errorf("%s, %s: signed in: %v", path, name, says)
			}
			if says := strings.Contains(string(mine.body), "You are signed out"); says != (name == "a notice") {
				t.Errorf("%s, %s: a notice: %v", path, name, says)
			}
		}
		s.do("GET", path).want(200).headed("ETag", shared.header.Get("ETag")).lacks("Sign out")
	}
	s.do("GET", "/channels/Engines", bearer("wrong")).want(401)
}

func cacheKeepsTheListOfEachReader(t *testing.T) {
	s, owner, channel := enginesBrowser(t, "ada")
	author, voter, reader := s.signedIn("bob"), s.signedIn("cyd"), s.signedIn("dot")
	post := s.post(channel, "bob", "Of bob")
	ok(t, s.store.Posts.Vote(t.Context(), channel.Ref(), post.ID, "cyd"))
	for range 2 { // the second is from memory
		for name, test := range map[string]struct {
			by   *browser
			says [5]bool
		}{
			"owner": {owner, [5]bool{false, true, true, false, true}}, "author": {author, [5]bool{true, true}},
			"voter": {voter, [5]bool{false, false, false, true}}, "reader": {reader, [5]bool{}},
		} {
			page := seen(test.by.open("/channels/Engines").want(200).doc)
			for i, words := range []string{"Edit the post by @bob", "Delete this post", "Block @bob", "Take back your vote", "Delete channel…"} {
				if strings.Contains(page, words) != test.says[i] {
					t.Errorf("the %s reads %q: %v", name, words, !test.says[i])
				}
			}
		}
	}
}

func cacheKeepsAddressesApart(t *testing.T) {
	s := newSiteWith(t, web.Options{TrustProxy: true})
	channel := s.channel("Engines", "ada")
	s.post(channel, "ada", "Hello")
	for range 2 {
		for origin, change := range map[string]change{
			"http://example.com": func(*http.Request) {}, "http://blog.example": host("blog.example"), "https://example.com": header("X-Forwarded-Proto", "https"),
		} {
			for _, path := range []string{"/channels/Engines", "/channels/Engines/feed.json"} {
				s.do("GET", path, change).want(200).has(`"` + origin + "/channels/Engines")
			}
		}
		for _, query := range []string{"", "?order=rating", "?find=Hello"} {
			s.do("GET", "/channels/Engines"+query).want(200).has(url.QueryEscape("/channels/Engines"+query) + `"`)
		}
	}
}

func cacheCostsFewAllocations(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	defer db.Close()
	s := newSiteOver(t, db, web.Options{})
	token, channel := s.signUp("ada"), s.channel("Engines", "ada")
	for range 20 {
		s.post(channel, "ada", "Hello")
	}
	const page, latest = "/channels/Engines", "/latest"
	post := postPage(channel, s.post(channel, "ada", "Hello"))
	handler, err := web.New(storage.New(db, storage.Options{}).Store, web.Options{Hosts: []string{"example.com"}, PageCache: 1 << 20, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	ok(t, err)
	for _, step := range []struct {
		name, path string
		who        change
		has        bool
		most       float64
	}{
		// It is 73 in the program, 4 of them for the turn of the client: the race detector makes pools forget.
		{"a page", page, func(*http.Request) {}, false, 82},
		{"304", page, func(*http.Request) {}, true, 82},
		{"a list for programs", listPath, func(*http.Request) {}, false, 86},
		// To render the page would take 1,000 more.
		{"304 of a reader", page, cookie(token), true, 320},
		{"304 of a reader of a post", post, cookie(token), true, 320},
		{"304 of a reader of the newest posts", latest, cookie(token), true, 500},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", step.path, nil)
		step.who(r)
		if step.has {
			r.Header.Set("If-None-Match", s.do("GET", step.path, step.who).want(200).header.Get("ETag"))
		}
		w := &sink{header: make(http.Header, 24)}
		allocations := testing.AllocsPerRun(100, func() {
			clear(w.header)
			handler.ServeHTTP(w, r)
		})
		t.Logf("%s: %v allocations", step.name, allocations)
		if allocations >= step.most || (w.status == 304) != step.has {
			t.Errorf("%s costs %v allocations, with %d", step.name, allocations, w.status)
		}
	}
}
