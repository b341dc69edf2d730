package main

import (
	"net"
	"net/http"
	"testing"
	"testing/synctest"
)

// A stranger's site refuses after some guesses, or never.
type wary struct {
	limit int
	// by counts the guesses of each client; a client is what key says.
	by  map[string]int
	key func(forwarded string) string
}

func (w *wary) RoundTrip(r *http.Request) (*http.Response, error) {
	client := w.key(r.Header.Get("X-Forwarded-For"))
	w.by[client]++
	status := http.StatusUnauthorized
	if w.by[client] > w.limit {
		status = http.StatusTooManyRequests
	}
	return &http.Response{StatusCode: status, Body: http.NoBody}, nil
}

func hostOf(forwarded string) string {
	if host, _, err := net.SplitHostPort(forwarded); err == nil {
		return host
	}
	return forwarded
}

func TestProwler(t *testing.T) {
	whole := func(forwarded string) string { return forwarded }
	for name, c := range map[string]struct {
		key   func(string) string
		limit int
		ports bool
		want  bool
	}{
		"is refused by a site that counts addresses":                     {hostOf, 50, true, true},
		"is refused by a site that counts ports, if no gateway adds one": {whole, 50, false, true},
		"is never refused by a site that counts ports":                   {whole, 50, true, false},
		"is refused too late by a site with another limit":               {hostOf, guesses + 1, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &site{ledger: newLedger("test"), ports: c.ports}
				s.roles = []*role{{command: "serve", process: &process{url: "http://test"}}}
				u := newUser(s, 0, 0, 0)
				u.http.Transport.(*gateway).next = &wary{limit: c.limit, by: map[string]int{}, key: c.key}
				if refused := u.guess(t.Context(), t.Context()); refused != c.want {
					t.Errorf("refused: %t", refused)
				}
				if n := s.throttled.Load(); n > 0 != c.want {
					t.Errorf("counted %d", n)
				}
			})
		})
	}
}
