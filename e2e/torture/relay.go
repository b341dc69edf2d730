package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A relay is between all processes of a site and the table service, and
// speaks HTTP. It forwards requests. It can refuse the requests to one partition,
// and cut the reply to a batch short.
type relay struct {
	server *http.Server
	// service forwards to the table service.
	service httputil.ReverseProxy
	address string

	// out, unless nil, is the partition that does not serve now.
	out atomic.Pointer[partition]
	// scissors, unless nil, cut the next reply to a batch that fits.
	scissors atomic.Pointer[scissors]
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
	r := &relay{address: listener.Addr().String()}
	r.service = httputil.ReverseProxy{
		Transport:      &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		Rewrite:        func(p *httputil.ProxyRequest) { p.Out.URL.Scheme, p.Out.URL.Host = "http", host },
		ModifyResponse: r.cut,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:       log.New(io.Discard, "", 0),
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
	if out := r.out.Load(); out != nil && out.names(req, body) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, serverBusy) // the caller may be gone
		return
	}
	// A caller who gives up does not call the request back: the network has no way to do that.
	out := req.WithContext(context.WithoutCancel(req.Context()))
	out.Body = io.NopCloser(bytes.NewReader(body))
	r.service.ServeHTTP(w, out)
}

const serverBusy = `{"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"The server is busy."}}}`

// shorten cuts the next reply that fits. It reports whether one came in time.
func (r *relay) shorten(s scissors, wait time.Duration) bool {
	s.done = make(chan struct{})
	r.scissors.Store(&s)
	return await(context.Background(), s.done, wait) || r.scissors.Swap(nil) == nil
}

// cut cuts a reply if it is one to a batch that the scissors wait for.
func (r *relay) cut(reply *http.Response) error {
	s := r.scissors.Load()
	if s == nil || !strings.HasSuffix(reply.Request.URL.Path, "/$batch") { // no entity group transaction
		return nil
	}
	said, err := io.ReadAll(reply.Body)
	if err = errors.Join(err, reply.Body.Close()); err != nil {
		return err
	}
	passes := said
	if (!s.failed || bytes.Contains(said, []byte("HTTP/1.1 4"))) && r.scissors.CompareAndSwap(s, nil) {
		close(s.done)
		passes = said[:int(s.kept*float64(len(said)))]
	}
	reply.Body = io.NopCloser(bytes.NewReader(passes))
	if !s.broken { // or else the reply is shorter than it said, and the connection ends
		reply.Header.Set("Content-Length", strconv.Itoa(len(passes)))
	}
	return nil
}

// A partition is one of a table, or, if the table is empty, that of every table.
type partition struct{ table, key string }

// names reports whether a request to the table service names the partition: in the row of a URL, in
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
