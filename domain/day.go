package domain

import (
	"time"
	_ "time/tzdata" // for machines without a time zone database
)

// A Day is a calendar day in a time zone, from midnight to midnight. It has 24
// hours, or 23 or 25 if clocks are put forward or back.
type Day struct {
	// Date is the day as it is written, such as 2026-11-20.
	Date string
	// Zone is the time zone's name in the IANA database, such as Europe/Berlin.
	Zone string
	// From is the first instant of the day, and Until the first of the next.
	From, Until time.Time
}

// ParseDay checks a date and the name of a time zone. An empty date means today,
// and an empty zone means UTC. The error is an InvalidError: on the field "tz" if
// the zone does not exist, or on "day" if the date is none or if the day has not
// begun in the zone.
func ParseDay(date, zone string, now time.Time) (Day, error) {
	if zone == "" {
		zone = "UTC"
	}
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" { // the zone of this machine
		return Day{}, Invalid("tz", "is not a time zone, such as Europe/Berlin")
	}
	today := dayOf(now.In(location), zone)
	if date == "" {
		return today, nil
	}
	parsed, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return Day{}, Invalid("day", "is not a date, such as %s", today.Date)
	}
	year, month, number := parsed.Date()
	day := dayOf(midnight(year, month, number, location), zone)
	switch {
	case day.Date != date:
		return Day{}, Invalid("day", "was left out of the calendar in %s", zone)
	case day.From.After(now):
		return Day{}, Invalid("day", "has not begun in %s", zone)
	}
	return day, CheckStored("day", day.From)
}

// dayOf is the day in which t falls, in t's location.
func dayOf(t time.Time, zone string) Day {
	year, month, day := t.Date()
	return Day{
		Date:  t.Format(time.DateOnly),
		Zone:  zone,
		From:  midnight(year, month, day, t.Location()).UTC(),
		Until: midnight(year, month, day+1, t.Location()).UTC(),
	}
}

// midnight is the first instant of a date. If clocks are put forward at midnight,
// there is no 00:00, and time.Date may return an instant of the evening before. If
// they are put back, there are two, and time.Date may return the second.
func midnight(year int, month time.Month, day int, location *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, location)
	number := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day()
	if t.Day() != number {
		_, forward := t.ZoneBounds()
		return forward
	}
	if last := t.Add(-1); last.Day() == number {
		hour, minute, second := last.Clock()
		since := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
		return last.Truncate(time.Second).Add(-since)
	}
	return t
}

// Before is the day before.
func (d Day) Before() Day { return d.around(d.From.Add(-1)) }

// After is the day after. Perhaps it has not begun.
func (d Day) After() Day { return d.around(d.Until) }

func (d Day) around(t time.Time) Day {
	location, err := time.LoadLocation(d.Zone)
	if err != nil {
		location = time.UTC // ParseDay has loaded it before
	}
	return dayOf(t.In(location), d.Zone)
}
