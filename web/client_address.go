package web

import (
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// A clientAddress is what the requests of one client are counted by: an IPv4 address,
// such as 192.0.2.7, or the network of an IPv6 address, such as 2001:db8:1:2::/64. One
// subscriber usually has the whole network. It never has a port, because each connection
// has another.
type clientAddress string

// subscriberBits is the length of the prefix by which IPv6 addresses are counted. It is
// the smallest network that a site is given (RFC 6177).
const subscriberBits = 64

// countedAs returns the clientAddress of an address. What is no address counts as one client.
func countedAs(address string) clientAddress {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return clientAddress(ip.String())
	}
	return clientAddress(netip.PrefixFrom(ip, subscriberBits).Masked().String())
}

// proxyTrust says whose X-Forwarded-For and X-Forwarded-Proto are trusted.
type proxyTrust struct {
	// any trusts every peer, and no proxy behind it.
	any      bool
	networks []netip.Prefix
}

// trusts reports whether the other end of the connection is a trusted proxy.
func (p proxyTrust) trusts(remote string) bool {
	peer, err := netip.ParseAddrPort(remote)
	within := func(n netip.Prefix) bool { return n.Contains(peer.Addr().Unmap()) }
	return p.any || err == nil && slices.ContainsFunc(p.networks, within)
}

// extractor returns what finds the address of a client: the last hop in X-Forwarded-For that is
// not a trusted proxy itself. The client may have invented the hops before it.
func (p proxyTrust) extractor() echo.IPExtractor {
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	if p.any {
		p.networks = []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0), netip.PrefixFrom(netip.IPv6Unspecified(), 0)}
	}
	for _, n := range p.networks {
		network := net.IPNet{IP: n.Addr().AsSlice(), Mask: net.CIDRMask(n.Bits(), n.Addr().BitLen())}
		options = append(options, echo.TrustIPRange(&network))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

// hopPort is the port that some proxies write behind an address.
var hopPort = regexp.MustCompile(`(\.\d+|\]):\d*\s*(,|$)`)

// clientAddress returns the address of the client.
func (g *admission) clientAddress(r *http.Request) clientAddress {
	if len(r.Header[echo.HeaderXForwardedFor]) == 0 { // most are asked for without, and the rest costs
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		return countedAs(host)
	}
	hops := hopPort.ReplaceAllString(strings.Join(r.Header.Values(echo.HeaderXForwardedFor), ","), "$1$2")
	if g.proxies.any {
		hops = hops[strings.LastIndex(hops, ",")+1:]
	}
	header := http.Header{}
	if hops != "" {
		header.Set(echo.HeaderXForwardedFor, hops)
	}
	return countedAs(g.extract(&http.Request{RemoteAddr: r.RemoteAddr, Header: header}))
}
