package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestSignUpFlood(t *testing.T) {
	t.Run("does not keep anybody from signing in", floodKeepsNobodyFromSigningIn)
}

// flood is how many connections sign up at once, each from another address.
const flood = 400

// A signUpFlood sends sign-ups to a real server and counts the answers.
type signUpFlood struct {
	*testing.T
	client        *http.Client
	url           string
	made, refused atomic.Int64
	all           sync.WaitGroup
}

// reached returns a hook that closes done once the store was asked for n names.
func reached(n int64, done chan<- struct{}) drivertest.Hook {
	var asked atomic.Int64
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Users" && call.Method == "Get" && asked.Add(1) == n {
			close(done)
		}
		return send(ctx)
	}
}

// send sends a name and a password as a client behind a proxy.
func (f *signUpFlood) send(path, address, name string) (status int, retryAfter, body string) {
	f.Helper()
	mediaType, sent := "application/json", fmt.Sprintf(`{"name":%q,"password":%q}`, name, password)
	if !strings.HasPrefix(path, "/api/") {
		mediaType, sent = "application/x-www-form-urlencoded", url.Values{"name": {name}, "password": {password}}.Encode()
	}
	r, err := http.NewRequestWithContext(f.Context(), "POST", f.url+path, strings.NewReader(sent))
	if err != nil {
		f.Error(err)
		return 0, "", ""
	}
	r.Header.Set("Content-Type", mediaType)
	r.Header.Set("X-Forwarded-For", address)
	a, err := f.client.Transport.RoundTrip(r) // it follows no redirect
	if err != nil {
		f.Error(err)
		return 0, "", ""
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		f.Error(err)
	}
	return a.StatusCode, a.Header.Get("Retry-After"), string(text)
}

// signUp signs up through the API or with the form.
func (f *signUpFlood) signUp(i int) {
	path, success, words := "/api/v1/users", 201, "urn:microblogging:busy"
	if i%2 == 1 {
		path, success, words = "/sign-up", 303, "Too busy"
	}
	status, retryAfter, body := f.send(path, fmt.Sprintf("198.51.%d.%d", i/250, i%250), fmt.Sprintf("flood%d", i))
	switch wait, err := strconv.Atoi(retryAfter); {
	case status == success:
		f.made.Add(1)
	case status == 503 && err == nil && wait > 0 && strings.Contains(body, words) && strings.Contains(body, "Nothing was saved."):
		f.refused.Add(1)
	default:
		f.Errorf("a sign-up at %s is answered %d, Retry-After %q\n%s", path, status, retryAfter, body)
	}
}

// start sends the flood and returns once all of it has reached the store.
func (f *signUpFlood) start(s *site) {
	waits := make(chan struct{})
	s.breakStore(reached(flood, waits))
	for i := range flood {
		f.all.Go(func() { f.signUp(i) })
	}
	<-waits
}

// While the flood waits for its turn, a sign-in takes its own.
func floodKeepsNobodyFromSigningIn(t *testing.T) {
	s := newSiteWith(t, web.Options{TrustProxy: true})
	s.signUp("ada")
	server := httptest.NewServer(s.handler)
	defer server.Close()
	f := &signUpFlood{T: t, client: server.Client(), url: server.URL}
	f.start(s)
	before, began := f.made.Load(), time.Now()
	status, _, _ := f.send("/api/v1/sessions", "192.0.2.1", "ada")
	took, overtaken := time.Since(began), f.made.Load()-before
	f.all.Wait()
	t.Logf("the sign-in took %s and saw %d accounts made; of %d sign-ups, %d made an account and %d were refused",
		took, overtaken, flood, f.made.Load(), f.refused.Load())
	// A loaded machine gives the time of hashing. The order is the server's.
	if status != 201 || overtaken > flood/8 || took > 8*time.Second {
		t.Errorf("a sign-in is answered %d after %s and %d sign-ups", status, took, overtaken)
	}
}
