package web_test

import (
	"slices"
	"testing"
)

func TestChannelRatingPage(t *testing.T) {
	t.Run("a channel can be read by rating", channelCanBeReadByRating)
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
