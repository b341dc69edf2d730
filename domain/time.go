package domain

import (
	"fmt"
	"strconv"
	"time"
)

// Tick is the resolution of stored times: 100 ns, that of Edm.DateTime in Azure
// Table Storage.
const Tick = 100 * time.Nanosecond

const (
	// maxTicks is the last tick of the year 9999, counted from the start of the
	// year 1. It is DateTime.MaxValue.Ticks in .NET, which the log tail pattern in
	// Azure's table design guide uses.
	maxTicks       = 3155378975999999999
	ticksPerSecond = int64(time.Second / Tick)
	// yearOneToUnix is the number of seconds from 0001-01-01 to 1970-01-01.
	yearOneToUnix = 62135596800
	// recentFirstDigits is a fixed width, so that the decimal digits sort in the
	// order of the numbers.
	recentFirstDigits = 19
)

// Now is the current time as a row can hold it: in UTC, with the resolution of a
// Tick and without a monotonic reading.
func Now() time.Time { return Storable(time.Now()) }

// Storable cuts t to what a row can hold.
func Storable(t time.Time) time.Time { return t.UTC().Truncate(Tick) }

// Recent reports whether a stored time lies less than a while back. A clock that was ahead may
// have written it: what lies further ahead than that while is not recent, or everything that
// waits would wait until then.
func Recent(t time.Time, within time.Duration) bool { return time.Since(t).Abs() < within }

const (
	// MaxUndo is the longest time for which the deletion of a channel can be undone.
	MaxUndo = 5 * time.Minute
	// MaxUndoAccount is the same for an account.
	MaxUndoAccount = 7 * 24 * time.Hour
	// ClockMargin is how much the clocks of two processes may differ. Azure refuses a request that
	// is dated 15 minutes off.
	ClockMargin = 15 * time.Minute
	// ClockTolerance is how far the clock of a process may be from the store's before it counts as wrong.
	ClockTolerance = ClockMargin / 3
)

// TicksOf is the number of ticks from 0001-01-01 UTC to t.
func TicksOf(t time.Time) int64 {
	return (t.Unix()+yearOneToUnix)*ticksPerSecond + int64(t.Nanosecond())/int64(Tick)
}

// TimeOf is the instant that is n ticks after 0001-01-01 UTC.
func TimeOf(n int64) time.Time {
	return time.Unix(n/ticksPerSecond-yearOneToUnix, n%ticksPerSecond*int64(Tick)).UTC()
}

// CheckTime refuses an instant that RecentFirst cannot sort: before the year 1 or
// after the year 9999. The error is an InvalidError on the field.
func CheckTime(field string, t time.Time) error {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return Invalid(field, "must lie in the years 1 to 9999")
	}
	return nil
}

// firstStored is the first year that an Edm.DateTime can hold ("Understanding
// the Table service data model").
const firstStored = 1601

// CheckStored refuses an instant that a row cannot hold: before the year 1601 or
// after the year 9999. The error is an InvalidError on the field.
func CheckStored(field string, t time.Time) error {
	if t.UTC().Year() < firstStored {
		return Invalid(field, "must not lie before the year %d", firstStored)
	}
	return CheckTime(field, t)
}

// RecentFirst makes 19 digits that sort in reverse order of time, so that the
// newest row comes first in a table that is sorted by key (the log tail pattern).
// The instant must pass CheckTime.
func RecentFirst(t time.Time) string {
	return fmt.Sprintf("%0*d", recentFirstDigits, maxTicks-TicksOf(t))
}

// ParseRecentFirst is the inverse of RecentFirst. It refuses anything that
// RecentFirst cannot make.
func ParseRecentFirst(digits string) (time.Time, error) {
	n, err := strconv.ParseUint(digits, 10, 64) // no sign
	if err != nil || len(digits) != recentFirstDigits || n > maxTicks {
		return time.Time{}, fmt.Errorf("not a recent-first key: %q", digits)
	}
	return TimeOf(maxTicks - int64(n)), nil
}
