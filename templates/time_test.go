package templates

import (
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	t.Run("shows the instant in UTC", func(t *testing.T) {
		tokyo := time.FixedZone("JST", 9*60*60)
		posted := time.Date(2026, 7, 29, 2, 3, 4, 0, tokyo)
		if got, want := render(t, when(posted)), `<time datetime="2026-07-28T17:03:04Z">28 July 2026, 17:03 UTC</time>`; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if got, want := render(t, exactly(posted)), `<time data-exact datetime="2026-07-28T17:03:04Z">28 July 2026, 17:03:04 UTC</time>`; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
	t.Run("to wait is rounded up", func(t *testing.T) {
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
	})
}

func TestCount(t *testing.T) {
	t.Run("has a comma between thousands", func(t *testing.T) {
		for want, n := range map[string]int64{"0": 0, "999": 999, "1,000": 1000, "12,345,678": 12345678, "-1,000": -1000, "-100": -100} {
			if got := count(n); got != want {
				t.Errorf("%d: %q, want %q", n, got, want)
			}
		}
	})
}
