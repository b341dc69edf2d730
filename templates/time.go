package templates

import (
	"fmt"
	"strconv"
	"time"

	"github.com/a-h/templ"
)

const (
	dayLayout     = "2 January 2006"
	instantLayout = "2 January 2006, 15:04 UTC"
	exactLayout   = "2 January 2006, 15:04:05 UTC"
)

// when shows an instant, in UTC. The script (static/app.js) shows how long ago it was, and
// the instant in the reader's zone on hover. So a page stays true.
func when(t time.Time) templ.Component { return timed(t, instantLayout, "") }

// exactly shows an instant to the second. The script adds how long ago it was.
func exactly(t time.Time) templ.Component { return timed(t, exactLayout, " data-exact") }

// countdown shows an instant to the second that is about to come. The script shows how long that
// is, each second.
func countdown(t time.Time) templ.Component {
	return timed(t, "on "+exactLayout, " data-countdown")
}

// timed is no template, because a list has one for each post.
func timed(t time.Time, layout, attributes string) templ.Component {
	return templ.Raw("<time" + attributes + ` datetime="` + t.UTC().Format(time.RFC3339) + `">` + t.UTC().Format(layout) + "</time>")
}

// counted joins a number and its unit: "1 day", "2,000 days".
func counted[N ~int | ~int64](n N, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return count(int64(n)) + " " + unit + "s"
}

// brief writes a short time so that 40 ms can be told from 4: "0.3 ms", "41 ms",
// "1.2 s", "3 min 20 s".
func brief(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case d == 0:
		return "0 ms"
	case ms < 0.05:
		return "under 0.1 ms"
	case ms < 9.95:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	case ms < 999.5:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	case d < 59950*time.Millisecond:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	d = d.Round(time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
}

// wait says how long to wait at least, in whole units rounded up: a user who waits as
// long does not come too early.
func wait(d time.Duration) string {
	up := func(unit time.Duration) time.Duration { return (d + unit - 1) / unit }
	switch {
	case up(time.Second) < 60:
		return counted(max(up(time.Second), 1), "second")
	case up(time.Minute) < 60:
		return counted(up(time.Minute), "minute")
	}
	if days := up(24 * time.Hour); days > 2 {
		return counted(days, "day")
	}
	return counted(up(time.Hour), "hour")
}

// count writes n with a comma between thousands: "12,345".
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
