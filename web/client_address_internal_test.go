package web

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestClientAddress(t *testing.T) {
	t.Run("is the peer's, or what a trusted proxy says", addressIsThePeersOrWhatAProxySays)
}

func addressIsThePeersOrWhatAProxySays(t *testing.T) {
	networks := Options{TrustedNetworks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}
	for _, test := range []struct {
		options Options
		peer    string
		// hops are several values of X-Forwarded-For, each with | between its fields.
		hops []string
		want string
	}{
		// A port makes no other client, and neither does the spelling.
		{Options{TrustProxy: true}, "10.0.0.1:5678", []string{
			"192.0.2.7", "192.0.2.7:80", " 192.0.2.7:1 ", "::ffff:192.0.2.7", "[::ffff:192.0.2.7]:443", "192.0.2.7:", "198.51.100.1, 192.0.2.7:65535",
		}, "192.0.2.7"},
		// IPv6 is counted by its network of 64 bits.
		{Options{TrustProxy: true}, "10.0.0.1:5678", []string{
			"2001:db8:1:2::7", "2001:db8:1:2:ffff::1", "[2001:db8:1:2::7]", "[2001:db8:1:2::7]:443", "2001:DB8:1:2:0:0:0:8",
		}, "2001:db8:1:2::/64"},
		{Options{}, "[2001:db8:1:2::7]:5678", []string{""}, "2001:db8:1:2::/64"},
		{Options{}, "[2001:db8:1:2::8%eth0]:5678", []string{""}, "2001:db8:1:2::/64"},
		{Options{}, "[2001:db8:1:3::7]:5678", []string{""}, "2001:db8:1:3::/64"},
		// By default no peer is trusted.
		{Options{}, "192.0.2.7:5678", []string{"", "198.51.100.1"}, "192.0.2.7"},
		{networks, "192.0.2.1:5678", []string{"192.0.2.7"}, "192.0.2.1"},
		// The last hop outside the trusted networks is the client. Header fields are one list.
		{networks, "10.0.0.1:5678", []string{
			"192.0.2.7", "198.51.100.1,192.0.2.7", "198.51.100.1, 192.0.2.7, 10.1.1.1:99, [fd00::5]:99",
			"198.51.100.1, 192.0.2.7|10.1.1.1|::ffff:10.2.2.2", "10.9.9.9, 192.0.2.7",
		}, "192.0.2.7"},
		{networks, "[fd00::1]:5678", []string{"192.0.2.7"}, "192.0.2.7"},
		{networks, "10.0.0.1:5678", []string{"10.3.3.3, 10.2.2.2"}, "10.3.3.3"}, // a client inside
		{networks, "10.0.0.1:5678", []string{""}, "10.0.0.1"},
		// A hop that is no address counts as the proxy that sent it: text of the client's choice
		// would make a new client of each request.
		{Options{TrustProxy: true}, "10.0.0.1:5678", []string{"unknown", "_secret", "1.2.3", strings.Repeat("9", 300)}, "10.0.0.1"},
		{networks, "10.0.0.1:5678", []string{"unknown, 10.1.1.1"}, "10.0.0.1"},
		// A peer without an address is one client.
		{Options{}, "", []string{""}, ""}, {Options{}, "@", []string{"192.0.2.7"}, ""},
	} {
		g, err := newAdmission(test.options)
		if err != nil {
			t.Fatal(err)
		}
		for _, hops := range test.hops {
			r := &http.Request{RemoteAddr: test.peer, Header: http.Header{"X-Forwarded-For": strings.Split(hops, "|")}}
			if got := string(g.clientAddress(r)); got != test.want {
				t.Errorf("%q by way of %q is counted as %q, want %q", hops, test.peer, got, test.want)
			}
		}
	}
}
