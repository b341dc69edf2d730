package page_test

import (
	"strings"
	"testing"

	"microblogging/lab/prove"
)

func TestScenarioLaws(t *testing.T) {
	t.Run("each_law_has_a_chip_with_its_state_and_reason", lawHasItsChip)
	t.Run("each_chip_begins_with_what_its_law_demands", chipSaysWhatLawDemands)
	t.Run("a_broken_law_is_said_above_all_with_the_way_back", brokenLawIsSaidAbove)
	t.Run("a_law_that_broke_earlier_stays_broken", brokenLawStays)
	t.Run("at_rest_fresh_workers_carry_on_and_the_verdict_is_said", freshWorkersCarryOn)
	t.Run("while_somebody_can_go_on_nobody_carries_on", nobodyCarriesOnYet)
}

func lawHasItsChip(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	begun := s.get("/lab/open-gate").want(200)
	begun.partSays("law-I1", "no orphan", "open", "Not judged before all is at rest.")
	begun.partSays("law-I2", "no collateral", "holds")
	s.get(openGate).want(200).partSays("law-I1", "broken", "step 26", "no such channel lives")
	if got := s.get(openGate).want(200).href("law-I1", "step 26"); got != openGate+"#run" {
		t.Errorf("the step that broke I1 is at %s", got)
	}
	s.get("/lab/A1").want(200).part("law-A1")
}

func chipSaysWhatLawDemands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.get("/lab/A1").want(200).partSays("law-A1", "A1, no orphan post. When all is at rest, no post is left of a channel that is gone. Here it")
	for _, name := range []string{"A1", "open-gate"} {
		found, err := prove.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, law := range found.Laws.List() {
			text := textOf(s.get("/lab/" + name).want(200).part("law-" + law.Name))
			if _, demand, _ := strings.Cut(text, law.Title+". "); demand == "" || strings.HasPrefix(demand, "Here") {
				t.Errorf("%s: the chip of %s does not say what it demands: %s", name, law.Name, text)
			}
		}
	}
}

func brokenLawIsSaidAbove(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.get(openGate).want(200)
	r.partSays("say", "The law I1 (“every row has its channel”) is broken", "no such channel lives")
	if got := r.href("say", "Step back"); got != openGate+"&at=25#actors" {
		t.Errorf("the way back leads to %s", got)
	}
	r.partSays("laws-in-short", "✗ 1")
	if text := textOf(s.get(openGate + "&at=25").want(200).part("say")); strings.Contains(text, "broken") {
		t.Errorf("one step back, a law is still broken: %s", text)
	}
}

func brokenLawStays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	// The second copy is on the poison queue after 8 steps, and its worker goes on.
	r := s.get("/lab/mark?s=w1*3,w2*6").want(200)
	r.partSays("say", "The law I5 (“every deletion ends”) is broken since step 8")
	r.partSays("law-I5", "broken", "step 8")
	if got := r.href("say", "Step back"); got != "/lab/mark?s=w1*3,w2*6&at=7#actors" {
		t.Errorf("the way back leads to %s", got)
	}
	r.partSays("step-8", "I5 is broken")
	if text := textOf(r.part("step-9")); strings.Contains(text, "broken") {
		t.Errorf("step 9 says what step 8 broke: %s", text)
	}
}

func freshWorkersCarryOn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	atRest := s.get("/lab/forgotten?s=olga*4,network:forgotten,olga*2").want(200)
	rest := s.get(strings.TrimSuffix(atRest.href("say", "Let fresh workers carry on"), "#actors")).want(200)
	rest.partSays("say", "All laws hold", "Looks for deletions without a message.", "Handles: delete news setup.4.")
	lost := s.get(openGate + "&rest=1").want(200)
	lost.partSays("say", "The law I1 (“every row has its channel”) is broken")
	if text := textOf(lost.part("say")); strings.Contains(text, "All laws hold") {
		t.Errorf("a law is broken, and the verdict is: %s", text)
	}
}

func nobodyCarriesOnYet(t *testing.T) {
	t.Parallel()
	r := newSite(t).get(openGate + "&at=25").want(200)
	if text := r.text(); strings.Contains(text, "fresh workers carry on") {
		t.Error("fresh workers may carry on before all is at rest")
	}
}
