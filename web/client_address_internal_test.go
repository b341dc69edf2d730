package web

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestClientAddress(t *testing.T) {
	t.Run("a port makes no other client", portMakesNoOtherClient)
	t.Run("IPv6 is counted by its network of 64 bits", ipv6IsCountedByItsNetworkOf64Bits)
	t.Run("without trust nobody is believed", withoutTrustNobodyIsBelieved)
	t.Run("the last hop outside the trusted networks is the client", lastHopOutsideTheTrustedNetworksIsTheClient)
	t.Run("a hop that is no address counts as the proxy that sent it", hopThatIsNoAddressCountsAsTheProxyThatSentIt)
	t.Run("a peer without an address is one client", peerWithoutAnAddressIsOneClient)
}

// from is the address of a client whose request comes from the peer and went
// through the hops, in header fields of X-Forwarded-For.
func from(t *testing.T, options Options, peer string, hops ...string) string {
	t.Helper()
	g, err := newGuard(options)
	if err != nil {
		t.Fatal(err)
	}
	r := &http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": hops}}
	return string(g.clientAddress(r))
}

func portMakesNoOtherClient(t *testing.T) {
	for _, hop := range []string{
		"192.0.2.7", "192.0.2.7:80", "192.0.2.7:65535", " 192.0.2.7:1 ", "::ffff:192.0.2.7", "[::ffff:192.0.2.7]:443", "192.0.2.7:",
	} {
		if got := from(t, Options{TrustProxy: true}, "10.0.0.1:5678", "198.51.100.1, "+hop); got != "192.0.2.7" {
			t.Errorf("%q is counted as %q", hop, got)
		}
	}
	if got := from(t, Options{}, "192.0.2.7:5678"); got != "192.0.2.7" {
		t.Errorf("the peer is counted as %q", got)
	}
}

func ipv6IsCountedByItsNetworkOf64Bits(t *testing.T) {
	for _, hop := range []string{
		"2001:db8:1:2::7", "2001:db8:1:2:ffff::1", "[2001:db8:1:2::7]", "[2001:db8:1:2::7]:443", "2001:DB8:1:2:0:0:0:8",
	} {
		if got := from(t, Options{TrustProxy: true}, "10.0.0.1:5678", hop); got != "2001:db8:1:2::/64" {
			t.Errorf("%q is counted as %q", hop, got)
		}
	}
	for _, peer := range []string{"[2001:db8:1:2::7]:5678", "[2001:db8:1:2::8%eth0]:5678"} {
		if got := from(t, Options{}, peer); got != "2001:db8:1:2::/64" {
			t.Errorf("the peer %s is counted as %q", peer, got)
		}
	}
	if got := from(t, Options{}, "[2001:db8:1:3::7]:5678"); got != "2001:db8:1:3::/64" {
		t.Errorf("the network beside it is counted as %q", got)
	}
}

func withoutTrustNobodyIsBelieved(t *testing.T) {
	if got := from(t, Options{}, "10.0.0.1:5678", "192.0.2.7"); got != "10.0.0.1" {
		t.Errorf("counted as %q", got)
	}
	if got := from(t, networks(t, "10.0.0.0/8"), "192.0.2.1:5678", "192.0.2.7"); got != "192.0.2.1" {
		t.Errorf("a peer outside the networks is counted as %q", got)
	}
}

func networks(t *testing.T, list ...string) Options {
	t.Helper()
	var options Options
	for _, text := range list {
		options.TrustedNetworks = append(options.TrustedNetworks, netip.MustParsePrefix(text))
	}
	return options
}

func lastHopOutsideTheTrustedNetworksIsTheClient(t *testing.T) {
	options := networks(t, "10.0.0.0/8", "fd00::/8")
	for _, test := range []struct {
		hops string
		want string
	}{
		{"192.0.2.7", "192.0.2.7"},
		{"198.51.100.1,192.0.2.7", "192.0.2.7"},
		{"198.51.100.1, 192.0.2.7, 10.1.1.1:99, [fd00::5]:99", "192.0.2.7"},
		{"198.51.100.1, 192.0.2.7|10.1.1.1|::ffff:10.2.2.2", "192.0.2.7"}, // header fields are one list
		{"10.9.9.9, 192.0.2.7", "192.0.2.7"},
		{"192.0.2.7, ,10.1.1.1,|", "192.0.2.7"}, // empty elements of a list do not count
		{"10.3.3.3, 10.2.2.2", "10.3.3.3"},      // a client inside the trusted networks
		{"", "10.0.0.1"},
	} {
		if got := from(t, options, "10.0.0.1:5678", strings.Split(test.hops, "|")...); got != test.want {
			t.Errorf("%q is counted as %q, want %q", test.hops, got, test.want)
		}
	}
	if got := from(t, options, "[fd00::1]:5678", "192.0.2.7"); got != "192.0.2.7" {
		t.Errorf("behind a proxy on IPv6 it is counted as %q", got)
	}
	if got := from(t, options, "10.0.0.1:5678"); got != "10.0.0.1" {
		t.Errorf("without hops it is counted as %q", got)
	}
}

// Text of the client's choice would make a new client of each request.
func hopThatIsNoAddressCountsAsTheProxyThatSentIt(t *testing.T) {
	for _, hop := range []string{"unknown", "_secret", "1.2.3", "[::1", strings.Repeat("9", 300)} {
		if got := from(t, Options{TrustProxy: true}, "10.0.0.1:5678", hop); got != "10.0.0.1" {
			t.Errorf("%q is counted as %q", hop, got)
		}
		if got := from(t, networks(t, "10.0.0.0/8"), "10.0.0.1:5678", hop+", 10.1.1.1"); got != "10.1.1.1" {
			t.Errorf("%q behind two proxies is counted as %q", hop, got)
		}
	}
}

func peerWithoutAnAddressIsOneClient(t *testing.T) {
	for _, peer := range []string{"", "@", "pipe"} {
		if got := from(t, Options{}, peer); got != peer {
			t.Errorf("%q is counted as %q", peer, got)
		}
	}
}
