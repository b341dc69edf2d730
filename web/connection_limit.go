package web

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
)

const (
	// MaxConnections is how many connections a listener should have open at once. An idle
	// one takes some 20 KB.
	MaxConnections = 2048
	// maxClientConnections is how many one client may have: six for each browser of a class
	// of forty behind one address.
	maxClientConnections = 256
)

// LimitConnections returns the hook of an http.Server that closes a connection of a client
// who has too many. A proxy that is trusted has those of many clients and is not limited:
// to limit each client's is up to it.
func LimitConnections(trustProxy bool, trusted []netip.Prefix) func(net.Conn, http.ConnState) {
	proxies := proxyTrust{any: trustProxy, networks: trusted}
	var mu sync.Mutex
	open := make(map[clientAddress]int)
	return func(c net.Conn, state http.ConnState) {
		remote := c.RemoteAddr().String()
		if state != http.StateNew && state != http.StateClosed || proxies.trustPeer(remote) {
			return
		}
		peer := peerAddress(remote)
		mu.Lock()
		defer mu.Unlock()
		if state == http.StateNew {
			if open[peer]++; open[peer] > maxClientConnections {
				_ = c.Close() // the server finds out, and says that it is closed
			}
		} else if open[peer]--; open[peer] == 0 {
			delete(open, peer)
		}
	}
}
