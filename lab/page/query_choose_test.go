package page

import (
	"testing"
	"time"
)

func TestLastMonday(t *testing.T) {
	for now, want := range map[string]string{
		"2026-11-21T22:00:00Z":      "2026-11-16", // a Saturday
		"2026-11-22T23:59:59Z":      "2026-11-16", // a Sunday
		"2026-11-23T00:00:00Z":      "2026-11-16", // a Monday
		"2026-11-24T00:00:00Z":      "2026-11-23", // a Tuesday
		"2026-11-24T01:00:00+02:00": "2026-11-16", // still a Monday in UTC
		"2026-01-01T12:00:00Z":      "2025-12-29",
	} {
		on, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := lastMonday(on).Format(time.RFC3339); got != want+"T00:00:00Z" {
			t.Errorf("at %s it is %s, want %s", now, got, want)
		}
	}
}
