package domain

import "time"

// A Day is a calendar day in a time zone, from midnight to midnight: 23, 24 or
// 25 hours.
type Day struct {
	// Date is the day as it is written, such as 2026-11-20.
	Date string
	// Zone is the time zone's name in the IANA database, such as Europe/Berlin.
	Zone string
	// From is the first instant of the day, and Until the first of the next.
	From, Until time.Time
}

// ParseDay checks a day and the name of a time zone. Empty, they mean the present
// day and UTC. A day that has not begun there is an InvalidError, and so is a
// zone that does not exist.
func ParseDay(date, zone string, now time.Time) (Day, error) {
	if zone == "" {
		zone = "UTC"
	}
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" { // which is wherever this server happens to be
		return Day{}, Invalid("tz", "is not a time zone, such as Europe/Berlin")
	}
	if date == "" {
		date = now.In(location).Format(time.DateOnly)
	}
	from, err := time.ParseInLocation(time.DateOnly, date, location)
	switch {
	case err != nil:
		return Day{}, Invalid("day", "is not a date, such as %s", now.In(location).Format(time.DateOnly))
	case from.After(now):
		return Day{}, Invalid("day", "has not begun in %s", zone)
	case CheckStored("day", from) != nil:
		return Day{}, CheckStored("day", from)
	}
	return dayFrom(from, zone), nil
}

// dayFrom is the day that begins with an instant in its zone.
func dayFrom(from time.Time, zone string) Day {
	year, month, day := from.Date()
	return Day{
		Date:  from.Format(time.DateOnly),
		Zone:  zone,
		From:  from.UTC(),
		Until: time.Date(year, month, day+1, 0, 0, 0, 0, from.Location()).UTC(),
	}
}

// Before is the day before.
func (d Day) Before() Day {
	location, err := time.LoadLocation(d.Zone)
	if err != nil {
		location = time.UTC // ParseDay has loaded it before
	}
	year, month, day := d.From.In(location).Date()
	return dayFrom(time.Date(year, month, day-1, 0, 0, 0, 0, location), d.Zone)
}
