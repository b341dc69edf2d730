package main

import (
	"net/http"
	"testing"
)

func TestUser(t *testing.T) {
	t.Run("an answer with a status that is not allowed is a violation", userAccusesStatus)
}

func userAccusesStatus(t *testing.T) {
	for status, want := range map[int]int{
		http.StatusInternalServerError: 1, http.StatusUnauthorized: 1,
		http.StatusServiceUnavailable: 0, http.StatusNotFound: 0,
	} {
		s := &site{ledger: newLedger("test")}
		u := newUser(s, 0, 1, 1)
		u.http = &http.Client{Transport: always(status)}
		s.roles = []*role{{command: "serve", process: &process{url: "http://test"}}}
		u.look(t.Context(), "news")
		if found := s.ledger.found(); len(found) != want {
			t.Errorf("%d: found %q, want %d", status, found, want)
		}
	}
}

// always answers with one status.
type always int

func (a always) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(a), Body: http.NoBody}, nil
}
