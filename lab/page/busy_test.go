package page_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/lab/page"
	"microblogging/lab/protocol"
	"microblogging/storage/driver"
)

func TestSearchTime(t *testing.T) {
	t.Run("is spent once by a hall that asks in one moment, each from another state, also if who asked first has gone", searchIsMadeOnce)
	t.Run("is answered within the time of a request, however slow the machine is and however late its turn comes", searchIsAnsweredInTime)
}

// searchedFor is when a search is nearly over.
const searchedFor = 8500 * time.Millisecond

// slowInvariants take this time of each state, as under load.
type slowInvariants struct {
	lab.Invariants
	takes time.Duration
}

func (s slowInvariants) State(v lab.View) []domain.Violation {
	time.Sleep(s.takes)
	return s.Invariants.State(v)
}

// reading is a scenario whose actors read a row a few times.
func reading(name string, invariants lab.Invariants, pause time.Duration, actors ...string) (c modelcheck.Case) {
	c.Scenario = lab.Scenario{Name: name, About: "a test", Invariants: invariants}
	for _, actor := range actors {
		c.Actors = append(c.Actors, lab.Actor{Name: actor, Run: func(ctx context.Context, c *lab.Client) {
			time.Sleep(pause)
			for range 5 {
				_, _ = driver.NewTable(c.Backend, "Channels").Get(ctx, "news", actor) // the answer makes no difference
				c.Tell(lab.Fact{Kind: "(read on)"})                                   // else invariants would see one state
			}
		}})
	}
	return c
}

func searchIsMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		invariants := slowInvariants{protocol.Scenarios()[0].Invariants, 5 * time.Millisecond} // a search takes about a second
		c := reading("slow", invariants, 0, "ann", "bob", "eve")
		s := newSiteOf(t, page.New().With(c).Knows(modelcheck.Record{Name: c.Name, Invariant: "I1", Cause: modelcheck.Cause{Searched: 1}}))
		for ask, says := range map[string]string{"search": "No invariant is violated. All ", "reach": "can still be won"} {
			var hall sync.WaitGroup
			first, leave := context.WithCancel(t.Context())
			hall.Go(func() { s.leaving(first, "/lab/slow?s=eve&"+ask+"=1") })
			time.Sleep(50 * time.Millisecond)
			for _, actor := range []string{"ann", "bob", "eve"} {
				for steps := 2; steps <= 5; steps++ {
					for range 3 {
						hall.Go(func() { s.get(fmt.Sprintf("/lab/slow?s=%s*%d&%s=1", actor, steps, ask)).want(200).says(says) })
					}
				}
			}
			time.Sleep(400 * time.Millisecond) // all wait for the search of the first
			leave()
			hall.Wait()
		}
	})
}

func searchIsAnsweredInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		invariants := protocol.Scenarios()[0].Invariants
		// Of a whole second, a search would end in the very moment in which its request does, or one state before.
		slow := slowInvariants{invariants, 900 * time.Millisecond}
		s := newSiteOf(t, page.New().With(reading("slow", slow, 0, "ann", "bob", "eve"),
			reading("late", invariants, 900*time.Millisecond, "ann"), reading("later", invariants, 900*time.Millisecond, "ann")))
		var others sync.WaitGroup
		crowd := func() { // which has the turns to replay a run
			for _, path := range []string{"/lab/late", "/lab/later"} {
				others.Go(func() { s.get(path).want(200) })
			}
		}
		crowd()
		synctest.Wait()
		begun := time.Now()
		others.Go(func() {
			time.Sleep(searchedFor)
			crowd()
		})
		s.get("/lab/slow?search=1").want(200).says("There was no time for the others.")
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("a search is answered after %s", took)
		}
		others.Wait()
		begun = time.Now()
		s.get("/lab/slow?search=1").want(200)
		if time.Since(begun) < time.Second {
			t.Error("an answer for which there was no time is kept")
		}
	})
}

func TestReplay(t *testing.T) {
	t.Run("of two concurrently is made, and a third is refused after eight seconds", thirdReplayIsRefused)
	t.Run("is made once for a class that clicks in one moment, and again for no one", classGetsItsPage)
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
		var refused sync.WaitGroup
		for _, path := range []string{"/lab/three", "/lab/three.json"} {
			refused.Go(func() {
				begun := time.Now()
				r := s.get(path).want(503)
				if took := time.Since(begun); took != 8*time.Second || r.header.Get("Retry-After") != "2" || r.header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s: after %s, %v", path, took, r.header)
				}
			})
		}
		refused.Wait()
		close(release)
		if a, b := <-status, <-status; a != 200 || b != 200 {
			t.Errorf("the first two got %d and %d", a, b)
		}
		s.get("/lab/three").want(200)
	})
}

func classGetsItsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var replays atomic.Int32
		s := stage(t, func() {
			replays.Add(1)
			time.Sleep(200 * time.Millisecond)
		})
		s.get("/lab/one") // what each page of it takes
		each := replays.Swap(0)
		var class sync.WaitGroup
		for range 200 {
			for _, path := range []string{"/lab/two", "/lab/three"} {
				class.Go(func() { s.get(path).want(200) })
			}
		}
		class.Wait()
		s.get("/lab/two").want(200)
		if got := replays.Load(); got != 2*each {
			t.Errorf("the code ran %d times, want %d for each of two pages", got, each)
		}
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
