package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/web"
)

func TestSearch(t *testing.T) {
	t.Run("the header leads to channels and people by name, and the posts of all channels with marks", searchFindsAll)
	t.Run("a page says how far back it looked, and the next goes on there", searchSaysHowFar)
	t.Run("without a text there is a form, and a text that cannot be sought gets a sentence", searchRefusesWithASentence)
	t.Run("nothing is found in a channel whose deletion was accepted, until it is undone, nor of an account that goes", searchFindsNoGhost)
	t.Run("the API lists the posts with the words around each match", apiSearches)
}

func searchFindsAll(t *testing.T) {
	s := newSite(t)
	s.author("grace")
	race, house := s.channel("race-days", "grace"), s.channel("boathouse", "grace")
	s.post(house, "grace", "Who drives to the **Race** on Saturday?")
	s.post(race, "grace", "Bring water.")
	s.post(race, "grace", "At the race, too")
	s.do("GET", "/channels").has(`<form class="seek" method="get" action="/search"`)
	page := s.browser().open("/search?q=+race+").want(200).heading("Search").says("“race” in posts", "race-days", "grace", "Searched back to").saysNot("Bring water")
	if got := page.texts(); len(got) != 2 || !strings.HasPrefix(got[0], "At the race") {
		t.Errorf("found %q", got)
	}
	for _, want := range []string{"<strong><mark>Race</mark></strong>", `href="/users/grace"`, `href="/channels/race-days"`, `href="/channels?contains=race"`, `value="race"`} {
		if !strings.Contains(string(page.plain()), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	page.follow("Channels and people").want(200).says("race-days", "grace")
	s.browser().open("/search?q=oarlok").want(200).says("Nothing contains “oarlok”", "Searched back to").saysNot("Go on")
	s.browser().open("/search?q=@grac").want(200).says("No post contains “@grac”", "grace")
}

func searchSaysHowFar(t *testing.T) {
	s := newSite(t)
	start, channels := time.Now(), []domain.Channel{s.channel("c0", "ada"), s.channel("c1", "ada"), s.channel("c2", "ada")}
	for i := range 30 {
		s.postOn(start.Add(-time.Duration(i)*24*time.Hour), channels[i%3], fmt.Sprintf("race %d", i))
	}
	s.postOn(start.Add(-40*24*time.Hour), channels[0], "no match")
	day := func(back int) string {
		return start.Add(-time.Duration(back) * 24 * time.Hour).UTC().Format("2 January 2006")
	}
	first := s.browser().open("/search?q=race").want(200).says("Searched back to " + day(19) + ".")
	second := first.follow("Go on with older posts").want(200).says("Searched back to "+day(40)+". A search goes back a year at most.").saysNot("Go on", "People")
	if a, b := first.texts(), second.texts(); len(a) != 20 || len(b) != 10 || b[0] != "race 20" {
		t.Errorf("%q, then %q", a, b)
	}
}

func searchRefusesWithASentence(t *testing.T) {
	s := newSite(t)
	s.browser().open("/search").want(200).says("What are you looking for?")
	s.browser().open("/search?q=%20").want(200).says("What are you looking for?")
	s.browser().open("/search?q=cat").want(200).says("Nothing contains “cat”", "There are no posts to search.")
	s.browser().open("/search?q=**").want(422).says("What you typed has nothing to find: the marks * _ ~ ` [ ] and \\ are left out.")
	s.browser().open("/search?q=" + strings.Repeat("ä", 101)).want(422).says("What you typed must have 1 to 100 characters, this has 101.")
	s.browser().open("/search?q=" + strings.Repeat("ä", 100)).want(200)
	for _, q := range []string{"", "?q=", "?q=**", "?q=" + strings.Repeat("x", 101)} {
		s.do("GET", "/api/v1/search"+q).want(422).wantField("q")
	}
}

func searchFindsNoGhost(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { _ = db.Close() })
	a, b := newSiteOver(t, db, web.Options{Undo: time.Minute}), newSiteOver(t, db, web.Options{Undo: time.Minute})
	token, eve := a.signUp("ada"), a.signUp("eve")
	kept, gone := a.channel("Engines", "ada"), a.channel("Wheels", "ada")
	a.post(kept, "ada", "A race of engines")
	a.post(gone, "ada", "A race of wheels")
	a.post(kept, "eve", "A race of eve")
	shows := func(texts, not []string) {
		t.Helper()
		for _, s := range []*site{a, b} {
			for _, who := range []change{func(*http.Request) {}, cookie(token)} {
				for _, path := range []string{"/search?q=race", "/api/v1/search?q=race"} {
					found := s.do("GET", path, who).want(200).has(texts...).lacks(not...)
					s.do("GET", path, who, header("If-None-Match", found.header.Get("ETag"))).want(304)
				}
			}
		}
	}
	shows([]string{"engines", "wheels", "eve"}, nil)
	deletion := a.do("DELETE", "/api/v1/channels/Wheels", bearer(token)).want(202).header.Get("Location")
	shows([]string{"engines"}, []string{"wheels", "Wheels"})
	a.do("POST", deletion+"/undo", bearer(token)).want(200)
	shows([]string{"engines", "wheels"}, nil)
	a.do("DELETE", "/api/v1/account", bearer(eve), fields("password", password, "posts", "delete")).want(202)
	a.do("GET", "/search?q=race").want(200).has("engines").lacks("A race of eve")
	a.do("DELETE", "/api/v1/channels/Wheels", bearer(token)).want(202)
	a.cascade(gone.Ref())
	a.do("GET", "/search?q=race").want(200).has("engines").lacks("wheels")
	a.post(a.channel("Wheels", "ada"), "ada", "A race again")
	a.do("GET", "/api/v1/search?q=race").want(200).has("again").lacks("of wheels")
}

func apiSearches(t *testing.T) {
	s := newSite(t)
	hour := time.Now().UTC().Truncate(time.Hour)
	var want []string
	for i := range 5 {
		text := fmt.Sprintf("To the race %d", i)
		s.postOn(hour.Add(-time.Duration(i)*time.Hour), s.channel(fmt.Sprint("c", 9-i), "ada"), text)
		want = append(want, text)
	}
	is(t, "found", s.listed("/api/v1/search?q=RACE&limit=2", "text"), want)
	a := s.do("GET", "/api/v1/search?q=race&limit=2").want(200)
	a.holds("items.0.channel", "c9")
	a.holds("items.0.match", "To the race 0")
	a.holds("searchedBack", domain.Storable(hour.Add(-time.Hour)).Format("2006-01-02T15:04:05.0000000Z"))
	if !strings.Contains(a.header.Get("Link"), "/api/v1/search?after=") {
		t.Errorf("Link is %q", a.header.Get("Link"))
	}
	s.do("GET", "/api/v1/search?q=nothing").want(200).has(`"items":[]`)
}
