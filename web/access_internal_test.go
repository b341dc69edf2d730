package web

import (
	"testing"
	"time"
)

func TestClientNames(t *testing.T) {
	t.Run("are the same within a UTC day and others on the next", clientNamesChangeEachDay)
	t.Run("are not the same in another process", clientNamesAreOfOneProcess)
	t.Run("are the addresses if that is asked for", clientNamesArePlain)
}

func clientNamesChangeEachDay(t *testing.T) {
	names := &clientNames{}
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	morning := names.name("192.0.2.1", at("2026-01-02T00:00:00Z"))
	if other := names.name("192.0.2.2", at("2026-01-02T00:00:01Z")); other == morning || other == "" {
		t.Errorf("two clients are %q and %q", morning, other)
	}
	// 23:59 in UTC is the next day in the east.
	if evening := names.name("192.0.2.1", at("2026-01-03T01:59:59+02:00")); evening != morning {
		t.Errorf("on one day, a client is %q and %q", morning, evening)
	}
	if next := names.name("192.0.2.1", at("2026-01-03T00:00:00Z")); next == morning {
		t.Errorf("on two days, a client is %q", next)
	}
	if again := names.name("192.0.2.1", at("2026-01-02T00:00:00Z")); again == morning {
		t.Error("the key of yesterday is not forgotten")
	}
}

func clientNamesAreOfOneProcess(t *testing.T) {
	now := time.Now()
	if a, b := (&clientNames{}).name("192.0.2.1", now), (&clientNames{}).name("192.0.2.1", now); a == b {
		t.Errorf("both are %q", a)
	}
}

func clientNamesArePlain(t *testing.T) {
	if got := (&clientNames{plain: true}).name("192.0.2.1", time.Now()); got != "192.0.2.1" {
		t.Errorf("got %q", got)
	}
}
