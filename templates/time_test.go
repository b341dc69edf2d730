package templates

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"pgregory.net/rapid"
)

func TestTime(t *testing.T) {
	t.Run("is relative to now", timesAreRelativeToNow)
	t.Run("shows the exact instant in UTC", timeShowsTheExactInstantInUTC)
	t.Run("to wait is rounded up", waitIsRoundedUp)
	t.Run("of a span is in its largest unit", spanIsInItsLargestUnit)
	t.Run("words are true until they change", wordsAreTrueUntilTheyChange)
	t.Run("a page is true until its first word changes", pageIsTrueUntilItsFirstWordChanges)
}

func timesAreRelativeToNow(t *testing.T) {
	for want, ago := range map[string]time.Duration{
		"just now":       59 * time.Second,
		"1 minute ago":   time.Minute,
		"59 minutes ago": time.Hour - time.Second,
		"1 hour ago":     time.Hour,
		"23 hours ago":   day - time.Second,
		"1 day ago":      day,
		"6 days ago":     week - time.Second,
		"1 week ago":     week,
		"8 weeks ago":    2*month - time.Second,
		"2 months ago":   2 * month,
		"12 months ago":  year - time.Second,
		"1 year ago":     year,
		"13 years ago":   13*year + month,
		"in 2 hours":     -2 * time.Hour,
		"in 1 day":       -day,
	} {
		if got := relative(ago); got != want {
			t.Errorf("%v: %q, want %q", ago, got, want)
		}
	}
	if got := relative(-30 * time.Second); got != "just now" {
		t.Errorf("a clock that is a little ahead: %q", got)
	}
}

func timeShowsTheExactInstantInUTC(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*60*60)
	posted := time.Date(2026, 7, 29, 2, 3, 4, 0, tokyo)
	want := `<time datetime="2026-07-28T17:03:04Z" title="28 July 2026, 17:03:04 UTC">18 hours ago</time>`
	if got := render(t, when(posted, noon())); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCount(t *testing.T) {
	t.Run("has a comma between thousands", numbersHaveACommaBetweenThousands)
}

func numbersHaveACommaBetweenThousands(t *testing.T) {
	for want, n := range map[string]int64{"0": 0, "999": 999, "1,000": 1000, "12,345,678": 12345678, "-1,000": -1000, "-100": -100} {
		if got := count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func waitIsRoundedUp(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"1 second": time.Millisecond, "2 seconds": time.Second + 1, "59 seconds": 59 * time.Second, "1 minute": 59*time.Second + 1,
		"2 minutes": time.Minute + 1, "15 minutes": 14*time.Minute + 30*time.Second, "59 minutes": 59 * time.Minute,
		"1 hour": 59*time.Minute + 1, "2 hours": time.Hour + 1,
	} {
		if got := wait(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	if got := wait(0); got != "1 second" {
		t.Errorf("no time: %q", got)
	}
}

func spanIsInItsLargestUnit(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"less than a second": 999 * time.Millisecond, "1 second": time.Second, "4 seconds": 4*time.Second + 1, "2 minutes": 2*time.Minute + 59*time.Second,
	} {
		if got := span(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func wordsAreTrueUntilTheyChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ago := drawnAgo(t, "ago")
		stays, words := staysFor(ago), relative(ago)
		if got := relative(ago + stays); got == words {
			t.Errorf("%v: %q is still true after %v", ago, got, stays)
		}
		within := time.Duration(rapid.Int64Range(0, int64(stays)-1).Draw(t, "within"))
		if got := relative(ago + within); got != words {
			t.Errorf("%v: %q, and %q after %v of %v", ago, words, got, within, stays)
		}
	})
}

// drawnAgo is how long ago something was: near the borders of a unit, or anywhere. It may
// be to come, because the clocks of two processes differ.
func drawnAgo(t *rapid.T, name string) time.Duration {
	unit := rapid.SampledFrom([]time.Duration{time.Minute, time.Hour, day, week, month, year}).Draw(t, name+" unit")
	near := time.Duration(rapid.Int64Range(-70, 70).Draw(t, name+" units")) * unit
	return near + time.Duration(rapid.Int64Range(-2, 2).Draw(t, name+" off"))*time.Duration(rapid.Int64Range(1, int64(unit)).Draw(t, name+" by"))
}

func pageIsTrueUntilItsFirstWordChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 7, 29, 12, 0, 0, 0, time.UTC)
		v := Channel{Name: "Engines", Owner: "ada", CreatedOn: now.Add(-drawnAgo(t, "channel"))}
		for range rapid.IntRange(0, 3).Draw(t, "posts") {
			p := Post{ID: "1", Author: "ada", Title: rapid.SampledFrom([]string{"", "A title"}).Draw(t, "title"), CreatedOn: now.Add(-drawnAgo(t, "post"))}
			if rapid.Bool().Draw(t, "was edited") {
				p.EditedOn = now.Add(-drawnAgo(t, "edit"))
			}
			v.Posts = append(v.Posts, p)
		}
		mustChangeAt(t, now, v.TrueUntil(now), func(page Page) templ.Component { return ChannelPage(page, v) })
		if len(v.Posts) > 0 {
			blog := Blog{Channel: "Engines", Post: v.Posts[0]}
			mustChangeAt(t, now, blog.TrueUntil(now), func(page Page) templ.Component { return BlogPage(page, blog) })
		}
	})
}

// mustChangeAt fails the test unless the page is the same from now until the instant, and
// another at the instant.
func mustChangeAt(t *rapid.T, now, until time.Time, of func(Page) templ.Component) {
	t.Helper()
	at := func(now time.Time) string {
		var b strings.Builder
		if err := of(Page{Path: "/channels/Engines", Now: now, Asset: func(name string) string { return name }}).Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	shown := at(now)
	if at(until.Add(-1)) != shown {
		t.Errorf("the page changes before %v", until)
	}
	if at(until) == shown {
		t.Errorf("the page is the same at %v", until)
	}
}
