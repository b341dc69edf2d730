package templates

import "time"

// A Digest is what was posted in one day to the channels that somebody
// subscribes to. The day is chosen by a GET form to [DigestPath] with the fields
// day and tz. The address of the personal feed is made by posting action=make,
// and taken away by action=revoke; both carry day and tz, to come back to.
type Digest struct {
	Form
	// Day is as in 2026-11-20, and Zone as in Europe/Berlin. If the form was
	// refused they are what was typed, and there is nothing else.
	Day, Zone string
	// Previous and Next are the days around it; empty if there is none.
	Previous, Next string
	Channels       []DigestChannel

	// HasAddress says that the personal feed has an address.
	HasAddress bool
	// Address is the whole address, right after it was made. Nobody, not even
	// this program, can find it out again.
	Address string
}

// A DigestChannel is what was posted to one channel in a day.
type DigestChannel struct {
	Name string
	// Posts are the most popular first.
	Posts []Post
	// Total is how many there were, which may be more.
	Total int
}

func (v DigestChannel) cut() bool { return v.Total > len(v.Posts) }

// date is the day in words.
func (v Digest) date() string { return dayInWords(v.Day) }

func dayInWords(day string) string {
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day // as it was typed
	}
	return date.Format("Monday, 2 January 2006")
}

// zones are offered for completion. Any other zone of the IANA database will do.
func zones() []string {
	return []string{
		"UTC", "Africa/Cairo", "Africa/Johannesburg", "Africa/Lagos", "Africa/Nairobi", "America/Argentina/Buenos_Aires",
		"America/Bogota", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Mexico_City",
		"America/New_York", "America/Sao_Paulo", "America/Toronto", "Asia/Dubai", "Asia/Hong_Kong", "Asia/Jakarta",
		"Asia/Karachi", "Asia/Kolkata", "Asia/Manila", "Asia/Seoul", "Asia/Shanghai", "Asia/Singapore", "Asia/Tokyo",
		"Australia/Sydney", "Europe/Berlin", "Europe/Istanbul", "Europe/Lisbon", "Europe/London", "Europe/Madrid",
		"Europe/Paris", "Europe/Rome", "Europe/Warsaw", "Pacific/Auckland", "Pacific/Honolulu",
	}
}
