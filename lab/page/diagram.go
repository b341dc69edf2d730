package page

import (
	"slices"
	"strings"

	"microblogging/lab"
	"microblogging/storage/schema"
)

// A diagram is a run as a sequence diagram: a lifeline for each actor and each store, and a line for
// each step, or for several that are folded.
type diagram struct {
	// Callers are the lifelines of the actors. Stores are those of the queues and tables.
	Callers, Stores []lifeline
	Lines           []lineOfSteps
	// Late are the calls that lie under way while others act.
	Late []lateCall
	// Leases and Gates are what holds for a while.
	Leases, Gates []span
	// Rows is how many lines there are room for.
	Rows int
}

// A lifeline is a column. It ends with a line, or goes on.
type lifeline struct {
	Name  string
	Ends  int
	Dead  bool
	Store bool
}

// A lineOfSteps is a line of the diagram.
type lineOfSteps struct {
	// First and Last are the numbers of its steps.
	First, Last int
	lab.StepText
	// From and To are columns, counted from 0. From is -1 if no actor calls.
	From, To int
	Fate     lab.Fate
	// Refused reports whether the store has refused the call.
	Refused bool
	Changes string
	// Sentence says what the call asks for.
	Sentence string
	// Breaks are the invariants that are broken since this step, by their titles. Cause tells that the
	// step made that possible.
	Breaks []string
	Cause  bool
	// Differs reports whether the step goes another way in the run that this one is compared with.
	Differs bool
	// Current led to the state that is shown. Left comes after it.
	Current, Left bool
	URL           string
}

// folded reports whether the line shows several steps.
func (l lineOfSteps) folded() bool { return l.Last > l.First }

// A lateCall is under way from one line to another, or still.
type lateCall struct {
	From, To  int
	Out, Into int // lines; Into is -1 while it is under way
}

// A plot makes a diagram.
type plot struct {
	*scene
	diagram
	lineOf []int
}

// mostLines is how many lines of a diagram a screen of 720 pixels shows.
const mostLines = 15

// room is for how many lines a wide screen has room from the start, so that what lies below does not
// move with each step.
func (v *scene) room() int {
	const least = 7 // the scene lies on it at first
	return min(max(v.record.Shortest, least), mostLines)
}

// with has room for so many lines.
func (d diagram) with(room int) diagram {
	d.Rows = max(d.Rows, room)
	return d
}

// diagram is the whole run, with a line for each part. Without parts each step has a line.
func (v *scene) diagram(parts [][2]int) diagram {
	p := plot{scene: v}
	p.lineOf = make([]int, len(v.moments))
	p.columns()
	for n := 1; n < len(v.moments) && parts == nil; n++ {
		p.line(n, n)
	}
	for _, part := range parts {
		if part[0] < len(v.moments) {
			p.line(part[0], min(part[1], len(v.moments)-1))
		}
	}
	p.Rows = max(len(parts), len(p.Lines), 1)
	p.late()
	p.leases()
	p.gates()
	return p.diagram
}

func (p *plot) columns() {
	for i, a := range p.now().Actors {
		line := lifeline{Name: a.Name, Dead: a.State == lab.Dead}
		if a.State != lab.AboutToCall {
			line.Ends = p.lastOf(i + 1)
		}
		p.Callers = append(p.Callers, line)
	}
	for _, name := range p.stores {
		p.Stores = append(p.Stores, lifeline{Name: storeTitle(name), Store: true})
	}
}

// lastOf is the number of the last step of an actor that is shown.
func (p *plot) lastOf(actor int) int {
	for n := p.at; n > 0; n-- {
		if int(p.moments[n].Step.Choice.Actor) == actor {
			return n
		}
	}
	return 0
}

// line adds the line of the steps from first to last.
func (p *plot) line(first, last int) {
	step := p.moments[last].Step
	l := lineOfSteps{
		First: first, Last: last, StepText: p.Words(*step), From: step.Sender - 1, To: p.column(step), Fate: step.Choice.Fate,
		Current: first <= p.at && p.at <= last, Left: first > p.at, Cause: first <= p.made && p.made <= last,
		Differs: p.sideBySide && first <= p.decisive && p.decisive <= last, URL: p.state(last, partActors), Refused: step.Applied != nil && step.Applied.Err != nil, Changes: changesIn(p.moments[first : last+1]),
	}
	if step.Call != nil {
		l.Sentence = p.Tell(step.Call, step.Site())
		_, l.Call, _ = strings.Cut(p.rowsNamed(l.Call, step.Call), ": ") // the arrow leads to the store
	}
	if step.Choice.Fate == lab.Lands {
		l.Actor = p.Actors[l.From].Name
	}
	if l.folded() {
		l.Call, l.Result, l.Told, l.Refused, l.Fate, l.Sentence = lab.Count(last-first+1, "call"), "", nil, false, lab.Arrives, ""
		l.Actor = strings.Join(p.actorsOf(first, last), ", ")
	}
	for n := first; n <= last; n++ {
		p.lineOf[n] = len(p.Lines)
		l.Breaks = append(l.Breaks, brokenAfter(n, p.moments[n].Invariants)...)
		if l.folded() {
			l.Call += gateMoved(*p.moments[n].Step)
			l.Told = append(l.Told, p.Words(*p.moments[n].Step).Told...)
		}
	}
	p.Lines = append(p.Lines, l)
}

// rowsNamed has words for the rows of a call whose keys say less.
func (p *plot) rowsNamed(words string, call *lab.Call) string {
	rows := []string{call.Row}
	for _, op := range call.Operations {
		rows = append(rows, op.Row)
	}
	for _, row := range rows {
		switch key, kind := p.Pretty(lab.NameRow(call.Target, row)), schema.Of(call.Target, call.Partition, row); {
		case kind == nil || kind.Form == "":
		case kind.Hash != "":
			words = strings.Replace(words, key, kind.Name, 1)
		default:
			words = strings.Replace(words, key, kind.Name+" "+key[strings.LastIndex(key, "!")+1:], 1)
		}
	}
	return words
}

func (p *plot) actorsOf(first, last int) (names []string) {
	for n := first; n <= last; n++ {
		if name := p.Words(*p.moments[n].Step).Actor; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// column is that of the store that a step calls.
func (p *plot) column(step *lab.Step) int {
	return len(p.Callers) + slices.Index(p.stores, targetOf(step))
}

// late finds where each call that was under way has landed. The network counts them as they were
// sent.
func (p *plot) late() {
	var underWay []int
	for n, m := range p.moments {
		if m.Step == nil {
			continue
		}
		switch m.Step.Choice.Fate {
		case lab.GivenUp, lab.Copied:
			underWay = append(underWay, len(p.Late))
			p.Late = append(p.Late, lateCall{From: m.Step.Sender - 1, To: p.column(m.Step), Out: p.lineOf[n], Into: -1})
		case lab.Lands:
			at := int(m.Step.Choice.Arg)
			p.Late[underWay[at]].Into = p.lineOf[n]
			underWay = slices.Delete(underWay, at, at+1)
		}
	}
}
