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
	// Start is the address of the state before the first step.
	Start string
	// At is the number of steps before the state that is shown.
	At int
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

func newRunView(moments []lab.Moment, stores []string, l links) runView {
	v := runView{Start: l.state(0, partRun), At: l.at}
	for _, a := range moments[0].Actors {
		v.Callers = append(v.Callers, a.Name)
	}
	for _, name := range stores {
		v.Stores = append(v.Stores, storeTitle(name))
	}
	for i, m := range moments[1:] {
		n := i + 1
		row := stepView{
			StepWords: l.Words(*m.Step), Number: n, Changes: changesIn(m.Step), Breaks: broken(moments[i].Laws, m.Laws),
			URL: l.state(n, partRun), Current: n == l.at, Left: n > l.at,
		}
		row.Out, row.Back = arrowsOf(m.Step.Choice.Fate)
		row.From = m.Step.Sender
		row.To = len(v.Callers) + 1 + slices.Index(stores, targetOf(m.Step))
		if m.Step.Choice.Fate == lab.Lands {
			row.Actor = v.Callers[row.From-1]
		}
		v.Steps = append(v.Steps, row)
	}
	return v
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

// broken lists the laws that are broken after a step and were not before.
func broken(before, after []lab.LawState) (laws []string) {
	for i, law := range after {
		if law.State == lab.LawBroken && before[i].State != lab.LawBroken {
			laws = append(laws, law.Name)
		}
	}
	return laws
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
