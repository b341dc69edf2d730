package templates

import (
	"strconv"
	"time"
)

const (
	day   = 24 * time.Hour
	week  = 7 * day
	month = 30 * day
	year  = 365 * day
)

const (
	instantLayout = "2 January 2006, 15:04 UTC"
	exactLayout   = "2 January 2006, 15:04:05 UTC"
)

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
