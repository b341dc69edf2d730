package page_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/lab/page"
	"microblogging/lab/protocol"
	"microblogging/storage/driver"
)

func TestReplay(t *testing.T) {
	t.Run("of two concurrently is made, and a third is refused after a second", thirdReplayIsRefused)
	t.Run("that panics is a page, and is logged once", panicIsAPage)
}

// stage is a site with three scenarios whose only actor does this before its first call.
func stage(t *testing.T, act func()) *site {
	t.Helper()
	var cases []modelcheck.Case
	for _, name := range []string{"one", "two", "three"} {
		cases = append(cases, modelcheck.Case{Scenario: lab.Scenario{
			Name: name, About: "a test", Invariants: protocol.Scenarios()[0].Invariants,
			Actors: []lab.Actor{{Name: "ann", Run: func(ctx context.Context, c *lab.Client) {
				act()
				_, _ = driver.NewTable(c.Backend, "Channels").Get(ctx, "news", "") // the answer makes no difference
			}}},
		}})
	}
	return newSiteOf(t, page.New().With(cases...))
}

func thirdReplayIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := stage(t, func() { <-release })
		status := make(chan int, 2)
		for _, path := range []string{"/lab/one", "/lab/two.json"} {
			go func() { status <- s.get(path).status }()
		}
		synctest.Wait()
		for _, path := range []string{"/lab/three", "/lab/three.json"} {
			begun := time.Now()
			r := s.get(path).want(503)
			if took := time.Since(begun); took != time.Second || r.header.Get("Retry-After") != "2" || r.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: after %s, %v", path, took, r.header)
			}
		}
		close(release)
		if a, b := <-status, <-status; a != 200 || b != 200 {
			t.Errorf("the first two got %d and %d", a, b)
		}
		s.get("/lab/three").want(200)
	})
}

func panicIsAPage(t *testing.T) {
	s := stage(t, func() { panic("SECRET") })
	for _, path := range []string{"/lab/one", "/lab/one.json", "/lab/one", "/lab/two"} {
		before := len(s.log.String())
		if r := s.get(path).want(500); strings.Contains(r.body, "SECRET") {
			t.Errorf("%s shows %s", path, r.body)
		}
		if logged := s.log.String()[before:]; strings.Count(logged, "SECRET") != 1 {
			t.Errorf("%s logged %s", path, logged)
		}
	}
}
