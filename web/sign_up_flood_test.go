package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/web"
)

func TestSignUpFlood(t *testing.T) {
	t.Run("does not keep anybody from signing in", floodKeepsNobodyFromSigningIn)
	t.Run("of requests that never end keeps nobody from signing up", endlessSignUpsKeepNobody)
}

const (
	// flood is how many connections sign up at once, again and again, each from another
	// address. Client and server are one process here, which needs 2,500 files.
	flood = 1200
	// signIns is how often somebody signs in at least, one after another.
	signIns = 7
)

// A signUpFlood sends sign-ups to a real server and counts the answers.
type signUpFlood struct {
	*testing.T
	client *http.Client
	url    string
	// over ends the flood.
	over                   context.Context
	reached, made, refused atomic.Int64
	all                    sync.WaitGroup
}

// send sends a name and a password as a client behind a proxy. Its status is 0 if ctx ended
// first.
func (f *signUpFlood) send(ctx context.Context, path, address, name string) (status int, retryAfter, body string) {
	f.Helper()
	mediaType, sent := "application/json", fmt.Sprintf(`{"name":%q,"password":%q}`, name, password)
	if !strings.HasPrefix(path, "/api/") {
		mediaType, sent = "application/x-www-form-urlencoded", url.Values{"name": {name}, "password": {password}}.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, "POST", f.url+path, strings.NewReader(sent))
	if err != nil {
		f.Error(err)
		return 0, "", ""
	}
	r.Header.Set("Content-Type", mediaType)
	r.Header.Set("X-Forwarded-For", address)
	a, err := f.client.Transport.RoundTrip(r) // it follows no redirect
	var text []byte
	if err == nil {
		text, err = io.ReadAll(a.Body)
		_ = a.Body.Close()
	}
	switch {
	case err == nil:
		return a.StatusCode, a.Header.Get("Retry-After"), string(text)
	case ctx.Err() == nil:
		f.Error(err)
	}
	return 0, "", ""
}

// signUp signs up through the API or with the form.
func (f *signUpFlood) signUp(connection, round int) {
	path, success, words := "/api/v1/users", 201, "urn:microblogging:busy"
	if connection%2 == 1 {
		path, success, words = "/sign-up", 303, "Too busy"
	}
	address, name := fmt.Sprintf("198.51.%d.%d", connection/250, connection%250), fmt.Sprintf("flood%dx%d", connection, round)
	status, retryAfter, body := f.send(f.over, path, address, name)
	switch wait, err := strconv.Atoi(retryAfter); {
	case f.over.Err() != nil:
	case status == success:
		f.made.Add(1)
	case status == 503 && err == nil && wait > 0 && strings.Contains(body, words) == strings.Contains(body, "Nothing was saved."):
		f.refused.Add(1) // on a slow machine, because its time was over
	default:
		f.Errorf("a sign-up at %s is answered %d, Retry-After %q\n%s", path, status, retryAfter, body)
	}
}

// start opens all connections and returns once the server has as many sign-ups. They go on
// until the flood is over.
func (f *signUpFlood) start() {
	for i := range flood {
		f.all.Go(func() {
			for round := 0; f.over.Err() == nil && !f.Failed(); round++ {
				f.signUp(i, round)
			}
		})
	}
	for f.reached.Load() < flood && !f.Failed() {
		runtime.Gosched()
	}
}

// counting counts the requests that reach the server.
func (f *signUpFlood) counting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.reached.Add(1)
		next.ServeHTTP(w, r)
	})
}

// median signs in until so many sign-ups were refused, and returns how long it took.
func (f *signUpFlood) median(refused int64) time.Duration {
	f.Helper()
	var took []time.Duration
	for len(took) < signIns || f.refused.Load() < refused && !f.Failed() {
		began := time.Now()
		if status, _, body := f.send(f.Context(), "/api/v1/sessions", "192.0.2.1", "ada"); status != 201 {
			f.Errorf("a sign-in is answered %d\n%s", status, body)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	f.Logf("%d sign-ins took %s to %s", len(took), took[0], took[len(took)-1])
	return took[len(took)/2]
}

// A sign-in takes 1 s at most while 1,200 connections sign up. It waits for three things: a
// slot to hash the password, which sign-ups cannot take, and the processor and the store,
// which a sign-up hardly uses while it waits or is refused. Where the machine does
// something else as well, and twenty sign-ins without a flood take longer than a second,
// the bound is what those take. The median is held to it, because one sign-in of many may
// come at a bad time.
func floodKeepsNobodyFromSigningIn(t *testing.T) {
	s := newSiteWith(t, web.Options{TrustProxy: true, SignUps: 100})
	s.signUp("ada")
	over, end := context.WithCancel(t.Context())
	f := &signUpFlood{T: t, over: over}
	server := httptest.NewServer(f.counting(s.handler))
	defer server.Close()
	f.client, f.url = server.Client(), server.URL
	transport := f.client.Transport.(*http.Transport)
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, flood+1
	quiet := f.median(0)
	f.start()
	flooded := f.median(flood) // so that each connection was refused once
	end()
	f.all.Wait()
	t.Logf("a sign-in takes %s, and %s in the flood; of the sign-ups, %d made an account and %d were refused",
		quiet, flooded, f.made.Load(), f.refused.Load())
	if bound := max(time.Second, 20*quiet); flooded > bound {
		t.Errorf("a sign-in takes %s, want at most %s", flooded, bound)
	}
}

// More sign-ups than are admitted at once send a part of their bodies, and nothing more.
func endlessSignUpsKeepNobody(t *testing.T) {
	s := newSite(t)
	f := &signUpFlood{T: t}
	server := httptest.NewServer(f.counting(s.handler))
	defer server.Close()
	client := server.Client()
	client.Timeout = 30 * time.Second
	body := url.Values{"name": {"ada"}, "password": {password}}.Encode()
	for path, mediaType := range map[string]string{"/sign-up": "application/x-www-form-urlencoded", "/api/v1/users": "application/json"} {
		for range 20 {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: example.com\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\n{", path, mediaType); err != nil {
				t.Fatal(err)
			}
		}
	}
	for f.reached.Load() < 2*20 {
		runtime.Gosched()
	}
	r, err := client.Post(server.URL+"/sign-up", "application/x-www-form-urlencoded", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	if account, err := s.store.User(t.Context(), "ada"); err != nil {
		t.Errorf("the sign-up is answered %s, and made %+v, %v", r.Status, account, err)
	}
}
