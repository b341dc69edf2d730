package web_test

import (
	"slices"
	"testing"
)

func TestChannelRatingPage(t *testing.T) {
	t.Run("a channel can be read by rating", channelCanBeReadByRating)
	t.Run("rated posts are read page by page to the last", ratedPostsAreReadPageByPageToTheLast)
	t.Run("a bad rating is refused with a way back", badRatingIsRefusedWithAWayBack)
}

func channelCanBeReadByRating(t *testing.T) {
	s := newSite(t)
	s.rated("Engines", 0, 3, 1, 3, 0, 2)
	b := s.browser()
	top := b.open("/channels/Engines").follow("Top rated").want(200).heading("Engines")
	if got := top.texts(); !slices.Equal(got, []string{"post 3", "post 1", "post 5", "post 2", "post 4", "post 0"}) {
		t.Errorf("top rated: %q", got)
	}
	top.says("3 votes")
	three := b.open("/channels/Engines?rating=3").want(200)
	if got := three.texts(); !slices.Equal(got, []string{"post 3", "post 1"}) {
		t.Errorf("with 3 votes: %q", got)
	}
	if got := b.open("/channels/Engines?rating=0").texts(); !slices.Equal(got, []string{"post 4", "post 0"}) {
		t.Errorf("without votes: %q", got)
	}
	b.open("/channels/Engines?rating=7").want(200).says("No post has 7 votes").follow("top rated").want(200)
	three.follow("Newest").want(200).says("post 5")
}

func ratedPostsAreReadPageByPageToTheLast(t *testing.T) {
	s := newSite(t)
	ratings := make([]int, 45)
	for i := range ratings {
		ratings[i] = 1 + i/30
	}
	s.rated("Engines", ratings...)
	for query, want := range map[string]int{"order=rating": 45, "rating=1": 30, "rating=2": 15} {
		p := s.browser().open("/channels/Engines?" + query).want(200)
		got := p.texts()
		for p.href("More posts →") != "" {
			p = p.follow("More posts →").want(200)
			got = append(got, p.texts()...)
		}
		slices.Sort(got)
		if n := len(slices.Compact(got)); n != want {
			t.Errorf("%s: %d posts, want %d", query, n, want)
		}
		if want > 20 && p.href("← Back to the start") != "/channels/Engines?"+query {
			t.Errorf("back to %q", p.href("← Back to the start"))
		}
	}
}

func badRatingIsRefusedWithAWayBack(t *testing.T) {
	s := newSite(t)
	s.channel("Engines", string(s.author("ada")))
	for _, query := range []string{"rating=x", "rating=-1", "rating=", "rating=99999999999", "rating=1.5", "order=worst", "order=rating&after=made-up"} {
		s.browser().open("/channels/Engines?" + query).want(422).follow("Back to Engines").want(200)
	}
}
