package main

import (
	"io"
	"net"
	"net/http"
)

// maxHeaderLines is how many lines the headers of a request may have. Browsers and proxies send some
// forty at most.
const maxHeaderLines = 100

const tooManyHeaders = "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" +
	"A request may have 100 lines of headers.\n"

// limitHeaderLines makes a server read no more lines of headers. net/http bounds only their bytes: a line of five takes
// 100 in memory, so a few hundred clients who send only such lines would take all of it.
func limitHeaderLines(server *http.Server, listener net.Listener) net.Listener {
	then := server.ConnState
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if conn, ok := c.(*headerConn); ok && state == http.StateIdle {
			conn.lines, conn.empty, conn.ended = 0, false, false
		}
		if then != nil {
			then(c, state)
		}
	}
	return headerListener{listener}
}

type headerListener struct{ net.Listener }

// Accept implements net.Listener.
func (l headerListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &headerConn{Conn: conn}, nil
}

// A headerConn is a connection that counts the lines of a request's headers. Of a request that was sent before the
// answer to the last one, it may miss those in the 4 KiB that net/http has read ahead.
type headerConn struct {
	net.Conn
	lines int
	// empty reports whether the line that is read has nothing yet, and ended whether the headers have ended.
	empty, ended bool
}

// Read implements net.Conn. net/http reads in one goroutine at a time.
func (c *headerConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for _, b := range p[:n] {
		switch {
		case c.ended:
			return n, err
		case b == '\n':
			c.ended, c.empty = c.empty, true
			c.lines++
		case b != '\r':
			c.empty = false
		}
		if c.lines > maxHeaderLines+2 { // with the request line and the empty one
			_, _ = io.WriteString(c.Conn, tooManyHeaders)
			return 0, io.EOF // and net/http closes the connection
		}
	}
	return n, err
}
