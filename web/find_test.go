package web_test

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Run("a page marks each match and says how many posts match", pageMarksEachMatch)
	t.Run("marks alone find nothing and the page says why", marksAloneFindNothing)
}

func marksAloneFindNothing(t *testing.T) {
	s := newSite(t)
	s.post(s.channel("Engines", string(s.author("ada"))), "ada", "A **lease**")
	page := s.browser().open("/channels/Engines?find=**").want(200).says("There is nothing to find in “**”: a search leaves out the marks")
	page.saysNot("lease").saysNot("1 of 1")
	s.do("GET", "/api/v1/channels/Engines/blogs?find=**").want(422).wantField("find")
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
