package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"
)

func TestBlogRatingAPI(t *testing.T) {
	t.Run("posts are listed by rating, newest first among equals", postsAreListedByRatingNewestFirstAmongEquals)
	t.Run("a list costs one range of the index and a read of each post", listCostsOneRangeOfTheIndexAndAReadOfEachPost)
	t.Run("a list by rating refuses a bad query", listByRatingRefusesABadQuery)
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

func listCostsOneRangeOfTheIndexAndAReadOfEachPost(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", "ada")
	for i := range 30 {
		s.vote(s.post(channel, "ada", "Hello"), i%3)
	}
	calls := s.calls(func() { s.do("GET", "/api/v1/channels/Engines/blogs?rating=2&limit=5").want(200) })
	if calls["Blogs Range"] != 1 || calls["Blogs Get"] != 5 || calls["Blogs Scan"] != 0 {
		t.Errorf("calls: %v", calls)
	}
}

func listByRatingRefusesABadQuery(t *testing.T) {
	s := newSite(t)
	engines, wheels := s.channel("Engines", "ada"), s.channel("Wheels", "ada")
	for range 3 {
		s.post(engines, "ada", "Hello")
		s.post(wheels, "ada", "Hello")
	}
	const list = "/api/v1/channels/Engines/blogs?"
	for query, field := range map[string]string{
		"order=rating&since=2026-01-01T00:00:00Z": "since",
		"order=rating&until=2026-01-01T00:00:00Z": "until",
		"rating=3&since=2026-01-01T00:00:00Z":     "since",
		"order=date":                              "order",
		"order=":                                  "order",
		"order=Rating":                            "order",
		"rating=-1":                               "rating",
		"rating=abc":                              "rating",
		"rating=":                                 "rating",
		"rating=1.5":                              "rating",
		"rating=%2B1":                             "rating",
		"rating=99999999999":                      "rating",
		"order=rating&limit=101":                  "limit",
		"order=rating&after=made-up":              "after",
	} {
		s.do("GET", list+query).want(422).wantField(field)
	}
	next := func(path string) string {
		return url.QueryEscape(s.do("GET", path).want(200).text("next"))
	}
	byRating, newest := next(list+"order=rating&limit=1"), next(list+"limit=1")
	rated := next(list + "rating=0&limit=1")
	other := next("/api/v1/channels/Wheels/blogs?order=rating&limit=1")
	for _, elsewhere := range []string{
		"order=rating&after=" + newest, "order=rating&after=" + rated, "order=rating&after=" + other,
		"rating=0&after=" + byRating, "rating=1&after=" + rated, "after=" + byRating,
	} {
		s.do("GET", list+elsewhere).want(422).wantField("after")
	}
	s.askDeletion(engines)
	s.do("GET", list+"order=rating").want(410)
	s.cascade(engines.Ref())
	s.do("GET", list+"order=rating").want(404)
}
