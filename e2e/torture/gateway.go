package main

import (
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
)

// A gateway stands between one client and the web roles, as a reverse proxy does,
// and tells them the address of the client. Some gateways add the port of the
// client's connection; this one does if the fault "port" is on. A client has
// another port for each connection.
type gateway struct {
	next    http.RoundTripper
	address string
	ports   bool
	passed  atomic.Int64
}

// The first and the number of the ports that a client may have.
const (
	firstPort = 1024
	portCount = 60_000
)

func (g *gateway) RoundTrip(r *http.Request) (*http.Response, error) {
	from := g.address
	if g.ports {
		from = net.JoinHostPort(from, strconv.FormatInt(firstPort+g.passed.Add(1)%portCount, 10))
	}
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", from)
	return g.next.RoundTrip(r)
}
