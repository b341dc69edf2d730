package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

func TestHeaderLines(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprint(w, len(body))
	})
	ctx, cancel := context.WithCancel(t.Context())
	var run errgroup.Group
	serveHTTP(ctx, newServer(handler, log), listener, drainTime, log, &run)
	t.Cleanup(func() {
		cancel()
		if err := run.Wait(); err != nil {
			t.Error(err)
		}
	})
	dial := func(t *testing.T) (net.Conn, *bufio.Reader) {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn, bufio.NewReader(conn)
	}
	send := func(t *testing.T, to io.Writer, from *bufio.Reader, request string, want int) {
		t.Helper()
		if _, err := io.WriteString(to, request); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if response.StatusCode != want || want == http.StatusOK && string(body) != "400" {
			t.Errorf("%s, %q, %v; want %d", response.Status, body, err, want)
		}
	}
	// head begins a request with so many lines of headers.
	head := func(lines int) string {
		return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400\r\n" + strings.Repeat("A: b\r\n", lines-2)
	}
	t.Run("a request with too many is refused before they have ended", func(t *testing.T) {
		conn, answers := dial(t)
		send(t, conn, answers, head(maxHeaderLines+3), http.StatusRequestHeaderFieldsTooLarge)
	})
	t.Run("each request of a connection may have as many, and any lines in its body", func(t *testing.T) {
		conn, answers := dial(t)
		for range 3 {
			send(t, conn, answers, head(maxHeaderLines)+"\r\n"+strings.Repeat("\n", 400), http.StatusOK)
		}
		send(t, conn, answers, head(maxHeaderLines+3), http.StatusRequestHeaderFieldsTooLarge)
	})
}
