package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
)

func TestDigestAPI(t *testing.T) {
	t.Run("a digest is by channel and most popular first", digestIsByChannelAndMostPopularFirst)
	t.Run("a digest covers its day to the tick when clocks change", digestCoversItsDayToTheTickWhenClocksChange)
	t.Run("a digest without a day is of today", digestWithoutADayIsOfToday)
	t.Run("a digest refuses a bad day and a bad time zone", digestRefusesABadDayAndABadTimeZone)
	t.Run("a digest ranks each channel once and reads only its own posts", digestRanksEachChannelOnceAndReadsOnlyItsOwnPosts)
	t.Run("a digest is read page by page", digestIsReadPageByPage)
	t.Run("a digest refuses a continuation token of another list", digestRefusesAContinuationTokenOfAnotherList)
	t.Run("a digest of a busy channel shows the most popular posts and the total", digestOfABusyChannelShowsTheMostPopularPostsAndTheTotal)
	t.Run("a new address of the personal feed replaces the one before", newAddressOfThePersonalFeedReplacesTheOneBefore)
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

// The length of a day depends on the clocks of its time zone. A post one tick before a
// day or after it belongs to another day.
func digestCoversItsDayToTheTickWhenClocksChange(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	for i, test := range []struct {
		day, tz     string
		from, until string
	}{
		{"2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},     // 23 hours
		{"2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},     // 25 hours
		{"2026-07-01", "Europe/Berlin", "2026-06-30T22:00:00Z", "2026-07-01T22:00:00Z"},     // 24 hours
		{"2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"}, // no midnight
		{"2018-11-03", "America/Sao_Paulo", "2018-11-03T03:00:00Z", "2018-11-04T03:00:00Z"}, // the day before
		{"2018-02-17", "America/Sao_Paulo", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"}, // 23:00 comes twice
		{"2026-04-24", "Africa/Cairo", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"},      // no midnight
		{"2026-05-05", "Pacific/Kiritimati", "2026-05-04T10:00:00Z", "2026-05-05T10:00:00Z"},
		{"2024-02-29", "Asia/Kathmandu", "2024-02-28T18:15:00Z", "2024-02-29T18:15:00Z"},
	} {
		t.Run(test.day+" in "+test.tz, func(t *testing.T) {
			s := s.in(t)
			channel := s.channel(fmt.Sprintf("channel%d", i), "bob")
			from, until := instant(t, test.from), instant(t, test.until)
			for text, on := range map[string]time.Time{
				"before": from.Add(-domain.Tick), "first": from, "last": until.Add(-domain.Tick), "after": until,
			} {
				s.postOn(on, channel, text)
			}
			path := digestPath + "?day=" + test.day + "&tz=" + url.QueryEscape(test.tz)
			a := s.do("GET", path, bearer(bob)).want(200)
			if got, want := digestOf(a), string(channel.Name)+": last, first"; got != want || a.text("tz") != test.tz {
				t.Errorf("the digest is %q, want %q", got, want)
			}
			s.do("DELETE", subscriptions+"/"+string(channel.Name), bearer(bob)).want(204)
		})
	}
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
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

func digestRefusesABadDayAndABadTimeZone(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	for query, field := range map[string]string{
		"day=9999-01-01":                        "day", // not begun
		"day=2026-02-30":                        "day",
		"day=2026-2-3":                          "day",
		"day=20260203":                          "day",
		"day=yesterday":                         "day",
		"day=2026-02-03T00:00:00Z":              "day",
		"day=0000-01-01":                        "day",
		"day=2011-12-30&tz=Pacific/Apia":        "day", // Samoa skipped this day
		"tz=Europe/Bielefeld":                   "tz",
		"tz=Local":                              "tz",
		"tz=" + url.QueryEscape("../etc/hosts"): "tz",
		"tz=%00":                                "tz",
		"tz=%2B02:00":                           "tz",
	} {
		s.do("GET", digestPath+"?"+query, bearer(bob)).want(422).wantField(field)
	}
	s.do("GET", digestPath).want(401)
}

func digestRanksEachChannelOnceAndReadsOnlyItsOwnPosts(t *testing.T) {
	const channels, dead = 30, 5
	s := newSite(t)
	bob := s.signUp("bob")
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for i := range channels {
		channel := s.channel(fmt.Sprintf("channel%02d", i), "bob")
		s.postOn(noon, channel, "that day")
		s.postOn(noon.AddDate(0, 0, 1), channel, "the next")
		if i < dead {
			s.askDeletion(channel)
		}
	}
	const quiet = 7 // these contribute nothing, and are not verified
	for i := range quiet {
		s.postOn(noon.AddDate(0, 0, 1), s.channel(fmt.Sprintf("quiet%02d", i), "bob"), "the next")
	}
	want := map[string]int{
		"Sessions Get": 1, "Users Get": 1, "Subscriptions Range": 1, "Channels Get": channels,
		"Blogs Range": quiet + channels,           // for the ratings
		"Blogs Get":   channels + channels - dead, // for the sub! row, and for the post
	}
	var a answer
	calls := s.calls(func() { a = s.do("GET", digestPath+"?day=2026-03-04&limit=100", bearer(bob)).want(200) })
	if fmt.Sprint(calls) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", calls, want)
	}
	if got := strings.Count(digestOf(a), "that day"); got != channels-dead {
		t.Errorf("%d posts, want %d", got, channels-dead)
	}
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

func digestRefusesAContinuationTokenOfAnotherList(t *testing.T) {
	s := newSite(t)
	bob, eve := s.signUp("bob"), s.signUp("eve")
	engines := s.channel("Engines", "bob")
	s.subscribe("eve", engines)
	for range 2 {
		s.postOn(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), engines, "that day")
	}
	const path = digestPath + "?day=2026-03-04&limit=1"
	mine, theirs := s.do("GET", path, bearer(bob)).want(200).text("next"), s.do("GET", path, bearer(eve)).want(200).text("next")
	feed := s.do("GET", feedPath+"?limit=1", bearer(bob)).want(200).text("next")
	for _, after := range []string{"made-up", "!", theirs, feed, mine + "A", mine[1:]} {
		s.do("GET", continued(path, after), bearer(bob)).want(422).wantField("after")
	}
	s.do("GET", continued(digestPath+"?day=2026-03-05", mine), bearer(bob)).want(422).wantField("after")
	s.do("GET", continued(path+"&tz=Europe/Berlin", mine), bearer(bob)).want(422).wantField("after")
	for _, limit := range []string{"0", "101", "-1", "x"} {
		s.do("GET", digestPath+"?day=2026-03-04&limit="+limit, bearer(bob)).want(422).wantField("limit")
	}
	s.do("GET", continued(path, mine), bearer(bob)).want(200)
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

func newAddressOfThePersonalFeedReplacesTheOneBefore(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	renew := func() string {
		t.Helper()
		a := s.do("POST", digestPath+"/address?tz=Europe/Berlin", bearer(bob)).want(201)
		if got := a.header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control %q", got)
		}
		address, err := url.Parse(a.text("url"))
		if err != nil || address.Scheme != "http" || address.Host != "example.com" {
			t.Fatalf("url %q, %v", a.text("url"), err)
		}
		return address.RequestURI()
	}
	first := renew()
	s.do("GET", first).want(200)
	second := renew()
	s.do("GET", first).want(404)
	s.do("GET", second).want(200)
	for range 2 {
		s.do("DELETE", digestPath+"/address", bearer(bob)).want(204)
		s.do("GET", second).want(404)
	}
	s.do("GET", renew()).want(200)
	s.unwritten(func() answer { return s.do("POST", digestPath+"/address?tz=Nowhere", bearer(bob)) }).want(422).wantField("tz")
	s.unwritten(func() answer { return s.do("POST", digestPath+"/address") }).want(401)
	s.unwritten(func() answer { return s.do("DELETE", digestPath+"/address") }).want(401)
}
