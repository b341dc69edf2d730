package web_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage/drivertest"
)

func TestHealth(t *testing.T) {
	t.Run("a process is ready while its store answers within two seconds", processIsReadyWhileItsStoreAnswersWithinTwoSeconds)
}

func processIsReadyWhileItsStoreAnswersWithinTwoSeconds(t *testing.T) {
	s := newSite(t)
	s.do("GET", "/readyz").want(200)
	s.breakStore(everyCall(errors.New("SECRET-ACCOUNT-KEY")))
	if a := s.do("GET", "/readyz").want(503); strings.Contains(string(a.body), "SECRET") {
		t.Errorf("body %s", a.body)
	}
	s.do("GET", "/healthz").want(200)
	s.breakStore(drivertest.Only(func(c drivertest.Call) bool { return c.Method == "Ping" }, hanging))
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
