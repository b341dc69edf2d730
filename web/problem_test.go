package web_test

import (
	"fmt"
	"strings"
	"testing"

	"microblogging/domain"
)

func TestProblem(t *testing.T) {
	t.Run("of reading does not speak of saving", readingIsNoSaving)
	t.Run("every route of the API answers 503 if the store does not answer", everyRouteOfTheAPIAnswers503IfTheStoreDoesNotAnswer)
}

func readingIsNoSaving(t *testing.T) {
	s := newSite(t)
	if a := s.do("GET", "/api/v1/channels?limit=1000").want(422); a.text("detail") != "The address does not work: see errors." {
		t.Errorf("a wrong address is answered %q", a.text("detail"))
	}
	if a := s.do("POST", "/api/v1/users", fields("name", "A", "password", "x")).want(422); a.text("detail") != "Nothing was saved." {
		t.Errorf("a wrong body is answered %q", a.text("detail"))
	}
}

func everyRouteOfTheAPIAnswers503IfTheStoreDoesNotAnswer(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	blog := blogPath(channel, s.post(channel, "ada", "Hello").ID)
	s.breakStore(everyCall(fmt.Errorf("%w: dial tcp 10.0.0.1: connection refused", domain.ErrUnavailable)))
	for _, call := range []struct {
		method, path string
		body         change
	}{
		{"POST", "/api/v1/users", fields("name", "bob", "password", password)},
		{"PUT", "/api/v1/users/me/password", fields("old", password, "new", password)},
		{"POST", "/api/v1/sessions", fields("name", "ada", "password", password)},
		{"DELETE", "/api/v1/sessions", raw("")},
		{"DELETE", "/api/v1/sessions/current", raw("")},
		{"GET", "/api/v1/channels", raw("")},
		{"POST", "/api/v1/channels", fields("name", "Wheels")},
		{"GET", "/api/v1/channels/Engines", raw("")},
		{"PATCH", "/api/v1/channels/Engines", fields("description", "x")},
		{"DELETE", "/api/v1/channels/Engines", raw("")},
		{"GET", "/api/v1/channels/Engines/deletions/" + string(channel.Incarnation), raw("")},
		{"GET", "/api/v1/channels/Engines/blogs", raw("")},
		{"POST", "/api/v1/channels/Engines/blogs", fields("text", "x")},
		{"POST", "/api/v1/channels/Engines/blogs:batch", batch(entries(1)...)},
		{"GET", blog, raw("")},
		{"PUT", blog, fields("text", "x")},
		{"DELETE", blog, raw("")},
	} {
		a := s.do(call.method, call.path, bearer(token), header("If-Match", "*"), call.body).want(503)
		if saves := strings.Contains(a.text("detail"), "saved"); saves == (call.method == "GET") {
			t.Errorf("%s %s says %q", call.method, call.path, a.text("detail"))
		}
		if strings.Contains(string(a.body), "10.0.0.1") || a.header.Get("Retry-After") == "" {
			t.Errorf("%s %s: %v %s", call.method, call.path, a.header, a.body)
		}
	}
	s.mendStore()
	s.do("GET", blog).want(200)
}
