package web_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestHealth(t *testing.T) {
	t.Run("a process is ready while its store answers within two seconds", processIsReadyWhileItsStoreAnswersWithinTwoSeconds)
	t.Run("a process is healthy, and ready, while its store can be used", processIsHealthyWhileItsStoreCanBeUsed)
	t.Run("a process that was told to stop is not ready, and answers", drainingProcessIsNotReady)
}

func processIsHealthyWhileItsStoreCanBeUsed(t *testing.T) {
	var failure atomic.Pointer[error]
	s := newSiteWith(t, web.Options{Version: "test", Alive: func() error {
		if err := failure.Load(); err != nil {
			return *err
		}
		return nil
	}})
	s.do("GET", "/healthz").want(200)
	s.do("GET", "/readyz").want(200)
	broken := errors.New("SECRET-PATH: input/output error")
	failure.Store(&broken)
	a := s.do("GET", "/healthz").want(503)
	if strings.Contains(string(a.body), "SECRET") || !strings.Contains(s.log.String(), "SECRET-PATH") {
		t.Errorf("the cause belongs into the log alone: %s, logged %s", a.body, s.log)
	}
	if a := s.do("GET", "/readyz").want(503); strings.Contains(string(a.body), "SECRET") {
		t.Errorf("body %s", a.body)
	}
	failure.Store(nil)
	s.do("GET", "/healthz").want(200)
	s.do("GET", "/readyz").want(200)
}

func drainingProcessIsNotReady(t *testing.T) {
	draining := make(chan struct{})
	s := newSiteWith(t, web.Options{Version: "test", Draining: draining})
	s.do("GET", "/readyz").want(200)
	if s.do("GET", "/channels").want(200).header.Get("Connection") != "" {
		t.Error("connections are closed before")
	}
	close(draining)
	s.do("GET", "/readyz").want(503)
	s.do("GET", "/healthz").want(200)
	for _, path := range []string{"/channels", "/api/v1/channels", "/nowhere"} {
		s.do("GET", path).headed("Connection", "close")
	}
}

func processIsReadyWhileItsStoreAnswersWithinTwoSeconds(t *testing.T) {
	s := newSite(t)
	s.do("GET", "/readyz").want(200)
	s.breakStore(everyCall(errors.New("SECRET-ACCOUNT-KEY")))
	if a := s.do("GET", "/readyz").want(503); strings.Contains(string(a.body), "SECRET") {
		t.Errorf("body %s", a.body)
	}
	s.do("GET", "/healthz").want(200)
	s.breakStore(drivertest.Only(func(c drivertest.Call) bool { return c.Method == "Length" }, hanging))
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s.do("GET", "/readyz").want(503)
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("answered after %s", took)
		}
	})
	s.mendStore()
	s.do("GET", "/readyz").want(200)
}
