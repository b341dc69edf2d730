package templates

import (
	"context"
	"io"
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

// when renders an instant relative to now, with the exact time in UTC for
// machines and, on hover, for people.
func when(t, now time.Time) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := w.Write(appendTime(make([]byte, 0, 128), t, now))
		return err
	})
}

func appendTime(b []byte, t, now time.Time) []byte {
	t = t.UTC()
	b = append(b, `<time datetime="`...)
	b = t.AppendFormat(b, "2006-01-02T15:04:05Z")
	b = append(b, `" title="`...)
	b = t.AppendFormat(b, "2 January 2006, 15:04:05 UTC")
	b = append(b, `">`...)
	b = appendRelative(b, now.Sub(t))
	return append(b, "</time>"...)
}

// appendRelative says how long ago something was, in whole units rounded down:
// "1 day ago" is a day or more. The script says the same in the same words.
func appendRelative(b []byte, ago time.Duration) []byte {
	ahead := ago < 0
	if ahead {
		ago = -ago
	}
	if ago < time.Minute {
		return append(b, "just now"...)
	}
	if ahead {
		b = append(b, "in "...)
	}
	b = appendSpan(b, ago)
	if !ahead {
		b = append(b, " ago"...)
	}
	return b
}

// appendSpan appends the largest unit that d fills.
func appendSpan(b []byte, d time.Duration) []byte {
	switch {
	case d < time.Minute:
		return appendCount(b, d/time.Second, "second")
	case d < time.Hour:
		return appendCount(b, d/time.Minute, "minute")
	case d < day:
		return appendCount(b, d/time.Hour, "hour")
	case d < week:
		return appendCount(b, d/day, "day")
	case d < 2*month:
		return appendCount(b, d/week, "week")
	case d < year:
		return appendCount(b, d/month, "month")
	}
	return appendCount(b, d/year, "year")
}

func appendCount[N ~int | ~int64](b []byte, n N, unit string) []byte {
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, ' ')
	b = append(b, unit...)
	if n != 1 {
		b = append(b, 's')
	}
	return b
}

// appendVotes writes how many votes there are: "1 vote", "1,234 votes".
func appendVotes(b []byte, n int64) []byte {
	b = append(b, count(n)...)
	if n == 1 {
		return append(b, " vote"...)
	}
	return append(b, " votes"...)
}

func votes(n int64) string { return string(appendVotes(nil, n)) }

// span says how long something took: "4 seconds".
func span(d time.Duration) string {
	if d < time.Second {
		return "less than a second"
	}
	return string(appendSpan(nil, d))
}

// count writes n with a comma between thousands: "12,345".
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
