package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"microblogging/domain"
)

func TestFeedPage(t *testing.T) {
	t.Run("a stranger finds the directory at home", strangerFindsTheDirectoryAtHome)
	t.Run("a feed is read to its end whatever is posted meanwhile", feedIsReadToItsEndWhateverIsPostedMeanwhile)
}

func strangerFindsTheDirectoryAtHome(t *testing.T) {
	s := newSite(t)
	s.channel("Engines", string(s.author("ada")))
	b := s.browser()
	b.open("/").want(200).heading("Channels").says("Engines")
	b.open("/subscriptions").want(401)
	b.open("/channels/Engines").says("1 subscriber. Sign in to subscribe.")
	b.send("POST", "/channels/Engines", posted(url.Values{"action": {"subscribe"}})).want(401)
	s.again("ada").open("/channels").heading("Channels").follow("New channel").want(200)
}

func feedIsReadToItsEndWhateverIsPostedMeanwhile(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channels := []domain.Channel{s.channel("Engines", "ada"), s.channel("Wheels", "ada"), s.channel("Brakes", "ada")}
	var want []string
	for i := range 45 {
		s.post(channels[i*i%3], "ada", fmt.Sprintf("number %d", i))
		want = append([]string{fmt.Sprintf("number %d", i)}, want...)
	}
	var got []string
	p, pages := b.open("/"), 1
	for ; ; pages++ {
		got = append(got, p.texts()...)
		if p.href("Older posts →") == "" {
			break
		}
		s.post(channels[pages%3], "ada", "while we read")
		p = p.follow("Older posts →").want(200)
	}
	if !slices.Equal(got, want) || pages != 3 || p.href("← Newest posts") != "/" {
		t.Errorf("read in %d pages: %q", pages, got)
	}
	foreign := s.signedIn("bob").open(p.path).want(422)
	foreign.follow("The first page").want(200).heading("Feed")
}
