package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestProblem(t *testing.T) {
	t.Run("of reading does not speak of saving", readingIsNoSaving)
	t.Run("a fault is logged once and not shown", faultIsLoggedOnceAndNotShown)
	t.Run("a request is logged without its query", requestIsLoggedWithoutItsQuery)
	t.Run("a client that left is no error", clientThatLeftIsNoError)
	t.Run("a request ends after ten seconds", requestEndsAfterTenSeconds)
	t.Run("a refusal for want of room is no fault", refusalForWantOfRoomIsNoFault)
	t.Run("of a wrong configuration does not say that it passes", wrongConfigurationLasts)
	t.Run("a wrong method is told the right ones", wrongMethodIsToldTheRightOnes)
	t.Run("a file that is not there has the page of all that is not there", missingFileHasAPage)
}

func readingIsNoSaving(t *testing.T) {
	s := newSite(t)
	if a := s.do("GET", "/api/v1/channels?limit=1000").want(422); a.text("detail") != "The URL is not valid: see errors." {
		t.Errorf("a wrong address is answered %q", a.text("detail"))
	}
	if a := s.do("POST", "/api/v1/users", fields("name", "A", "password", "x")).want(422); a.text("detail") != "Nothing was saved." {
		t.Errorf("a wrong body is answered %q", a.text("detail"))
	}
}

func faultIsLoggedOnceAndNotShown(t *testing.T) {
	for name, fault := range map[string]drivertest.Hook{
		"error": everyCall(errors.New("SECRET-ACCOUNT-KEY")),
		"panic": func(context.Context, drivertest.Call, drivertest.Send) error { panic("SECRET-ACCOUNT-KEY") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.breakStore(fault)
			for _, path := range []string{"/api/v1/channels", "/channels"} {
				before := len(s.log.String())
				a := s.do("GET", path).want(500)
				a.lacks("SECRET", ".go")
				id := a.header.Get("X-Request-Id")
				a.has(id)
				logged := s.log.String()[before:]
				if strings.Count(logged, "SECRET") != 1 || strings.Count(logged, id) != 2 {
					t.Errorf("%s logged %s", path, logged)
				}
			}
		})
	}
}

func requestIsLoggedWithoutItsQuery(t *testing.T) {
	s := newSite(t)
	a := s.do("GET", "/api/v1/channels?after=secret").want(422)
	line := s.log.String()
	for _, want := range []string{"method=GET", "path=/api/v1/channels", "status=422", "duration=", "request_id=" + a.header.Get("X-Request-Id")} {
		if !strings.Contains(line, want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
	if strings.Contains(line, "secret") || strings.Contains(line, "level=ERROR") {
		t.Errorf("logged %s", line)
	}
}

func clientThatLeftIsNoError(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	s.channel("Engines", "ada")
	for path, method := range map[string]string{"/api/v1/channels": "GET", enginesBatch: "POST"} {
		ctx, leave := context.WithCancel(t.Context())
		s.breakStore(drivertest.Only(func(c drivertest.Call) bool {
			return c.Method == "Transact" || c.Target == "Channels" && method == "GET"
		},
			func(ctx context.Context, _ drivertest.Call, _ drivertest.Send) error { leave(); return ctx.Err() }))
		r, w := httptest.NewRequestWithContext(ctx, method, path, nil), httptest.NewRecorder()
		if method == "POST" {
			both(bearer(token), batch(entries(3)...))(r)
		}
		before := len(s.log.String())
		s.handler.ServeHTTP(w, r)
		if log := s.log.String()[before:]; strings.Contains(log, "level=ERROR") || !strings.Contains(log, "status=499") {
			t.Errorf("%s logged %s", path, log)
		}
		if w.Code != 499 || w.Body.Len() > 0 {
			t.Errorf("%s is answered %d with %q", path, w.Code, w.Body)
		}
	}
}

func requestEndsAfterTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.breakStore(hanging)
		for _, path := range []string{"/api/v1/channels", "/channels"} {
			start := time.Now()
			a := s.do("GET", path).want(503)
			if took := time.Since(start); took != 10*time.Second || a.header.Get("Retry-After") == "" {
				t.Errorf("%s is answered after %s with %v", path, took, a.header)
			}
		}
	})
}

func refusalForWantOfRoomIsNoFault(t *testing.T) {
	s := newSite(t)
	s.breakStore(everyCall(fmt.Errorf("waiting for a turn: %w", domain.ErrBusy)))
	s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", password)).want(503)
	s.browser().open("/channels").want(503).says("Yours changed nothing. Try again in a few seconds.").saysNot("saved")
	if log := s.log.String(); strings.Count(log, "level=WARN") != 2 || strings.Contains(log, "level=ERROR") {
		t.Errorf("it is logged as a fault:\n%s", log)
	}
}

func wrongConfigurationLasts(t *testing.T) {
	for _, meaning := range []error{domain.ErrConfiguration, domain.ErrMissing} {
		s := newSite(t)
		b := s.signedIn("ada")
		form := b.open("/channels/new").form("Create channel").fill("name", "Engines")
		s.breakStore(everyCall(fmt.Errorf("SECRET-ACCOUNT: %w", meaning)))
		for _, p := range []page{b.open("/channels"), form.press()} {
			p.want(503).says("The operator of this site has to correct").saysNot("within a minute", "does not answer", "SECRET")
			p.headed("Retry-After", "60")
		}
		for _, method := range []string{"GET", "POST"} {
			a := s.do(method, "/api/v1/channels", fields("name", "Engines"), cookie(b.jar["session"])).want(503)
			a.holds("type", "urn:microblogging:misconfigured").lacks("Try again")
		}
		if s.do("GET", "/readyz").want(503); !strings.Contains(s.log.String(), "level=ERROR") {
			t.Errorf("it is no error in the log: %s", s.log)
		}
	}
}

func wrongMethodIsToldTheRightOnes(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]string{
		"/api/v1/channels":         "GET HEAD OPTIONS POST",
		"/api/v1/channels/Engines": "DELETE GET HEAD OPTIONS PATCH",
		"/api/v1/sessions/current": "DELETE OPTIONS",
		"/api/openapi.json":        "GET HEAD OPTIONS",
		"/":                        "GET HEAD OPTIONS",
		"/channels/new":            "GET HEAD OPTIONS POST",
	} {
		a := s.do("PROPFIND", path).want(405)
		allowed := strings.Split(a.header.Get("Allow"), ", ")
		for _, method := range strings.Fields(want) {
			if !strings.Contains(a.header.Get("Allow"), method) {
				t.Errorf("%s: Allow %q, want %s", path, a.header.Get("Allow"), want)
			}
		}
		if len(allowed) != len(strings.Fields(want)) || len(a.body) == 0 {
			t.Errorf("%s: Allow %q, want %s; %s", path, allowed, want, a.body)
		}
	}
	for _, path := range []string{"/api/v1", "/api/v1/", "/api/v1/channels/", "/api/v1/channels/a/b", "/api/v2/channels", "/nothing", "//evil.example/x"} {
		s.do("GET", path).want(404)
	}
}

func missingFileHasAPage(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/static/", "/static/nothing", "/static/nothing.0123456789ab.css", "/static/app.js/more"} {
		s.browser().open(path).want(404).says("This page does not exist", "All channels")
	}
	s.do("GET", "/static/app.000000000000.css").want(200)
}
