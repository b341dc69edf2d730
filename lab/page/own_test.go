package page_test

import (
	"strings"
	"testing"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/lab/page"
)

func TestOwnPages(t *testing.T) {
	s := newSite(t)
	s.get("/lab").want(200).says("Yours").says("own/lease-lock").says("own/two-phase-without-decision")
	s.get("/lab/own/lease-lock").want(200).says("Yours: two writers save a page").says("Read who has the lock, and its number")
	broken := s.get("/lab/own/lease-lock-without-fence?s=ann*3,bob*4,ann").want(200)
	broken.says("The invariant “the later lock wins” is violated").says("Won in 8 steps.").says("Locks")
	s.get("/lab/own/lease-lock-without-fence/compare").want(200).says(`On("fence")`).says("lab/own/lease_lock.go").says("Step through it")
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
	t.Run("a safeguard that the code does not ask for is named", func(t *testing.T) {
		c := modelcheck.Case{Scenario: lab.Scenario{Safeguard: &lab.Safeguard{Code: "(Protocols).Outbox", Part: `On("inbox")`}}}
		if found := page.FoundIn(c, modelcheck.Record{States: 7}); !strings.Contains(found, `warning: nothing in lab/own/outbox.go asks for On("inbox")`) {
			t.Error(found)
		}
	})
}
