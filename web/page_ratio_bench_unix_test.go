//go:build unix

package web_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"microblogging/web"
)

const (
	ratioClients = 16
	ratioRounds  = 9
	ratioRound   = 250 * time.Millisecond
)

// BenchmarkAgainstFixedPage serves the first page of a channel over TCP, by turns with a
// server of net/http alone that answers with as many bytes, of which none is computed.
// The goals are ratios: 0.6 for an anonymous client, 0.55 for one who has the page already, and 0.08
// for a reader who is signed in, whatever the number of posts.
func BenchmarkAgainstFixedPage(b *testing.B) {
	for _, posts := range []int{100, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("posts=%d", posts), func(b *testing.B) {
			store := crowdedStore(b, posts)
			log := slog.New(slog.NewTextHandler(io.Discard, nil)) // as the program logs, but for the file
			handler, err := web.New(store.Store, web.Options{Logger: log, PageCache: 64 << 20})
			ok(b, err)
			server := benchServe(b, handler)
			token := benchSession(b, store)
			for _, coding := range []string{"identity", "gzip"} {
				b.Run(coding, func(b *testing.B) {
					accepts := "Accept-Encoding: " + coding + "\r\n"
					tag := askedOnce(b, server, accepts).tag
					b.Run("anonymous", func(b *testing.B) { benchRatio(b, server, accepts) })
					b.Run("has-it", func(b *testing.B) { benchRatio(b, server, accepts+"If-None-Match: "+tag+"\r\n") })
					own := accepts + "Cookie: session=" + token + "\r\n"
					ownTag := askedOnce(b, server, own).tag
					b.Run("signed-in", func(b *testing.B) { benchRatio(b, server, own) })
					b.Run("signed-in-has-it", func(b *testing.B) { benchRatio(b, server, own+"If-None-Match: "+ownTag+"\r\n") })
				})
			}
		})
	}
}

// benchServe serves as the program does, and returns the address.
func benchServe(b *testing.B, handler http.Handler) string {
	b.Helper()
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	ok(b, err)
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(listener) }) // it always ends with http.ErrServerClosed
	b.Cleanup(func() {
		_ = server.Close()
		done.Wait()
	})
	return listener.Addr().String()
}

// benchRatio measures how many pages a second the address answers, and the fixed page.
func benchRatio(b *testing.B, address, headers string) {
	sent := askedOnce(b, address, headers).bytes
	fixed := benchServe(b, fixedPage(b, sent))
	var ratios, costs, rates []float64
	for b.Loop() {
		for range ratioRounds {
			own, ownCost := pageRate(b, address, headers)
			plain, plainCost := pageRate(b, fixed, "")
			ratios, costs, rates = append(ratios, own/plain), append(costs, plainCost/ownCost), append(rates, own)
		}
	}
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(median(costs), "cpu-ratio") // which other processes disturb less
	b.ReportMetric(median(rates), "pages/s")
	b.ReportMetric(float64(sent), "bytes")
	b.ReportMetric(0, "ns/op")
}

func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }

// fixedPage answers with so many bytes in all.
func fixedPage(b *testing.B, sent int) http.Handler {
	serve := func(length int) http.Handler {
		body := bytes.Repeat([]byte("x"), length)
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=UTF-8")
			w.Header().Set("Content-Length", strconv.Itoa(length))
			_, _ = w.Write(body) // a client that leaves is the benchmark's end
		})
	}
	around := askedOnce(b, benchServe(b, serve(100)), "").bytes - 100
	return serve(max(sent-around, 1))
}

type asked struct {
	tag   string
	bytes int
}

func askedOnce(b *testing.B, address, headers string) asked {
	b.Helper()
	client := newPageClient(b.Context(), address, headers)
	defer client.close()
	n, err := client.ask()
	ok(b, err)
	_, tag, _ := strings.Cut(string(client.head), "Etag: ")
	tag, _, _ = strings.Cut(tag, "\r\n")
	return asked{tag, n}
}

// pageRate is how many pages a second some clients get that ask one after another, and how
// much processor time each takes, that of the client included.
func pageRate(b *testing.B, address, headers string) (rate, cost float64) {
	b.Helper()
	var pages atomic.Int64
	ctx, cancel := context.WithTimeout(b.Context(), ratioRound)
	defer cancel()
	var group sync.WaitGroup
	begin, spent := time.Now(), processorTime(b)
	for range ratioClients {
		group.Go(func() {
			client := newPageClient(b.Context(), address, headers)
			defer client.close()
			for ctx.Err() == nil {
				if _, err := client.ask(); err != nil {
					b.Error(err)
					return
				}
				pages.Add(1)
			}
		})
	}
	group.Wait()
	n := float64(pages.Load())
	return n / time.Since(begin).Seconds(), float64(processorTime(b)-spent) / n
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	ok(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// A pageClient asks for one page again and again over one connection. It does as little as
// can be, so that the servers are what is measured.
type pageClient struct {
	conn    net.Conn
	reader  *bufio.Reader
	request []byte
	head    []byte
	err     error
}

func newPageClient(ctx context.Context, address, headers string) *pageClient {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	c := &pageClient{conn: conn, err: err, request: []byte("GET /channels/Engines HTTP/1.1\r\nHost: " + address + "\r\n" + headers + "\r\n")}
	if err == nil {
		c.reader = bufio.NewReaderSize(conn, 64<<10)
	}
	return c
}

func (c *pageClient) close() {
	if c.conn != nil {
		_ = c.conn.Close()
	}
}

// ask sends the request and reads the response. It returns how many bytes that has.
func (c *pageClient) ask() (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if _, err := c.conn.Write(c.request); err != nil {
		return 0, err
	}
	c.head = c.head[:0]
	length := 0
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		c.head = append(c.head, line...)
		if value, is := bytes.CutPrefix(line, []byte("Content-Length: ")); is {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		}
		if len(line) == 2 {
			break
		}
	}
	if !bytes.HasPrefix(c.head, []byte("HTTP/1.1 200 ")) && !bytes.HasPrefix(c.head, []byte("HTTP/1.1 304 ")) {
		return 0, fmt.Errorf("answer %s", c.head)
	}
	n, err := c.reader.Discard(length)
	return len(c.head) + n, err
}

// BenchmarkFind searches 1,000 posts of 400 characters for what is in none of them.
func BenchmarkFind(b *testing.B) {
	handler, err := web.New(crowdedStore(b, 1000).Store, web.Options{Hosts: []string{"example.com"}})
	ok(b, err)
	spent := processorTime(b)
	for i := 0; b.Loop(); i++ {
		r := httptest.NewRequestWithContext(b.Context(), "GET", fmt.Sprint("/api/v1/channels/Engines/blogs?find=lease", i), nil)
		w := &sink{header: http.Header{}}
		if handler.ServeHTTP(w, r); w.status != http.StatusOK || w.size > 100 {
			b.Fatalf("status %d, %d bytes", w.status, w.size)
		}
	}
	b.ReportMetric(float64(processorTime(b)-spent)/1e6/float64(b.N), "cpu-ms/op")
}
