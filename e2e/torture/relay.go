package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A relay stands between all processes of a site and the table service, and
// speaks HTTP. It forwards requests. It can refuse the requests to one partition,
// and cut the reply to a batch short.
type relay struct {
	server *http.Server
	// service sends to the table service.
	service http.RoundTripper
	host    string // of the table service, with its port
	address string // of the relay

	// out, unless nil, is the partition that does not serve now.
	out atomic.Pointer[outage]
	// scissors, unless nil, cut the next reply to a batch that fits.
	scissors atomic.Pointer[scissors]
}

// An outage of a partition refuses requests and counts them.
type outage struct {
	partition
	refused atomic.Int64
}

// scissors say which reply to a batch they cut, and where.
type scissors struct {
	// failed is set if they wait for a batch that failed.
	failed bool
	// kept is the part of the reply that passes, from 0 to 1.
	kept float64
	// broken is set if the connection ends there. Otherwise the reply passes for a
	// whole one.
	broken bool
	// done is closed when they have cut.
	done chan struct{}
}

// newRelay makes a relay to a table service at host:port, until it is closed.
func newRelay(host string) (*relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{
		service: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		host:    host, address: listener.Addr().String(),
	}
	r.server = &http.Server{Handler: r}
	go func() { _ = r.server.Serve(listener) }() // until it is closed
	return r, nil
}

func (r *relay) close() { _ = r.server.Close() } // nothing depends on it any more

// ServeHTTP forwards one request. Whatever goes wrong on the way, the caller sees
// a lost connection.
func (r *relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if r.refuses(req, body) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, serverBusy) // the caller may be gone
		return
	}
	reply, said, err := r.forward(req, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	passes, broken := r.cut(req, said)
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	length := len(passes)
	if broken {
		length = len(said)
	}
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(reply.StatusCode)
	_, _ = w.Write(passes) // the caller may be gone
	if broken {
		_ = http.NewResponseController(w).Flush() // the same
		panic(http.ErrAbortHandler)
	}
}

const serverBusy = `{"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"The server is busy."}}}`

// forward sends a request and reads the reply to its end. A caller who gives up
// does not call the request back: the network has no way to do that.
func (r *relay) forward(req *http.Request, body []byte) (reply *http.Response, said []byte, err error) {
	out := req.Clone(context.WithoutCancel(req.Context()))
	out.RequestURI, out.URL.Scheme, out.URL.Host = "", "http", r.host
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.ContentLength, out.TransferEncoding = int64(len(body)), nil
	reply, err = r.service.RoundTrip(out)
	if err != nil {
		return nil, nil, err
	}
	defer reply.Body.Close() //nolint:errcheck // it was read, or the error is known
	said, err = io.ReadAll(reply.Body)
	return reply, said, err
}

// refuse takes a partition out of service until restore is called. restore
// returns how many requests were refused.
func (r *relay) refuse(p partition) (restore func() int64) {
	out := &outage{partition: p}
	r.out.Store(out)
	return func() int64 {
		r.out.Store(nil)
		return out.refused.Load()
	}
}

func (r *relay) refuses(req *http.Request, body []byte) bool {
	out := r.out.Load()
	if out == nil || !out.names(req, body) {
		return false
	}
	out.refused.Add(1)
	return true
}

// shorten cuts the next reply that fits. It reports whether one came in time.
func (r *relay) shorten(s scissors, wait time.Duration) bool {
	s.done = make(chan struct{})
	r.scissors.Store(&s)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-s.done:
		return true
	case <-timer.C:
		return r.scissors.Swap(nil) == nil
	}
}

// cut returns what passes of a reply, and whether the connection breaks there.
func (r *relay) cut(req *http.Request, said []byte) (passes []byte, broken bool) {
	if !isBatch(req) {
		return said, false
	}
	s := r.scissors.Load()
	if s == nil || s.failed && !bytes.Contains(said, []byte("HTTP/1.1 4")) || !r.scissors.CompareAndSwap(s, nil) {
		return said, false
	}
	close(s.done)
	return said[:int(s.kept*float64(len(said)))], s.broken
}

// isBatch tells whether a request is an entity group transaction.
func isBatch(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/$batch") }

// A partition is one of a table, or, if the table is empty, that of every table.
type partition struct{ table, key string }

// names tells whether a request to the table service names the partition: in the row of a URL, in
// the filter of a query, or in a row that it inserts. A scan names none.
func (p partition) names(r *http.Request, body []byte) bool {
	said := fmt.Sprint(r.URL.Path, " ", r.URL.Query().Get("$filter"), " ", string(body))
	if p.table != "" && !strings.Contains(said, "/"+p.table+"(") && !strings.Contains(said, "/"+p.table+" ") {
		return false
	}
	for _, form := range []string{"PartitionKey='%s'", "PartitionKey eq '%s'", `"PartitionKey":"%s"`} {
		if strings.Contains(said, fmt.Sprintf(form, p.key)) {
			return true
		}
	}
	return false
}
