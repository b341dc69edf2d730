package web

import (
	"net"
	"net/http"
	"testing"
	"time"
)

func TestClientNames(t *testing.T) {
	t.Run("are the same within a UTC day and others on the next", clientNamesChangeEachDay)
	t.Run("are of an address, by whichever connection or proxy it comes", clientNamesAreOfAddresses)
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

func clientNamesAreOfAddresses(t *testing.T) {
	now := time.Now()
	for _, c := range []struct{ address, other, counted string }{
		{"192.0.2.1", "192.0.2.2", "192.0.2.1"},
		{"2001:db8::1", "2001:db8:0:1::1", "2001:db8::/64"},
	} {
		for _, plain := range []bool{false, true} {
			names := newClientNames(plain)
			name := func(remote, forwarded string) string {
				r := &http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": {forwarded}}}
				return names.name(r, now)
			}
			one, second, other := name(net.JoinHostPort(c.address, "1"), ""), name(net.JoinHostPort(c.address, "2"), ""), name(net.JoinHostPort(c.other, "1"), "")
			names.guard.proxies.any = true
			forwarded := name("198.51.100.1:1", c.address)
			if one != second || one != forwarded || one == other || plain != (one == c.counted) {
				t.Errorf("%s is %q, %q by another connection and %q by a proxy; %s is %q", c.address, one, second, forwarded, c.other, other)
			}
		}
	}
}
