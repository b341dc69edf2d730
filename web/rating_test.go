package web_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestRating(t *testing.T) {
	t.Run("posts are listed by rating, newest first among equals", postsAreListedByRatingNewestFirstAmongEquals)
	t.Run("a channel can be read by rating", channelCanBeReadByRating)
}

func postsAreListedByRatingNewestFirstAmongEquals(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", "ada")
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, votes := range []int{0, 3, 1, 3, 0, 12, 3, 1} {
		s.vote(s.postOn(start.AddDate(0, 0, i), channel, fmt.Sprintf("%d rated %d", i, votes)), votes)
	}
	const list = "/api/v1/channels/Engines/blogs?limit=3&"
	for query, want := range map[string][]string{
		"order=rating":          {"5 rated 12", "6 rated 3", "3 rated 3", "1 rated 3", "7 rated 1", "2 rated 1", "4 rated 0", "0 rated 0"},
		"rating=3":              {"6 rated 3", "3 rated 3", "1 rated 3"},
		"order=rating&rating=0": {"4 rated 0", "0 rated 0"},
		"rating=12":             {"5 rated 12"},
		"rating=1":              {"7 rated 1", "2 rated 1"},
		"rating=2":              nil,
		"rating=4294967295":     nil,
	} {
		if got := s.listed(list+query, "text"); !slices.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
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
