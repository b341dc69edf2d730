package web_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestBlogRatingAPI(t *testing.T) {
	t.Run("posts are listed by rating, newest first among equals", postsAreListedByRatingNewestFirstAmongEquals)
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
