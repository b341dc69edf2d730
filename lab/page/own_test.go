package page_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
	broken.says(`On("fence")`).says("lab/own/lease_lock.go").says("With the safeguard")
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
	t.Run("a protocol that holds because of nothing is said to, with the reason", func(t *testing.T) {
		c := modelcheck.Case{Scenario: lab.Scenario{Warnings: func() []string { return []string{"one", "two"} }}}
		if found := page.FoundIn(c, modelcheck.Record{States: 7}); found != "warning: one; two" {
			t.Error(found)
		}
		if found := page.FoundIn(c, modelcheck.Record{States: 7, Shortest: 2}); found != "breaks in 2 steps" {
			t.Error(found)
		}
	})
}
