package web_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
)

func TestWriteDeadline(t *testing.T) {
	t.Run("a reader who never reads is cut off", readerWhoNeverReadsIsCutOff)
	t.Run("a slow reader gets the whole of a long response", slowReaderGetsTheWholeOfALongResponse)
	t.Run("a stream without a reader is cut off", streamWithoutAReaderIsCutOff)
	t.Run("each response of a connection has a deadline of its own", eachResponseOfAConnectionHasADeadlineOfItsOwn)
}

// A pipes is a listener whose connections are pipes: they buffer nothing, so a server
// waits for its reader, in fake time as well.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepted:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.IPAddr{} }

// A pipeFrom is the server's end of a pipe to a client with an address.
type pipeFrom struct {
	net.Conn
	client net.Addr
}

// RemoteAddr implements net.Conn.
func (p pipeFrom) RemoteAddr() net.Addr { return p.client }

// dial opens a connection to a server of the site, which ends with the test.
func (s *site) dial() net.Conn { return s.dialFrom("192.0.2.1") }

// dialFrom is dial for the client with an address.
func (s *site) dialFrom(client string) net.Conn {
	s.Helper()
	listener := &pipes{accepted: make(chan net.Conn, 1), closed: make(chan struct{})}
	server := &http.Server{Handler: s.handler}
	var running sync.WaitGroup
	running.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.Error(err)
		}
	})
	far, near := net.Pipe()
	listener.accepted <- pipeFrom{far, &net.TCPAddr{IP: net.ParseIP(client), Port: 1000}}
	s.Cleanup(func() {
		if err := errors.Join(near.Close(), server.Close()); err != nil {
			s.Error(err)
		}
		running.Wait()
	})
	return near
}

// request sends a request on a connection and reads nothing.
func (s *site) request(conn net.Conn, path string, headers ...string) {
	s.Helper()
	head := append([]string{"GET " + path + " HTTP/1.1", "Host: blog.example"}, headers...)
	if _, err := io.WriteString(conn, strings.Join(head, "\r\n")+"\r\n\r\n"); err != nil {
		s.Fatal(err)
	}
}

// waitForEnd waits until the server closes the connection, and returns how long that
// took. It reads nothing.
func waitForEnd(t testing.TB, conn net.Conn) time.Duration {
	t.Helper()
	start := time.Now()
	if _, err := conn.Write([]byte("x")); err == nil {
		// The server's background read has taken the first byte, and takes no second.
		ok(t, conn.SetWriteDeadline(start.Add(time.Hour)))
		if _, err := conn.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	}
	return time.Since(start)
}

// fill makes posts of 5,000 characters, so that a list of them is long.
func (s *site) fill(channel domain.Channel, by string, posts int) {
	s.Helper()
	for range posts {
		s.post(channel, by, strings.Repeat("<", 5000))
	}
}

func readerWhoNeverReadsIsCutOff(t *testing.T) {
	for _, path := range []string{
		"/api/v1/channels/Engines/blogs?limit=100", "/channels/Engines", "/channels/Engines/feed.atom", "/static/app.css", "/healthz", "/nothing",
	} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				s.signUp("ada")
				s.fill(s.channel("Engines", "ada"), "ada", 3)
				conn := s.dial()
				s.request(conn, path)
				if took := waitForEnd(t, conn); took < 20*time.Second || took > 22*time.Second {
					t.Errorf("cut off after %s", took)
				}
				synctest.Wait()
				if log := s.log.String(); strings.Contains(log, "level=ERROR") {
					t.Errorf("a client that does not read is logged as a fault:\n%s", log)
				}
			})
		})
	}
}

// A slowReader reads at most 16 KiB a second.
type slowReader struct{ io.Reader }

func (r slowReader) Read(p []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	return r.Reader.Read(p[:min(len(p), 1638)])
}

func slowReaderGetsTheWholeOfALongResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.signUp("ada")
		s.fill(s.channel("Engines", "ada"), "ada", 40)
		for _, path := range []string{"/api/v1/channels/Engines/blogs?limit=40", "/channels/Engines/feed.json"} {
			conn := s.dial()
			s.request(conn, path)
			start := time.Now()
			response, err := http.ReadResponse(bufio.NewReader(slowReader{conn}), nil)
			ok(t, err)
			n, err := io.Copy(io.Discard, response.Body)
			if took := time.Since(start); err != nil || took < 31*time.Second {
				t.Errorf("%s: read %d bytes in %s: %v", path, n, took, err)
			}
		}
	})
}

func streamWithoutAReaderIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, nil)
		conn := w.dial()
		w.request(conn, w.path, "Cookie: session="+w.token)
		reader := bufio.NewReader(conn)
		if e, ok := readEvent(reader); !ok || e.name != "progress" {
			t.Fatalf("event %q (%t)", e.name, ok)
		}
		// The next is a comment after 15 seconds, which the client does not read for 20 more.
		if took := waitForEnd(t, conn); took < 30*time.Second || took > 40*time.Second {
			t.Errorf("cut off after %s", took)
		}
	})
}

func eachResponseOfAConnectionHasADeadlineOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		conn := s.dial()
		reader := bufio.NewReader(conn)
		for range 3 {
			s.request(conn, "/channels")
			time.Sleep(15 * time.Second)
			response, err := http.ReadResponse(reader, nil)
			ok(t, err)
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Fatal(err)
			}
		}
	})
}
