package web_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
)

func TestFeed(t *testing.T) {
	t.Run("a feed merges all subscriptions newest first", feedMergesAllSubscriptionsNewestFirst)
}

func feedMergesAllSubscriptionsNewestFirst(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	other := s.channel("Other", "eve")
	var channels []domain.Channel
	for _, name := range []string{"Engines", "Wheels", "Ärger"} {
		channels = append(channels, s.channel(name, "ada"))
	}
	s.subscribe("bob", channels...)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var want []string
	for i := range 60 {
		channel := channels[rand.N(len(channels))]
		s.postOn(start.Add(time.Duration(i)*time.Minute), channel, fmt.Sprint(i))
		s.postOn(start.Add(time.Duration(i)*time.Minute), other, "not subscribed to")
		want = append([]string{fmt.Sprint(i)}, want...)
	}
	for _, limit := range []int{1, 7, 20, 59, 60, 100} {
		if got := s.listed(fmt.Sprintf("%s?limit=%d", feedPath, limit), "text", bearer(bob)); !slices.Equal(got, want) {
			t.Errorf("with limit %d: %q", limit, got)
		}
	}
	last := s.post(channels[2], "eve", "The last")
	a := s.do("GET", feedPath, bearer(bob)).want(200)
	if a.text("items.0.channel") != "Ärger" || a.text("items.0.userId") != "eve" || a.text("items.0.id") != string(last.ID) {
		t.Errorf("the feed starts with %v", a.get("items.0"))
	}
	if n := len(a.items("id")); n != 20 {
		t.Errorf("a page has %d posts by default", n)
	}
}
