package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestDigestAPI(t *testing.T) {
	t.Run("a digest is by channel and most popular first", digestIsByChannelAndMostPopularFirst)
	t.Run("a digest without a day is of today", digestWithoutADayIsOfToday)
	t.Run("a digest is read page by page", digestIsReadPageByPage)
	t.Run("a digest of a busy channel shows the most popular posts and the total", digestOfABusyChannelShowsTheMostPopularPostsAndTheTotal)
}

func digestIsByChannelAndMostPopularFirst(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	wheels, engines, quiet := s.channel("Wheels", "ada"), s.channel("engines", "ada"), s.channel("Quiet", "ada")
	s.subscribe("bob", wheels, engines, quiet)
	other := s.channel("Other", "eve")
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for i, votes := range []int{0, 2, 1, 2} {
		s.vote(s.postOn(noon.Add(time.Duration(i)*time.Hour), wheels, fmt.Sprintf("%d rated %d", i, votes)), votes)
	}
	s.postOn(noon, engines, "Engine")
	s.postOn(noon, other, "not subscribed to")
	s.postOn(noon.AddDate(0, 0, 1), quiet, "the next day")
	s.postOn(noon.AddDate(0, 0, -1), quiet, "the day before")
	a := s.do("GET", digestPath+"?day=2026-03-04", bearer(bob)).want(200)
	if a.text("day") != "2026-03-04" || a.text("tz") != "UTC" {
		t.Errorf("the digest is of %s in %s", a.text("day"), a.text("tz"))
	}
	if got, want := digestOf(a), "engines: Engine | Wheels: 3 rated 2, 1 rated 2, 2 rated 1, 0 rated 0"; got != want {
		t.Errorf("the digest is %q, want %q", got, want)
	}
	if a.text("channels.1.items.0.channel") != "Wheels" || a.get("channels.1.items.0.rating") != 2.0 || a.get("channels.1.total") != nil {
		t.Errorf("the digest is %s", a.body)
	}
	if a := s.do("GET", digestPath+"?day=2020-01-01", bearer(bob)).want(200); dig(a.get("channels"), "0") != nil || a.get("channels") == nil {
		t.Errorf("a day without posts is %s", a.body)
	}
}

// digestOf returns a digest as one line: each channel with the texts of its posts.
func digestOf(a answer) string {
	a.t.Helper()
	var channels []string
	for _, channel := range a.get("channels").([]any) {
		var texts []string
		for _, item := range dig(channel, "items").([]any) {
			texts = append(texts, dig(item, "text").(string))
		}
		channels = append(channels, dig(channel, "name").(string)+": "+strings.Join(texts, ", "))
	}
	return strings.Join(channels, " | ")
}

func digestWithoutADayIsOfToday(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		bob := s.signUp("bob")
		channel := s.channel("Engines", "bob")
		s.post(channel, "bob", "at the turn of the millennium") // fake time begins here
		a := s.do("GET", digestPath, bearer(bob)).want(200)
		if a.text("day") != "2000-01-01" || digestOf(a) == "" {
			t.Errorf("the digest is %s", a.body)
		}
		a = s.do("GET", digestPath+"?tz=America/New_York", bearer(bob)).want(200)
		if a.text("day") != "1999-12-31" || digestOf(a) == "" {
			t.Errorf("in New York the digest is %s", a.body)
		}
		// A day begins earlier in the east.
		s.do("GET", digestPath+"?day=2000-01-02&tz=Pacific/Kiritimati", bearer(bob)).want(422).wantField("day")
		time.Sleep(10 * time.Hour)
		s.do("GET", digestPath+"?day=2000-01-02&tz=Pacific/Kiritimati", bearer(bob)).want(200)
		s.do("GET", digestPath+"?day=2000-01-02", bearer(bob)).want(422).wantField("day")
	})
}

func digestIsReadPageByPage(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for c, posts := range []int{1, 7, 3} {
		channel := s.channel(fmt.Sprintf("channel%d", c), "bob")
		for i := range posts {
			s.vote(s.postOn(noon, channel, fmt.Sprintf("%d-%d", c, i)), i)
		}
	}
	pages := []string{
		"channel0: 0-0 | channel1: 1-6, 1-5, 1-4",
		"channel1: 1-3, 1-2, 1-1, 1-0",
		"channel2: 2-2, 2-1, 2-0",
	}
	after := ""
	for i, want := range pages {
		a := s.do("GET", continued(digestPath+"?day=2026-03-04&limit=4", after), bearer(bob)).want(200)
		if got := digestOf(a); got != want {
			t.Errorf("page %d is %q, want %q", i, got, want)
		}
		if after = a.text("next"); (after == "") != (i == len(pages)-1) {
			t.Fatalf("page %d continues at %q", i, after)
		}
		if total := a.get("channels.0.total"); i == 1 && total != 7.0 || i == 2 && total != nil {
			t.Errorf("page %d has the total %v", i, total)
		}
	}
	if a := s.do("GET", digestPath+"?day=2026-03-04&limit=11", bearer(bob)).want(200); a.get("next") != nil {
		t.Errorf("a page that holds all continues at %q", a.text("next"))
	}
}

func digestOfABusyChannelShowsTheMostPopularPostsAndTheTotal(t *testing.T) {
	const posts = 1100 // more than one page of the store
	s := newSite(t)
	bob := s.signUp("bob")
	channel := s.channel("Engines", "bob")
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for i := range posts {
		blog := s.postOn(noon.Add(time.Duration(i)*time.Second), channel, fmt.Sprint(i))
		if i%10 == 0 {
			s.vote(blog, 1)
		}
	}
	var want []string
	for i := posts - 10; i >= 0; i -= 10 {
		want = append(want, fmt.Sprint(i))
	}
	for i := posts - 1; len(want) < 200; i-- {
		if i%10 != 0 {
			want = append(want, fmt.Sprint(i))
		}
	}
	var got []string
	for after := ""; ; {
		a := s.do("GET", continued(digestPath+"?day=2026-03-04&limit=99", after), bearer(bob)).want(200)
		if total := a.get("channels.0.total"); total != float64(posts) {
			t.Errorf("total %v, want %d", total, posts)
		}
		for _, item := range a.get("channels.0.items").([]any) {
			got = append(got, dig(item, "text").(string))
		}
		if after = a.text("next"); after == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("it shows %q, want %q", got, want)
	}
}
