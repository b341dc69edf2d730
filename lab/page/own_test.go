package page_test

import (
	"strings"
	"testing"
)

func TestOwnPages(t *testing.T) {
	s := newSite(t)
	s.get("/lab").want(200).says("Yours").says("own/lease-lock").says("own/two-phase-without-decision")
	s.get("/lab/own/lease-lock").want(200).says("Yours: two writers save a page").says("Read who has the lock, and its number.")
	broken := s.get("/lab/own/lease-lock-without-fence?s=ann*3,bob*4,ann").want(200)
	broken.says("The invariant “the later lock wins” is violated").says("Won in 8 steps.").says("Locks")
	s.get("/lab/own/lease-lock-without-fence/compare").want(200).says(`On("fence")`).says("lab/own/lease_lock.go").says("here they differ")
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
