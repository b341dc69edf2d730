package domain

import (
	"errors"
	"testing"
	"time"
)

func TestDay(t *testing.T) {
	t.Run("lasts from its first instant to the first of the next", dayLastsFromItsFirstInstantToTheFirstOfTheNext)
	t.Run("that cannot be shown says why", dayThatCannotBeShownSaysWhy)
}

func dayLastsFromItsFirstInstantToTheFirstOfTheNext(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		zone, date string
		from       string
		hours      time.Duration
	}{
		{"UTC", "2026-11-19", "2026-11-19T00:00:00Z", 24},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", 23},
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", 25},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", 23}, // no 00:00: the clock went on to 01:00
		{"Africa/Cairo", "2024-04-26", "2024-04-25T22:00:00Z", 23},
		{"Asia/Amman", "2021-10-29", "2021-10-28T21:00:00Z", 25}, // 00:00 twice
		{"America/Havana", "2023-11-05", "2023-11-05T04:00:00Z", 25},
		{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", 24},
	} {
		day, err := ParseDay(test.date, test.zone, now)
		if err != nil {
			t.Errorf("%s in %s: %v", test.date, test.zone, err)
			continue
		}
		if from := day.From.Format(time.RFC3339); from != test.from || day.Until.Sub(day.From) != test.hours*time.Hour || day.Date != test.date {
			t.Errorf("%s in %s: %s from %s for %v", test.date, test.zone, day.Date, from, day.Until.Sub(day.From))
		}
		if next := day.After(); next.From != day.Until || next.Before() != day || day.Before().Until != day.From {
			t.Errorf("%s in %s does not meet its neighbours: %v", test.date, test.zone, next)
		}
	}
}

func dayThatCannotBeShownSaysWhy(t *testing.T) {
	now := time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC)
	for _, test := range []struct{ date, zone, field string }{
		{"2026-11-21", "UTC", "day"},
		{"2026-11-20T00:00", "UTC", "day"},
		{"2026-02-30", "UTC", "day"},
		{"1600-12-31", "UTC", "day"},
		{"2011-12-30", "Pacific/Apia", "day"}, // Samoa crossed the date line and left the day out
		{"", "Local", "tz"},
		{"", "Europe/Nowhere", "tz"},
		{"", "../etc/passwd", "tz"},
	} {
		var invalid *InvalidError
		if _, err := ParseDay(test.date, test.zone, now); !errors.As(err, &invalid) || invalid.Fields[0].Field != test.field {
			t.Errorf("%q in %q: %v", test.date, test.zone, err)
		}
	}
	if day, err := ParseDay("2026-11-21", "Europe/Berlin", now); err != nil || day.Date != "2026-11-21" {
		t.Errorf("today in Berlin: %v, %v", day, err)
	}
	if day, err := ParseDay("", "", now); err != nil || day.Date != "2026-11-20" || day.Zone != "UTC" {
		t.Errorf("today: %v, %v", day, err)
	}
}
