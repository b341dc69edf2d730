package page

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"microblogging/domain"
	"microblogging/lab"
)

// A stepView is a step of the list, which says all of it in words.
type stepView struct {
	lab.StepText
	Number int
	// Sentence says what the call asks for, and Changes in short what it changed.
	Sentence, Changes string
	// Breaks are the invariants that are broken since this step.
	Breaks []string
	URL    string
	// Current is the step that led to the state that is shown.
	Current bool
}

func (v *scene) steps() (steps []stepView) {
	for n, m := range v.moments {
		if m.Step == nil {
			continue
		}
		step := stepView{StepText: v.Words(*m.Step), Number: n, Changes: changesIn(v.moments[n : n+1]), Breaks: brokenAfter(n, m.Invariants),
			URL: v.state(n, partRun), Current: n == v.at}
		if m.Step.Call != nil {
			step.Actor, step.Sentence = v.Actors[m.Step.Sender-1].Name, v.Tell(m.Step.Call, m.Step.Site())
		}
		steps = append(steps, step)
	}
	return steps
}

// targetOf is the table or the queue of a step.
func targetOf(s *lab.Step) string {
	if s.Call == nil {
		return domain.QueueName
	}
	return s.Call.Target
}

// changesIn counts the rows that steps changed, with the signs of the marks.
func changesIn(moments []lab.Moment) string {
	var inserted, changed, deleted int
	for _, m := range moments {
		for _, c := range m.Step.Changes() {
			switch {
			case c.Before.ETag == "":
				inserted++
			case c.After.ETag == "":
				deleted++
			default:
				changed++
			}
		}
	}
	var words string
	for _, n := range []struct {
		count int
		sign  string
	}{{inserted, "+"}, {changed, "~"}, {deleted, "−"}} {
		if n.count > 0 {
			words += " " + n.sign + strconv.Itoa(n.count)
		}
	}
	return strings.TrimSpace(words)
}

// brokenAfter lists the invariants that are broken since a step.
func brokenAfter(n int, invariants []lab.InvariantState) (titles []string) {
	for _, invariant := range invariants {
		if invariant.State == lab.InvariantViolated && invariant.Since == n {
			titles = append(titles, invariant.Title)
		}
	}
	return titles
}

// currentStep marks the step that led to the state that is shown.
func currentStep(current bool) templ.Attributes {
	if !current {
		return nil
	}
	return templ.Attributes{"aria-current": "step"}
}
