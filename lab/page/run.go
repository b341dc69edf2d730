package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"microblogging/domain"
	"microblogging/lab"
)

// runView is the run as a sequence diagram: a column for each actor and each store, and a
// row for each step.
type runView struct {
	// Callers are the columns of the actors. Stores are those of the queues and tables,
	// which follow.
	Callers, Stores []string
	Steps           []stepView
}

// stepView is a row of the diagram.
type stepView struct {
	lab.StepWords
	Number int
	// From and To are the columns between which the call goes, counted from 1. From is 0 if
	// nobody calls, because the queue has lost a message.
	From, To int
	// Out and Back say how the call and its answer go.
	Out, Back arrow
	// Changes says in short what the step changed.
	Changes string
	// Breaks are the laws that are broken since this step.
	Breaks []string
	URL    string
	// Current is the step that led to the state that is shown. Left are those after it.
	Current, Left bool
}

// An arrow is how something goes from one column to another. It is a CSS class.
type arrow string

// The arrows.
const (
	arrowNone   arrow = "none"
	arrowWhole  arrow = "whole"
	arrowCut    arrow = "cut"    // it is lost on its way
	arrowUnsent arrow = "unsent" // it never leaves
	arrowLate   arrow = "late"   // it stays under way, or arrives late
)

func (v *scene) run() runView {
	var run runView
	for _, a := range v.Actors {
		run.Callers = append(run.Callers, a.Name)
	}
	for _, name := range v.stores {
		run.Stores = append(run.Stores, storeTitle(name))
	}
	for i, m := range v.moments[1:] {
		n := i + 1
		row := stepView{
			StepWords: v.Words(*m.Step), Number: n, Changes: changesIn(m.Step), Breaks: brokenAfter(n, m.Laws),
			URL: v.state(n, partRun), Current: n == v.at, Left: n > v.at,
		}
		row.Out, row.Back = arrowsOf(m.Step.Choice.Fate)
		row.From = m.Step.Sender
		row.To = len(run.Callers) + 1 + slices.Index(v.stores, targetOf(m.Step))
		if m.Step.Choice.Fate == lab.Lands {
			row.Actor = run.Callers[row.From-1]
		}
		run.Steps = append(run.Steps, row)
	}
	return run
}

// targetOf is the table or the queue of a step.
func targetOf(s *lab.Step) string {
	if s.Call == nil {
		return domain.QueueName
	}
	return s.Call.Target
}

// arrowsOf says how the call and its answer go.
func arrowsOf(fate lab.Fate) (out, back arrow) {
	switch fate {
	case lab.DiesBefore:
		return arrowUnsent, arrowNone
	case lab.Unsent:
		return arrowCut, arrowNone
	case lab.DiesAfter, lab.Lost, lab.Repeated:
		return arrowWhole, arrowCut
	case lab.GivenUp:
		return arrowLate, arrowNone
	case lab.Lands:
		return arrowLate, arrowCut
	case lab.Forgotten:
		return arrowNone, arrowNone
	default:
		return arrowWhole, arrowWhole
	}
}

// changesIn counts the rows that a step changed, with the signs of the marks.
func changesIn(s *lab.Step) string {
	var inserted, changed, deleted int
	for _, c := range s.Changes() {
		switch {
		case c.Before.ETag == "":
			inserted++
		case c.After.ETag == "":
			deleted++
		default:
			changed++
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

// brokenAfter lists the laws that are broken since a step.
func brokenAfter(n int, laws []lab.LawState) (names []string) {
	for _, law := range laws {
		if law.State == lab.LawBroken && law.Since == n {
			names = append(names, law.Name)
		}
	}
	return names
}

// classes are the columns of a step as classes of the style sheet.
func (s stepView) classes() string {
	return "from-" + strconv.Itoa(s.From) + " to-" + strconv.Itoa(s.To)
}

// currentStep marks the step that led to the state that is shown.
func currentStep(current bool) templ.Attributes {
	if !current {
		return nil
	}
	return templ.Attributes{"aria-current": "step"}
}

// columns is how many columns the diagram has.
func (v runView) columns() int { return len(v.Callers) + len(v.Stores) }
