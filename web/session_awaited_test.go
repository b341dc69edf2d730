package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestAwaitedVisitor(t *testing.T) {
	t.Run("a session that has ended shows nothing personal, however late it is read", endedSessionShowsNothingPersonal)
	t.Run("a page for users refuses an ended session before it says what else is wrong", endedSessionIsRefusedFirst)
	t.Run("a session that cannot be read fails the page", unreadableSessionFailsThePage)
	t.Run("a session that is read for a page that is not there ends with the request", sessionEndsWithItsRequest)
}

// lateOf delays the calls of one table.
func lateOf(table string, delay time.Duration) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == table {
			time.Sleep(delay)
		}
		return send(ctx)
	}
}

// pagesBeside are pages that are read beside the session, and whether they are for users.
func pagesBeside(channel domain.Channel) map[string]bool {
	path := "/channels/" + string(channel.Name)
	return map[string]bool{
		"/": false, "/channels": false, path + "/feed": false,
		path + "/edit": true, path + "/delete": true,
	}
}

func endedSessionShowsNothingPersonal(t *testing.T) {
	for _, late := range []string{"", "Sessions", "Channels"} {
		synctest.Test(t, func(t *testing.T) {
			s, token, channel := engines(t, "ada")
			for path, forUsers := range pagesBeside(channel) {
				signedIn := s.do("GET", path, cookie(token)).want(200)
				if !strings.Contains(string(signedIn.body), "@ada") && !strings.Contains(string(signedIn.body), ">ada<") {
					t.Fatalf("%s does not greet ada:\n%s", path, signedIn.body)
				}
				ended := s.session("ada")
				s.do("GET", path, cookie(ended)).want(200)
				ok(t, s.store.SignOut(t.Context(), ended))
				s.breakStore(lateOf(late, time.Second))
				status := 200
				if forUsers {
					status = http.StatusUnauthorized
				}
				got, want := s.do("GET", path, cookie(ended)).want(status), s.do("GET", path).want(status)
				s.mendStore()
				if string(got.body) != string(want.body) && !forUsers {
					t.Errorf("%s, %s late: an ended session gets another page than a stranger", path, late)
				}
				if forUsers && strings.Contains(string(got.body), "Engines is") {
					t.Errorf("%s, %s late: %s", path, late, got.body)
				}
			}
		})
	}
}

func endedSessionIsRefusedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		ended := s.signUp("ada")
		ok(t, s.store.SignOut(t.Context(), ended))
		for _, late := range []string{"", "Sessions", "Channels"} {
			s.breakStore(lateOf(late, time.Second))
			for _, path := range []string{"/channels/Nothing/edit", "/channels/Nothing/delete"} {
				s.do("GET", path, cookie(ended)).want(http.StatusUnauthorized)
			}
			s.do("GET", "/channels/Nothing/feed", cookie(ended)).want(http.StatusNotFound)
			s.do("GET", "/channels/Nothing/feed", header("Authorization", "Bearer "+ended)).want(http.StatusUnauthorized)
		}
	})
}

func unreadableSessionFailsThePage(t *testing.T) {
	for status, fails := range map[int]func() error{
		http.StatusServiceUnavailable:  func() error { time.Sleep(time.Second); return domain.ErrUnavailable },
		http.StatusInternalServerError: func() error { panic("thrown on purpose") },
	} {
		synctest.Test(t, func(t *testing.T) {
			s, token, channel := engines(t, "ada")
			s.breakStore(drivertest.Only(func(c drivertest.Call) bool { return c.Target == "Sessions" },
				func(context.Context, drivertest.Call, drivertest.Send) error { return fails() }))
			for path := range pagesBeside(channel) {
				s.do("GET", path, cookie(token)).want(status)
			}
		})
	}
}

// A read that outlasted its request would end after the bubble's other goroutines, and
// synctest would say so.
func sessionEndsWithItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		token := s.signUp("ada")
		s.breakStore(lateOf("Sessions", time.Second))
		began := time.Now()
		s.do("GET", "/channels/Nothing/feed", cookie(token)).want(http.StatusNotFound)
		if took := time.Since(began); took != time.Second {
			t.Errorf("the answer took %s: the page of a problem greets its reader", took)
		}
	})
}
