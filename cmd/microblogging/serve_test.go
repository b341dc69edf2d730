package main

import (
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

func TestServe(t *testing.T) {
	t.Run("readers who never read do not hold up a stop", readersWhoNeverReadDoNotHoldUpAStop)
	t.Run("writes every line of its log before it ends", everyLineIsWritten)
	t.Run("says that it makes a new store, once", newStoreIsAnnounced)
}

// stuck opens a connection that asks for more than all buffers hold and reads nothing.
// It returns once the server waits for its reader.
func stuck(t *testing.T, address string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	ok(t, err)
	t.Cleanup(func() { conn.Close() })
	request := []byte(strings.Repeat("GET /static/app.css HTTP/1.1\r\nHost: blog.example\r\n\r\n", 100))
	for {
		// The server answers one request after the other: it stops reading them when
		// the client does not read its responses.
		ok(t, conn.SetWriteDeadline(time.Now().Add(time.Second)))
		switch _, err := conn.Write(request); {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return
		case err != nil:
			t.Fatal(err)
		}
	}
}

func readersWhoNeverReadDoNotHoldUpAStop(t *testing.T) {
	printed, stop := serving(t, 1, "--data", t.TempDir())
	for range 3 {
		stuck(t, strings.TrimPrefix(printed[0], "listening on "))
	}
	began := time.Now()
	stop() // fails unless the exit code is 0
	if took := time.Since(began); took > drainTime+2*time.Second {
		t.Errorf("the stop took %s, want %s at most", took, drainTime)
	}
}

// The last line waits in a buffer when the process is told to stop.
func everyLineIsWritten(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		r := startRole(t, "web", "--listen", "127.0.0.1:0", "--log-format", format)
		address := r.await(t, `listening on (\S+)\n`)
		for range 50 {
			get(t, http.DefaultClient, address+"/channels", http.StatusOK)
		}
		http.DefaultClient.CloseIdleConnections()
		r.stop()
		code, wrote := <-r.ended, r.wrote.String()
		if lines := strings.Count(wrote, "/channels"); code != exitOK || lines != 50 {
			t.Errorf("%s: ended with %d and %d lines, want 50:\n%s", format, code, lines, wrote)
		}
	}
}

func newStoreIsAnnounced(t *testing.T) {
	data := t.TempDir()
	for _, want := range []int{1, 0} {
		r := startRole(t, "serve", "--listen", "127.0.0.1:0", "--data", data)
		r.await(t, `listening on (\S+)\n`)
		r.stop()
		<-r.ended
		if wrote := r.wrote.String(); strings.Count(wrote, "new store") != want || strings.Count(wrote, data) != want {
			t.Errorf("%q, want %d lines about a new store in %s", wrote, want, data)
		}
	}
}
