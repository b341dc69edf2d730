package page_test

import (
	"context"
	"errors"
	"microblogging/storage/driver"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/lab/modelcheck"
	"microblogging/lab/page"
	"microblogging/templates"
)

func TestOwnPages(t *testing.T) {
	s := newSite(t)
	s.get("/lab").want(200).says("Yours").says("own/lease-lock").says("own/two-phase-without-decision")
	s.get("/lab/own/lease-lock").want(200).says("Yours: lease-lock").says("Read who has the lock, and its number")
	broken := s.get("/lab/own/lease-lock-without-fence?s=ann*3,bob*4,ann").want(200)
	broken.says("The invariant “the later lock wins” is violated").says("Won in 8 steps.").says("Locks")
	broken.says("because of").says(`On("fence")`).says("lab/own/lease_lock.go").says("With the safeguard")
	p := &player{s, s.get("/lab/own/outbox").want(200).says("Your invariants")}
	p.follow("data-move", "search")
	p.at.says("Searched just now. No invariant is violated.")
	s.get("/lab/own/outbox.json").want(200)
	s.get("/lab/own/outbox.svg").want(200)
	s.get("/lab/own/nothing").want(404)
	if list := s.get("/lab/scenarios.json").want(200).body; strings.Contains(list, "own/") {
		t.Error("scenarios.json lists a reader's protocol")
	}
}

func TestOwnCode(t *testing.T) {
	t.Run("code that fails has a page that says where, and every other page is there", func(t *testing.T) {
		const failure = `after the schedule "ann", ann panics in lab/own/mine.go:7: mine`
		s := newSiteOf(t, page.New().Fails("own/outbox", failure))
		s.get("/lab/own/outbox").want(422).says("The code of this protocol fails").says("ann panics in lab/own/mine.go:7")
		s.get("/lab").want(200).says("its code fails: after the schedule")
		s.get("/lab/own/lease-lock").want(200)
	})
	panics := func(name string, runs *int) modelcheck.Case {
		return modelcheck.Case{Part: modelcheck.Own, Scenario: lab.Scenario{Name: name, About: "one", Invariants: lab.Expectations{},
			Actors: []lab.Actor{{Name: "ann", Run: func(context.Context, *lab.Client) { *runs++; panic("mine") }}}}}
	}
	t.Run("code that fails only when its page is asked for is not run again", func(t *testing.T) {
		runs := 0
		s := newSiteOf(t, page.New().With(panics("own/mine", &runs)))
		for range 2 {
			s.get("/lab/own/mine").want(422).says("The code of this protocol fails").says("ann: panic")
		}
		if runs != 1 {
			t.Errorf("the code ran %d times", runs)
		}
	})
	t.Run("a Recover that fails and changes nothing can be looked at", func(t *testing.T) {
		fails := lab.Expectations{Recover: func(*mem.DB) lab.Deed { return lab.Deed{Recover: true, Err: errors.New("mine")} }}
		s := newSiteOf(t, page.New().With(modelcheck.Case{Part: modelcheck.Own, Scenario: lab.Scenario{Name: "own/mine", About: "one", Invariants: fails,
			Actors: []lab.Actor{{Name: "ann", Run: func(context.Context, *lab.Client) {}}}}}))
		s.get("/lab/own/mine").want(200).says("Let fresh workers carry on")
		page := s.get("/lab/own/mine?rest=1").want(200).says("Runs Recover; mine.", "They did not finish")
		if strings.Contains(page.text(), "All invariants hold") {
			t.Error("invariants hold that were not checked")
		}
	})
	t.Run("what Recover does is said before the violation that it completes, and below the store", recoverIsSaid)
	t.Run("code that fails is not searched again without a safeguard", func(t *testing.T) {
		runs, other := 0, 0
		found := page.RecordsOfOwn([]modelcheck.Case{panics("own/mine", &runs), panics("own/mine-without-fence", &runs), panics("own/mines", &other)})
		if runs != 1 || other != 1 || len(found) != 3 || !strings.HasPrefix(found[1].Failure, "as own/mine: at the start, ann: panic: mine") {
			t.Errorf("ran %d and %d times: %+v", runs, other, found)
		}
	})
	t.Run("the index does not wait for a protocol that comes to no end, and a page of another one is there", func(t *testing.T) {
		until := make(chan struct{})
		defer close(until)
		waits := panics("own/mine", new(int))
		waits.Wrong = func() error { <-until; return errors.New("too late") }
		other := panics("own/other", new(int))
		s := newSiteOf(t, page.New().With(append(modelcheck.Cases(), waits, other)...))
		s.get("/lab").want(200).says("own/mine", "is being searched: load this page again")
		s.get("/lab/own/other").want(422).says("The code of this protocol fails")
	})
	t.Run("a request whose time is over hears that the lab is busy", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		var refusal *templates.Refusal
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/lab", nil)
		if _, err := page.New().With().Fails("", "").Routes()["/lab"](httptest.NewRecorder(), r, templates.Page{}); !errors.As(err, &refusal) || refusal.Problem.Title != "The lab is busy" {
			t.Error(err)
		}
	})
	t.Run("a protocol that takes long has a page that says so, ends with its request, and makes no other page wait", slowCodeEnds)
	t.Run("a protocol with large values has a page", largeValuesAreClipped)
	t.Run("the index says what only a page has found, and what breaks at the start", indexSaysWhatIsKnown)
	t.Run("a protocol that holds because of nothing is said to, with the reason", func(t *testing.T) {
		c := modelcheck.Case{Scenario: lab.Scenario{Warnings: func() []string { return []string{"one", "two"} }}}
		if found := page.FoundIn(c, modelcheck.Record{States: 7}); found != "warning: one; two" {
			t.Error(found)
		}
		if found := page.FoundIn(c, modelcheck.Record{States: 7, Invariant: "mine", Shortest: 2}); found != "breaks in 2 steps" {
			t.Error(found)
		}
	})
}

// acting is a protocol of a reader's whose only actor does this.
func acting(name string, act func(context.Context, *lab.Client)) modelcheck.Case {
	return modelcheck.Case{Part: modelcheck.Own, Scenario: lab.Scenario{Name: name, About: "one", Invariants: lab.Expectations{}, Untrusted: true,
		Actors: []lab.Actor{{Name: "ann", Run: act}}}}
}

func slowCodeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		slow := acting("own/slow", func(ctx context.Context, c *lab.Client) {
			for range 20 {
				time.Sleep(lab.Patience - time.Millisecond)
				calls++
				_, _ = driver.NewTable(c.Backend, "Rows").Get(ctx, "p", "") // the answer makes no difference
			}
		})
		shipped := acting("shipped", func(context.Context, *lab.Client) {})
		shipped.Part = modelcheck.Real
		s := newSiteOf(t, page.New().With(slow, shipped))
		s.get("/lab/own/slow").want(422) // and it was searched
		begun := time.Now()
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				r := s.get("/lab/own/slow").want(422).says("This protocol takes too long", "The code of own/slow took longer than 5s")
				if took := time.Since(begun); took > 10*time.Second || r.header.Get("Retry-After") != "" {
					t.Errorf("after %s, %v", took, r.header)
				}
			})
		}
		time.Sleep(time.Second) // both replay
		before := time.Now()
		s.get("/lab/shipped").want(200)
		if took := time.Since(before); took > time.Second {
			t.Errorf("another page waits for %s", took)
		}
		both.Wait()
		s.get("/lab").want(200).says("no violation in the 2s of a quick search")

		ctx, leave := context.WithCancel(t.Context())
		go func() {
			time.Sleep(3 * time.Second)
			leave()
		}()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/lab/own/slow", nil)
		r.SetPathValue("name", "slow")
		begun, calls = time.Now(), 0
		_, err := page.New().With(slow).Routes()["/lab/own/{name}"](httptest.NewRecorder(), r, templates.Page{})
		if took := time.Since(begun); took > 5*time.Second || !errors.Is(err, context.Canceled) {
			t.Errorf("without its client, a request takes %s: %v", took, err)
		}
		time.Sleep(lab.Patience) // until the code that still sleeps ends
	})
}

func largeValuesAreClipped(t *testing.T) {
	s := newSiteOf(t, page.New().With(acting("own/large", func(ctx context.Context, c *lab.Client) {
		for i := range 100 {
			_ = driver.NewTable(c.Backend, "Rows").Transact(ctx, "p", driver.Insert(strconv.Itoa(i), driver.String("S", strings.Repeat("x", 30_000))))
		}
	})))
	if r := s.get("/lab/own/large?s=ann*100").want(200).says("… (30,000 bytes)"); len(r.body) > 200_000 {
		t.Errorf("a page of %d bytes", len(r.body))
	}
}

func indexSaysWhatIsKnown(t *testing.T) {
	c := acting("own/mine", func(context.Context, *lab.Client) {})
	if found := page.FoundIn(c, modelcheck.Record{States: 1, Invariant: "false"}); found != "breaks at the start" {
		t.Error(found)
	}
	s := newSiteOf(t, page.New().With(c).FailsLater("own/mine", "ann: panic"))
	s.get("/lab").want(200).says("its code fails: ann: panic")
}

func recoverIsSaid(t *testing.T) {
	c := acting("own/mine", func(ctx context.Context, c *lab.Client) {
		_ = driver.NewTable(c.Backend, "Books").Transact(ctx, "dune", driver.Insert(""))
	})
	kept := lab.Expectation{Quiescent: func(v lab.View) string {
		if _, err := v.DB.Get("Books", "dune", ""); err != nil {
			return "the book is gone"
		}
		return ""
	}}
	kept.Name, kept.Title, kept.When = "kept", "kept", lab.Quiescent
	c.Invariants = lab.Expectations{Expected: []lab.Expectation{kept}, Recover: func(left *mem.DB) lab.Deed {
		_ = driver.NewTable(left, "Books").Transact(context.Background(), "dune", driver.Delete("", driver.Exists))
		return lab.Deed{Recover: true}
	}}
	s := newSiteOf(t, page.New().With(c))
	r := s.get("/lab/own/mine?s=ann").want(200)
	const said = "Then Recover changes the store: − Books: dune."
	if !strings.Contains(textOf(r.part("recovered")), said) || !strings.Contains(textOf(r.part("run")), said) {
		t.Error(textOf(r.part("run")), textOf(r.part("recovered")))
	}
}
