package page_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestScenarioRun(t *testing.T) {
	t.Run("each_step_is_a_link_to_its_state", stepLeadsToItsState)
	t.Run("an_arrow_goes_from_the_caller_to_its_table", arrowGoesToItsTable)
	t.Run("every_column_has_its_class_in_the_style_sheet", columnsHaveClasses)
	t.Run("steps_after_the_state_are_the_branch_that_was_left", laterStepsAreLeft)
	t.Run("going_on_from_an_earlier_step_drops_what_came_after", goingOnForks)
	t.Run("a_late_request_comes_from_whoever_sent_it", lateRequestHasItsSender)
	t.Run("an_answer_that_is_lost_is_no_whole_arrow", lostAnswerIsCut)
	t.Run("what_was_told_stands_at_its_step", toldStandsAtItsStep)
	t.Run("back_undo_and_start_again_lead_where_they_say", movesLeadThere)
}

// step is the link of a row of the diagram.
func (r response) step(key string) *html.Node {
	r.Helper()
	for n := range r.part(key).Descendants() {
		if n.Data == "a" {
			return n
		}
	}
	r.Fatalf("%s: %s is no link", r.path, key)
	return nil
}

func (r response) arrow(key, way string) string {
	r.Helper()
	for n := range r.part(key).Descendants() {
		if hasClass(n, "arrow") && hasClass(n, way) {
			return attribute(n, "class")
		}
	}
	r.Fatalf("%s: %s has no arrow %s", r.path, key, way)
	return ""
}

func stepLeadsToItsState(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.get(openGate).want(200)
	if got, want := attribute(r.step("step-5"), "href"), openGate+"&at=5#run"; got != want {
		t.Errorf("step 5 leads to %s, want %s", got, want)
	}
	if got := attribute(r.step("step-26"), "href"); got != openGate+"#run" {
		t.Errorf("the last step leads to %s", got)
	}
	if got := attribute(r.step("step-26"), "aria-current"); got != "step" {
		t.Errorf("the last step has aria-current %q", got)
	}
	earlier := s.get(openGate + "&at=5").want(200)
	if attribute(earlier.step("step-5"), "aria-current") != "step" || attribute(earlier.step("step-26"), "aria-current") != "" {
		t.Error("another step than the 5th is current")
	}
	s.get(openGate + "&at=0").want(200).part("step-26")
}

func arrowGoesToItsTable(t *testing.T) {
	t.Parallel()
	r := newSite(t).get("/lab/A1?s=ann,olga*2").want(200)
	columns := map[string]string{}
	for n := range r.part("lifelines").Descendants() {
		if n.Type == html.ElementNode {
			columns[textOf(n)] = strings.TrimPrefix(classWith(n, "at-"), "at-")
		}
	}
	for key, names := range map[string][2]string{"step-1": {"ann", "Channels"}, "step-2": {"olga", "Channels"}, "step-3": {"olga", "queue"}} {
		step := r.step(key)
		from, to := classWith(step, "from-"), classWith(step, "to-")
		if from != "from-"+columns[names[0]] || to != "to-"+columns[names[1]] {
			t.Errorf("%s goes %s %s, want from %s to %s of %v", key, from, to, names[0], names[1], columns)
		}
	}
}

func classWith(n *html.Node, prefix string) string {
	for class := range strings.FieldsSeq(attribute(n, "class")) {
		if strings.HasPrefix(class, prefix) {
			return class
		}
	}
	return ""
}

func columnsHaveClasses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	sheet := s.get("/static/lab.css").want(200).body
	var list struct {
		Scenarios []struct{ Name string }
	}
	s.get("/lab/scenarios.json").want(200).decode(&list)
	for _, scenario := range list.Scenarios {
		r := s.get("/lab/" + scenario.Name).want(200)
		for _, n := range r.all(func(n *html.Node) bool { return hasClass(n, "diagram") || classWith(n, "at-") != "" }) {
			classes := []string{classWith(n, "columns-") + classWith(n, "at-")}
			if column, ok := strings.CutPrefix(classes[0], "at-"); ok {
				classes = append(classes, "to-"+column)
				if !hasClass(n, "of-store") {
					classes = append(classes, "from-"+column)
				}
			}
			for _, class := range classes {
				if !strings.Contains(sheet, "."+class+" {") {
					t.Errorf("%s: the style sheet does not know .%s", scenario.Name, class)
				}
			}
		}
	}
}

func laterStepsAreLeft(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.get(openGate+"&at=20").want(200).says("The branch that you left", "Step 20 of 26")
	if r := s.get(openGate).want(200); strings.Contains(r.text(), "The branch that you left") {
		t.Error("at its end, a run has a branch that was left")
	}
}

func goingOnForks(t *testing.T) {
	t.Parallel()
	r := newSite(t).get(openGate + "&at=3").want(200)
	if got, want := r.href("actor-ann", "Let it happen"), "/lab/open-gate?s=ann,olga*2,ann#actors"; got != want {
		t.Errorf("going on leads to %s, want %s", got, want)
	}
}

func lateRequestHasItsSender(t *testing.T) {
	t.Parallel()
	// Two requests of different actors are under way, and the second lands first.
	r := newSite(t).get("/lab/vote?s=vera,vera:copied,ann,ann:copied,network:lands@1,network:lands").want(200)
	if got := classWith(r.step("step-5"), "from-"); got != "from-2" {
		t.Errorf("the request that lands first comes %s, want from-2: ann", got)
	}
	if got := classWith(r.step("step-6"), "from-"); got != "from-1" {
		t.Errorf("the request that lands second comes %s, want from-1: vera", got)
	}
	r.partSays("step-5", "ann", "lands late")
}

func lostAnswerIsCut(t *testing.T) {
	t.Parallel()
	r := newSite(t).get("/lab/A4?s=ann:repeated,ann").want(200)
	if out, back := r.arrow("step-1", "out"), r.arrow("step-1", "back"); !strings.Contains(out, "whole") || !strings.Contains(back, "cut") {
		t.Errorf("the arrows of a lost answer are %q and %q", out, back)
	}
	if back := r.arrow("step-2", "back"); !strings.Contains(back, "whole") {
		t.Errorf("the arrow of an answer is %q", back)
	}
}

func toldStandsAtItsStep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.get(openGate).want(200).partSays("step-20", "told: posted")
	s.get(openGate).want(200).partSays("step-26", "I1 is broken")
	s.get(openGate).want(200).partSays("actor-ann", "Was told: posted")
}

func movesLeadThere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.get(openGate + "&at=20").want(200)
	for text, want := range map[string]string{
		"Start again": "/lab/open-gate#actors",
		"Undo":        "/lab/open-gate?s=ann,olga*6,w1*12#actors",
		"Back":        openGate + "&at=19#actors",
		"Forth":       openGate + "&at=21#actors",
	} {
		if got := r.href("moves", text); got != want {
			t.Errorf("%s leads to %s, want %s", text, got, want)
		}
	}
	start := s.get("/lab/open-gate").want(200)
	for _, text := range []string{"Start again", "Undo", "Back", "Forth"} {
		if got := start.href("moves", text); got != "" {
			t.Errorf("at the start, %s leads to %s", text, got)
		}
	}
}
