package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// A clientAddress is what the requests of one client are counted by: an IPv4 address,
// such as 192.0.2.7, or the network of an IPv6 address, such as 2001:db8:1:2::/64. One
// subscriber usually has the whole network. It never has a port, because each connection
// has another. A peer that is no Internet address, such as a Unix socket, stands as it
// is.
type clientAddress string

// subscriberBits is the length of the prefix by which IPv6 addresses are counted. It is
// the smallest network that a site is given (RFC 6177).
const subscriberBits = 64

// countedAs returns the clientAddress of an address.
func countedAs(address netip.Addr) clientAddress {
	if address.Is4() {
		return clientAddress(address.String())
	}
	network := netip.PrefixFrom(address.WithZone(""), subscriberBits).Masked()
	return clientAddress(network.String())
}

// proxyTrust says whose X-Forwarded-For and X-Forwarded-Proto are believed.
type proxyTrust struct {
	// any trusts every peer. Only networks trusts the hops behind it.
	any      bool
	networks []netip.Prefix
}

// none reports whether nobody is trusted.
func (p proxyTrust) none() bool { return !p.any && len(p.networks) == 0 }

// trustPeer reports whether the other end of the connection is a trusted proxy.
func (p proxyTrust) trustPeer(remote string) bool {
	if p.any || p.none() {
		return p.any
	}
	peer, ok := parseHop(remote)
	return ok && p.trusts(peer)
}

// trusts reports whether the address is in a trusted network.
func (p proxyTrust) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(address) })
}

// clientAddress returns the address of the client. Behind trusted proxies it is the last
// hop in X-Forwarded-For that is not a trusted proxy itself: the client may have invented
// the hops before it. A hop that is not an address is not believed; the request then
// counts as the proxy's that sent it.
func (g *guard) clientAddress(r *http.Request) clientAddress {
	client := peerAddress(r.RemoteAddr)
	if !g.proxies.trustPeer(r.RemoteAddr) {
		return client
	}
	hops := strings.Split(strings.Join(r.Header.Values(echo.HeaderXForwardedFor), ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop = strings.Trim(hop, " \t")
		if hop == "" { // a list may have empty elements (RFC 9110, section 5.6.1)
			continue
		}
		address, ok := parseHop(hop)
		if !ok {
			break
		}
		client = countedAs(address)
		if !g.proxies.trusts(address) {
			break
		}
	}
	return client
}

// peerAddress returns the address of the other end of a connection. That of a clientAddress
// is itself.
func peerAddress(remote string) clientAddress {
	if peer, ok := parseHop(remote); ok {
		return countedAs(peer)
	}
	return clientAddress(remote)
}

// parseHop parses an address with or without a port, an IPv6 address with or without
// brackets. An IPv4 address that is mapped into IPv6 becomes IPv4 again.
func parseHop(hop string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(hop); err == nil {
		hop = host
	} else if strings.HasPrefix(hop, "[") && strings.HasSuffix(hop, "]") {
		hop = hop[1 : len(hop)-1]
	}
	address, err := netip.ParseAddr(hop)
	return address.Unmap(), err == nil
}
