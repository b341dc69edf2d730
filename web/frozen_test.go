package web_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestFrozen(t *testing.T) {
	t.Run("a write is answered by 503 and when to come back", frozenRefusesWrites)
	t.Run("everything can be read, also what a reader would repair", frozenIsReadable)
}

// freeze makes the store take no writes, as a guard does while the store is copied.
func (s *site) freeze() {
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Transact" || call.Method == "Send" {
			return domain.ErrFrozen
		}
		return send(ctx)
	})
}

// wantFrozen fails unless a write was refused because the site is being moved.
func (a answer) wantFrozen() {
	a.t.Helper()
	a.want(503)
	if a.header.Get("Retry-After") != "60" || !strings.Contains(string(a.body), "The site is being moved") && !strings.Contains(string(a.body), "urn:microblogging:frozen") {
		a.t.Errorf("the answer is %v %s", a.header, a.body)
	}
}

func frozenRefusesWrites(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	blog := s.post(channel, "ada", "Hello")
	s.subscribe("ada", channel)
	s.vote(blog, 0)
	s.freeze()
	for _, route := range s.writingRoutes(true, blog) {
		method, path, _ := strings.Cut(route, " ")
		if method == "DELETE" && strings.HasSuffix(path, "/vote") || method == "PUT" && strings.Contains(path, "/subscriptions/") {
			continue // there is no vote to take back, and a subscription already: that writes nothing
		}
		body := fields("text", "x")
		switch {
		case strings.HasSuffix(path, ":batch"):
			continue // its entries have the problems
		case path == "/api/v1/channels":
			body = fields("name", "Wheels")
		case method == "PATCH":
			body = fields("description", "x")
		}
		a := s.do(method, path, bearer(token), header("If-Match", "*"), body)
		if a.status != 503 {
			t.Errorf("%s: %d %s", route, a.status, a.body)
			continue
		}
		a.wantFrozen()
	}
	s.do("POST", "/api/v1/users", fields("name", "bob", "password", password)).wantFrozen()
	s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", password)).wantFrozen()
	s.do("DELETE", "/api/v1/sessions", bearer(token)).wantFrozen()
	for path, form := range map[string]url.Values{
		"/channels/Engines":        {"text": {"typed at length"}, "incarnation": {string(channel.Incarnation)}},
		"/channels/new":            {"name": {"Wheels"}},
		"/channels/Engines/delete": {"incarnation": {string(channel.Incarnation)}},
		"/sign-out":                {},
	} {
		a := s.do("POST", path, cookie(token), posted(form))
		a.wantFrozen()
		if typed := form.Get("text"); typed != "" && !strings.Contains(string(a.body), typed) {
			t.Errorf("what was typed is gone: %s", a.body)
		}
	}
	s.do("POST", "/sign-in", posted(url.Values{"name": {"ada"}, "password": {password}})).wantFrozen()
	s.mendStore()
	if posts := s.listed("/api/v1/channels/Engines/blogs", "id"); len(posts) != 1 {
		t.Errorf("there are the posts %q", posts)
	}
}

func frozenIsReadable(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	everybody, ada := s.readable()
	gone := s.channel("Gone", "ada")
	s.subscribe("ada", gone)
	die := 0
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Subscriptions" && call.Write {
			if die++; die > 1 {
				return drivertest.ErrInjected
			}
		}
		return send(ctx)
	})
	_ = s.store.Unsubscribe(t.Context(), gone.Ref(), "ada") // dies half way
	s.freeze()
	for _, path := range everybody {
		s.do("GET", path).want(200)
	}
	for _, path := range ada {
		s.do("GET", path, cookie(token)).want(200)
	}
	s.mendStore()
	list, err := s.store.SubscriptionPage(t.Context(), "ada", "", 10)
	if err != nil || len(list.Items) != 1 {
		t.Errorf("the subscriptions are %v, error %v", list, err)
	}
}
