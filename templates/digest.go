package templates

import "time"

// A Digest is what was posted in one day to the channels that the reader
// subscribes to. A GET form to [DigestPath] with the fields day and tz chooses the
// day. Two more forms post there: action=make makes an address for the personal
// feed, and action=revoke takes it away. Both send day and tz, so that the same
// day is shown afterwards.
type Digest struct {
	Form
	// Day is written like 2026-11-20, and Zone like Europe/Berlin. If the form was
	// refused, they are what the reader typed, and the fields below are empty.
	Day, Zone string
	// Previous and Next are the days before and after. Each is empty if there is
	// none.
	Previous, Next string
	Channels       []DigestChannel

	// HasAddress says that the personal feed has an address.
	HasAddress bool
	// Address is the whole address. It is set only right after it was made, because
	// nobody, not even this program, can find it out again.
	Address string
}

// A DigestChannel is what was posted to one channel in a day.
type DigestChannel struct {
	Name string
	// Posts are the most popular first.
	Posts []Post
	// Total is how many posts the day had. It may be more than len(Posts).
	Total int
}

// cut says that Posts are not all posts of the day.
func (v DigestChannel) cut() bool { return v.Total > len(v.Posts) }

// date is the day in words.
func (v Digest) date() string { return dayInWords(v.Day) }

func dayInWords(day string) string {
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day // a refused form shows what was typed
	}
	return date.Format("Monday, 2 January 2006")
}

// zones are offered for completion. Every zone of the IANA database is accepted.
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
