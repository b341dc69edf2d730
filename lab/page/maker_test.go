package page_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/lab"
	"microblogging/lab/page"
	"microblogging/lab/prove"
)

func TestMaker(t *testing.T) {
	t.Run("replays two schedules at once and refuses a third after a second", thirdReplayIsRefused)
	t.Run("looks for one hint at once and refuses a second after a second", secondHintIsRefused)
	t.Run("makes once what many ask for at once, and keeps it", answerIsMadeOnce)
	t.Run("goes on for the next reader if the first has left", answerIsMadeForTheNextReader)
	t.Run("makes nothing if all readers have left before its turn", answerIsNotMadeForNobody)
	t.Run("does not wait for a replay that does not end", replayThatDoesNotEndIsNotWaitedFor)
	t.Run("makes a page of a panic and logs it once", panicIsAPage)
	t.Run("keeps no failure", failureIsNotKept)
}

// stage is a site with three scenarios whose only actor does this before its first call.
func stage(t *testing.T, act func()) *site {
	t.Helper()
	var cases []prove.Case
	for _, name := range []string{"one", "two", "three"} {
		cases = append(cases, prove.Case{Scenario: lab.Scenario{
			Name: name, About: "a test", Laws: lab.Shipped{},
			Actors: []lab.Actor{{Name: "ann", Run: func(ctx context.Context, c *lab.Client) {
				act()
				_, _ = c.Tables.Get(ctx, "Channels", "news", "") // the answer makes no difference
			}}},
		}})
	}
	return newSiteOf(t, page.New(page.Options{}).With(cases...))
}

// later sends a request in a goroutine, and returns where its status comes.
func (s *site) later(path string) <-chan int {
	status := make(chan int, 1)
	go func() { status <- s.get(path).status }()
	return status
}

func thirdReplayIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := stage(t, func() { <-release })
		first, second := s.later("/lab/one"), s.later("/lab/two.json")
		synctest.Wait()
		for _, path := range []string{"/lab/three", "/lab/three.json"} {
			begun := time.Now()
			r := s.get(path).want(503)
			if took := time.Since(begun); took != time.Second || r.header.Get("Retry-After") != "2" || r.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: after %s, %v", path, took, r.header)
			}
		}
		if log := s.log.String(); strings.Contains(log, "level=ERROR") || strings.Count(log, "too busy") != 1 {
			t.Errorf("logged %s", log)
		}
		close(release)
		if a, b := <-first, <-second; a != 200 || b != 200 {
			t.Errorf("the first two got %d and %d", a, b)
		}
		s.get("/lab/three").want(200)
	})
}

func secondHintIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := stage(t, func() { <-release })
		first := s.later("/lab/one?hint=1")
		synctest.Wait()
		begun := time.Now()
		if s.get("/lab/two?hint=1").want(503); time.Since(begun) != time.Second {
			t.Errorf("after %s", time.Since(begun))
		}
		close(release)
		if status := <-first; status != 200 {
			t.Errorf("the first got %d", status)
		}
		s.get("/lab/two?hint=1").want(200)
	})
}

func answerIsMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int64
		release := make(chan struct{})
		s := stage(t, func() { made.Add(1); <-release })
		var requests sync.WaitGroup
		for range 20 {
			requests.Go(func() { s.get("/lab/one?s=").want(200) })
		}
		synctest.Wait()
		close(release)
		requests.Wait()
		s.get("/lab/one").want(200)
		if n := made.Load(); n != 1 {
			t.Errorf("made %d times", n)
		}
	})
}

func answerIsMadeForTheNextReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int64
		release := make(chan struct{})
		s := stage(t, func() { made.Add(1); <-release })
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan struct{})
		go func() {
			defer close(left)
			s.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/lab/one", nil))
		}()
		synctest.Wait()
		leave()
		<-left
		close(release)
		s.get("/lab/one").want(200)
		if n := made.Load(); n != 1 {
			t.Errorf("made %d times", n)
		}
		if log := s.log.String(); !strings.Contains(log, "status=499") || strings.Contains(log, "level=ERROR") {
			t.Errorf("logged %s", log)
		}
	})
}

func answerIsNotMadeForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int64
		release := make(chan struct{})
		s := stage(t, func() { made.Add(1); <-release })
		first, second := s.later("/lab/one"), s.later("/lab/two")
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		for range 10 {
			go s.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/lab/three", nil))
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		close(release)
		if a, b := <-first, <-second; a != 200 || b != 200 {
			t.Errorf("the first two got %d and %d", a, b)
		}
		synctest.Wait()
		if n := made.Load(); n != 2 {
			t.Errorf("made %d times, and the third for nobody", n-2)
		}
		s.get("/lab/three").want(200)
	})
}

func replayThatDoesNotEndIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := stage(t, func() { <-release })
		begun := time.Now()
		one, two := s.later("/lab/one"), s.later("/lab/two")
		if a, b := <-one, <-two; a != 503 || b != 503 || time.Since(begun) != 5*time.Second {
			t.Errorf("%d and %d after %s", a, b, time.Since(begun))
		}
		s.get("/lab/three").want(503) // both still have their turns
		close(release)
		synctest.Wait()
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

func failureIsNotKept(t *testing.T) {
	var fail atomic.Bool
	fail.Store(true)
	s := stage(t, func() {
		if fail.Load() {
			panic("for now")
		}
	})
	s.get("/lab/one").want(500)
	fail.Store(false)
	s.get("/lab/one").want(200)
}
