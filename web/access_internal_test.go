package web

import (
	"net/http"
	"testing"
	"time"
)

func TestClientNames(t *testing.T) {
	t.Run("are the same within a UTC day and others on the next", clientNamesChangeEachDay)
}

func newClientNames(plain bool) *clientNames { return &clientNames{guard: &guard{}, plain: plain} }

// nameOf returns the name of the client at an address.
func (n *clientNames) nameOf(address string, now time.Time) string {
	return n.name(&http.Request{RemoteAddr: address + ":1234"}, now)
}

func clientNamesChangeEachDay(t *testing.T) {
	names := newClientNames(false)
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	morning := names.nameOf("192.0.2.1", at("2026-01-02T00:00:00Z"))
	if other := names.nameOf("192.0.2.2", at("2026-01-02T00:00:01Z")); other == morning || other == "" {
		t.Errorf("two clients are %q and %q", morning, other)
	}
	// 23:59 in UTC is the next day in the east.
	if evening := names.nameOf("192.0.2.1", at("2026-01-03T01:59:59+02:00")); evening != morning {
		t.Errorf("on one day, a client is %q and %q", morning, evening)
	}
	if next := names.nameOf("192.0.2.1", at("2026-01-03T00:00:00Z")); next == morning {
		t.Errorf("on two days, a client is %q", next)
	}
	if again := names.nameOf("192.0.2.1", at("2026-01-02T00:00:00Z")); again == morning {
		t.Error("the key of yesterday is not forgotten")
	}
	ahead := names.nameOf("192.0.2.1", at("2036-01-01T00:00:00Z"))
	if back := names.nameOf("192.0.2.1", at("2026-01-03T00:00:00Z")); back == ahead {
		t.Error("after the clock was years ahead, its key stays in use for as long")
	}
}
