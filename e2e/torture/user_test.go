package main

import (
	"net/http"
	"testing"
	"testing/synctest"
)

func TestUser(t *testing.T) {
	t.Run("an answer with a status that is not allowed is a violation", userAccusesStatus)
	t.Run("an account that stays hidden after an undo is a violation", userAccusesHidden)
	t.Run("no answer is a violation only if no try was answered", userAccusesSilence)
}

func userAccusesStatus(t *testing.T) {
	for status, want := range map[int]int{
		http.StatusInternalServerError: 1, http.StatusUnauthorized: 1,
		http.StatusServiceUnavailable: 0, http.StatusNotFound: 0,
	} {
		s := &site{history: newHistory("test")}
		u := newUser(s, 0, 1, 1)
		u.http = &http.Client{Transport: always(status)}
		s.roles = []*role{{command: "serve", process: &process{url: "http://test"}}}
		u.look(t.Context(), "news")
		if found := s.history.found(); len(found) != want {
			t.Errorf("%d: found %q, want %d", status, found, want)
		}
	}
}

func userAccusesHidden(t *testing.T) {
	for status, want := range map[int]string{http.StatusGone: "I3: bob undid", http.StatusOK: ""} {
		synctest.Test(t, func(t *testing.T) {
			b, u, _ := staged(nil)
			u.http, u.name = &http.Client{Transport: always(status)}, "bob"
			leaver{user: u}.mustReturn(t.Context())
			b.mustFind(t, want)
		})
	}
}

// always answers with one status.
type always int

func (a always) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(a), Body: http.NoBody}, nil
}

func userAccusesSilence(t *testing.T) {
	for failures, want := range map[int]int{0: 0, 1: 0, finalTries: 0, finalTries + 1: 1} {
		synctest.Test(t, func(t *testing.T) {
			s := &site{history: newHistory("test")}
			s.roles = []*role{{command: "serve", process: &process{url: "http://test"}}}
			u := newUser(s, 0, 1, 1)
			u.http, u.tries = &http.Client{Transport: &recovering{failures}}, finalTries
			u.look(t.Context(), "news")
			if found := s.history.found(); len(found) != want {
				t.Errorf("%d failures: found %q, want %d", failures, found, want)
			}
		})
	}
}

// recovering answers with 503 as often as it says, and then with 404.
type recovering struct{ failures int }

func (r *recovering) RoundTrip(*http.Request) (*http.Response, error) {
	status := http.StatusNotFound
	if r.failures > 0 {
		r.failures--
		status = http.StatusServiceUnavailable
	}
	return &http.Response{StatusCode: status, Body: http.NoBody}, nil
}
