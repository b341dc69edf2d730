package templates

import (
	"strconv"
	"time"

	"github.com/a-h/templ"
)

const (
	day   = 24 * time.Hour
	week  = 7 * day
	month = 30 * day
	year  = 365 * day
)

// when shows an instant relative to now, with the exact time in UTC for machines
// and, on hover, for people.
func when(t, now time.Time) templ.Component {
	alone := scratch{buffer: make([]byte, 0, 128)}
	return alone.component(func(b []byte) []byte { return appendTime(b, t, now) })
}

// appendExact shows an instant as it is on the clock, in UTC. The script (static/time.js)
// shows it in the reader's zone.
func appendExact(b []byte, t time.Time) []byte {
	t = t.UTC()
	b = append(b, `<time data-exact datetime="`...)
	b = t.AppendFormat(b, "2006-01-02T15:04:05Z")
	b = append(b, `">`...)
	b = t.AppendFormat(b, exactLayout)
	return append(b, "</time>"...)
}

const exactLayout = "2 January 2006, 15:04:05 UTC"

func appendTime(b []byte, t, now time.Time) []byte {
	t = t.UTC()
	b = append(b, `<time datetime="`...)
	b = t.AppendFormat(b, "2006-01-02T15:04:05Z")
	b = append(b, `" title="`...)
	b = t.AppendFormat(b, exactLayout)
	b = append(b, `">`...)
	b = append(b, relative(now.Sub(t))...)
	return append(b, "</time>"...)
}

// relative says how long ago something was, in whole units rounded down: "1 day
// ago" is a day or more. The script (static/app.js) must use the same words.
func relative(ago time.Duration) string {
	switch distance := ago.Abs(); {
	case distance < time.Minute:
		return "just now"
	case ago < 0:
		return "in " + inUnits(distance)
	default:
		return inUnits(distance) + " ago"
	}
}

// staysFor is how long relative goes on to say the same of something that was so long ago.
func staysFor(ago time.Duration) time.Duration {
	distance := ago.Abs()
	switch {
	case distance < time.Minute:
		return time.Minute - ago
	case ago < 0:
		unit := unitOf(distance)
		return distance%unit + 1
	}
	unit, next := unitOf(distance), largerThan(distance)
	left := unit - distance%unit
	if next > distance {
		left = min(left, next-distance)
	}
	return left
}

// unitOf is the unit in which relative says a distance of a minute or more.
func unitOf(distance time.Duration) time.Duration {
	switch {
	case distance < time.Hour:
		return time.Minute
	case distance < day:
		return time.Hour
	case distance < week:
		return day
	case distance < 2*month:
		return week
	case distance < year:
		return month
	}
	return year
}

// largerThan is where relative goes on to the next unit although the unit before is not
// full. It is 0 where units fit.
func largerThan(distance time.Duration) time.Duration {
	switch {
	case distance < week:
		return 0
	case distance < 2*month:
		return 2 * month
	case distance < year:
		return year
	}
	return 0
}

// An until is the first instant at which words of a page change that were said at now.
type until struct {
	now  time.Time
	left time.Duration
}

func (u *until) said(t time.Time) {
	if t.IsZero() {
		return
	}
	if stays := staysFor(u.now.Sub(t)); u.left == 0 || stays < u.left {
		u.left = stays
	}
}

func (u *until) instant() time.Time { return u.now.Add(u.left) }

// inUnits says d in the largest unit that fits.
func inUnits(d time.Duration) string {
	switch {
	case d < time.Minute:
		return counted(d/time.Second, "second")
	case d < time.Hour:
		return counted(d/time.Minute, "minute")
	case d < day:
		return counted(d/time.Hour, "hour")
	case d < week:
		return counted(d/day, "day")
	case d < 2*month:
		return counted(d/week, "week")
	case d < year:
		return counted(d/month, "month")
	}
	return counted(d/year, "year")
}

// counted joins a number and its unit: "1 day", "2 days".
func counted[N ~int | ~int64](n N, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.FormatInt(int64(n), 10) + " " + unit + "s"
}

// votes says how many votes there are: "1 vote", "1,234 votes".
func votes(n int64) string {
	if n == 1 {
		return "1 vote"
	}
	return count(n) + " votes"
}

// span says how long something took: "4 seconds".
func span(d time.Duration) string {
	if d < time.Second {
		return "less than a second"
	}
	return inUnits(d)
}

// wait says how long to wait at least, in whole units rounded up: whoever waits as long
// does not come too early.
func wait(d time.Duration) string {
	up := func(unit time.Duration) time.Duration { return (d + unit - 1) / unit }
	switch {
	case up(time.Second) < 60:
		return counted(max(up(time.Second), 1), "second")
	case up(time.Minute) < 60:
		return counted(up(time.Minute), "minute")
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
