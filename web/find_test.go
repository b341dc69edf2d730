package web_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Run("a page marks each match and says how many posts match", pageMarksEachMatch)
	t.Run("a query finds what a reader expects", queryFindsWhatIsExpected)
}

func pageMarksEachMatch(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", string(s.author("ada")))
	for range 4 {
		s.post(channel, "ada", "Nothing")
	}
	s.post(channel, "ada", "A **lea**se & a [LEASE](https://lease.example)")
	s.post(channel, "ada", strings.Repeat("Long. ", 400)+"Its lease ends.")
	s.do("POST", "/api/v1/channels/Engines/blogs", bearer(s.session("ada")), fields("title", "The <lease>", "text", "ends")).want(201)
	page := s.signedIn("bob").open("/channels/Engines?find=%20lease%20").want(200).says("3 of 7 posts match.")
	page.says("Its lease ends.").saysNot("Read on")
	for _, want := range []string{
		"&lt;<mark>lease</mark>&gt;</a>", "A <strong><mark>lea</mark></strong><mark>se</mark> &amp; a <a", "><mark>LEASE</mark></a>", "Its <mark>lease</mark> ends.",
	} {
		if !strings.Contains(string(page.plain()), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	s.browser().open("/channels/Engines?find=pistons").says("0 of 7 posts match.")
	s.browser().open("/channels/Engines?find=long").says("1 of 7 posts matches.")
}

func queryFindsWhatIsExpected(t *testing.T) {
	s := newSite(t)
	channel := s.channel("apps", string(s.author("ada")))
	for _, text := range []string{
		"Hello **brave** world", "see [the docs](https://d.example/x) now", `snake\_case here`, "a &amp; b", "soft\nbreak text", "Блины", "don’t", "İstanbul", "👍", "黒猫",
	} {
		s.post(channel, "ada", text)
	}
	for query, match := range map[string]string{
		"Hello brave": "Hello brave world", "the docs now": "see the docs now", "snake_case": "snake_case here", "a & b": "a & b", "soft break": "soft break text",
		"блины ": "Блины", "don't": "don’t", "istanbul": "İstanbul", "👍": "👍", "猫": "黒猫",
	} {
		got := s.listed("/api/v1/channels/apps/blogs?find="+url.QueryEscape(query), "match")
		if len(got) != 1 || got[0] != match {
			t.Errorf("%q finds %q", query, got)
		}
	}
	for _, wrong := range []string{"%20", "%E2%80%8B", strings.Repeat("a", 101)} { // U+200B has no width
		s.do("GET", "/api/v1/channels/apps/blogs?find="+wrong).want(422).wantField("find")
	}
}
