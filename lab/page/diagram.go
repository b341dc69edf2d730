package page

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/templates"
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
	lab.StepWords
	// From and To are columns, counted from 0. From is -1 if nobody calls.
	From, To int
	Fate     lab.Fate
	// Refused tells that the store has refused the call.
	Refused bool
	Changes string
	// Sentence says what the call asks for.
	Sentence string
	// Breaks are the laws that are broken since this step, by their titles. Cause tells that the
	// step made that possible.
	Breaks []string
	Cause  bool
	// Differs tells that the step goes another way in the run that this one is compared with.
	Differs bool
	// Current led to the state that is shown. Left comes after it.
	Current, Left bool
	URL           string
}

// folded tells that the line stands for several steps.
func (l lineOfSteps) folded() bool { return l.Last > l.First }

// A lateCall is under way from one line to another, or still.
type lateCall struct {
	From, To  int
	Out, Into int // lines; Into is -1 while it is under way
}

// A span is something that holds from one line to another beside a column. Its lines count from 0;
// -1 is the start, and To is the number of lines if it does not end.
type span struct {
	Column, From, To int
	// Side tells apart what stands beside one column.
	Side  int
	Class string
	// Label stands at its beginning, and End at its end.
	Label, End string
}

// shift is where it stands beside its column, in pixels: a lease on it, gates side by side.
func (b span) shift(more int) string {
	x := -spanWidth/2 + more
	if b.Class != "lease" {
		x = 3 + (spanWidth+2)*b.Side + more
	}
	return "translate(" + strconv.Itoa(x) + ")"
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
	return min(max(v.record.Par, least), mostLines)
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
		First: first, Last: last, StepWords: p.Words(*step), From: step.Sender - 1, To: p.column(step), Fate: step.Choice.Fate,
		Current: first <= p.at && p.at <= last, Left: first > p.at, Cause: first <= p.made && p.made <= last,
		Differs: p.beside && first <= p.decisive && p.decisive <= last, URL: p.state(last, partActors), Refused: step.Applied != nil && step.Applied.Err != nil, Changes: changesIn(p.moments[first : last+1]),
	}
	if step.Call != nil {
		l.Sentence = p.Tell(step.Call, step.Site())
		_, l.Call, _ = strings.Cut(l.Call, ": ") // the arrow leads to the store
	}
	if step.Choice.Fate == lab.Lands {
		l.Actor = p.Actors[l.From].Name
	}
	if l.folded() {
		l.Call, l.Answer, l.Told, l.Refused, l.Fate, l.Sentence = lab.Count(last-first+1, "call"), "", nil, false, lab.Arrives, ""
		l.Actor = strings.Join(p.actorsOf(first, last), ", ")
	}
	for n := first; n <= last; n++ {
		p.lineOf[n] = len(p.Lines)
		l.Breaks = append(l.Breaks, brokenAfter(n, p.moments[n].Laws)...)
		if l.folded() {
			l.Told = append(l.Told, p.Words(*p.moments[n].Step).Told...)
		}
	}
	p.Lines = append(p.Lines, l)
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

// leases are the times for which a worker has a message to itself. Time does not pass in the lab:
// that a lease has run out shows when the queue gives the message to another worker.
func (p *plot) leases() {
	holds := map[string]int{}
	end := func(message, line int, words string) {
		p.Leases[message].To, p.Leases[message].End = line, words
	}
	for n, m := range p.moments {
		if m.Step == nil || m.Step.Applied == nil || m.Step.Applied.Err != nil {
			continue
		}
		switch call := m.Step.Call; call.Method {
		case driver.CallReceive:
			id := m.Step.Applied.Messages[0].ID
			if held, ok := holds[id]; ok {
				end(held, p.lineOf[n], "lease over")
			}
			holds[id] = len(p.Leases)
			p.Leases = append(p.Leases, span{Column: m.Step.Sender - 1, From: p.lineOf[n], To: len(p.Lines), Class: "lease", Label: "lease"})
		case driver.CallDelete, driver.CallUpdate:
			if held, ok := holds[call.Message.ID]; ok {
				end(held, p.lineOf[n], "")
				delete(holds, call.Message.ID)
			}
		}
	}
}

// mostGates is how many incarnations have a strip of their own.
const mostGates = 3

// gates are the states of the gates of each incarnation of the channels that the run is about.
func (p *plot) gates() {
	column, about := len(p.Callers)+slices.Index(p.stores, schema.TableBlogs), p.partitions()
	var strips []string
	latest := map[string]int{}
	for n, m := range p.moments {
		line := -1
		if n > 0 {
			line = p.lineOf[n]
		}
		now := gatesIn(m.DB, about)
		for _, incarnation := range slices.Sorted(maps.Keys(now)) {
			if !slices.Contains(strips, incarnation) && len(strips) < mostGates {
				strips = append(strips, incarnation)
			}
		}
		for side, incarnation := range strips {
			is := cmp.Or(now[incarnation], templates.GateGone)
			at, there := latest[incarnation]
			if there && p.Gates[at].Class == gateClass(is) {
				continue
			}
			if there {
				p.Gates[at].To = line
			}
			latest[incarnation] = len(p.Gates)
			p.Gates = append(p.Gates, span{Column: column, From: line, To: len(p.Lines), Side: side, Class: gateClass(is), Label: is.Word()})
		}
	}
}

func gateClass(s templates.GateState) string { return "gate-" + string(s) }

// partitions are those that somebody calls, or is about to.
func (p *plot) partitions() map[string]bool {
	about := map[string]bool{}
	for _, m := range p.moments {
		if m.Step != nil && m.Step.Call != nil {
			about[m.Step.Call.Partition] = true
		}
		for _, a := range m.Actors {
			if a.Call != nil {
				about[a.Call.Partition] = true
			}
		}
	}
	return about
}

// gatesIn are the states of the gates, by their incarnations.
func gatesIn(db mem.Snapshot, about map[string]bool) map[string]templates.GateState {
	gates := map[string]templates.GateState{}
	for row := range db.Rows(schema.TableBlogs) {
		kind := schema.Of(schema.TableBlogs, row.Partition, row.Row)
		state, isGate := map[*schema.Kind]templates.GateState{
			schema.ReservedGate: templates.GateReserved, schema.OpenGate: templates.GateOpen, schema.ShutGate: templates.GateShut,
		}[kind]
		if incarnation := row.Properties.String(schema.PropIncarnation); isGate && about[row.Partition] {
			gates[incarnation] = state
		}
	}
	return gates
}

// A weighing is what each step of a run weighs, and whether its actor made the one before too. The
// first is that of the start, and is not used.
type weighing struct {
	weights []int
	goesOn  []bool
}

// parts groups the steps so that there are no more lines than so many. What moves nothing is folded first, and of
// that the longest; what weighs most stays.
func (w weighing) parts(most int) (parts [][2]int) {
	for level := -1; level <= weighsMuch+1; level++ {
		runs := w.light(level)
		slices.SortStableFunc(runs, func(a, b [2]int) int { return (b[1] - b[0]) - (a[1] - a[0]) })
		lines := len(w.weights) - 1
		for i, run := range runs {
			if lines <= most {
				runs = runs[:i]
				break
			}
			lines -= run[1] - run[0]
		}
		parts = nil
		for n := 1; n < len(w.weights); n++ {
			part := [2]int{n, n}
			if at := slices.IndexFunc(runs, func(run [2]int) bool { return run[0] == n }); at >= 0 {
				part = runs[at]
			}
			parts, n = append(parts, part), part[1]
		}
		if lines <= most {
			break
		}
	}
	return parts
}

// light are the longest runs of steps of one actor that weigh so little. At last they may be of
// several.
func (w weighing) light(level int) (runs [][2]int) {
	open := false // the last run may go on
	for n := 1; n < len(w.weights); n++ {
		light := w.weights[n] <= min(level, weighsMuch)
		switch {
		case light && open && (level > weighsMuch || w.goesOn[n]):
			runs[len(runs)-1][1] = n
		case light:
			runs = append(runs, [2]int{n, n})
		}
		open = light
	}
	return runs
}

// with is what both runs weigh, step by step.
func (w weighing) with(other weighing) weighing {
	if len(w.weights) < len(other.weights) {
		w, other = other, w
	}
	for n := range other.weights {
		w.weights[n], w.goesOn[n] = max(w.weights[n], other.weights[n]), w.goesOn[n] && other.goesOn[n]
	}
	return w
}

// What a step weighs.
const (
	weighsNothing = iota
	weighsLittle  // it has changed rows
	weighsMuch    // somebody was told something, has a message, or is refused
	weighsMost    // a fault, a broken law or its cause, or the present: it is never folded
)

func (v *scene) weigh() weighing {
	w := weighing{make([]int, len(v.moments)), make([]bool, len(v.moments))}
	for n := 1; n < len(v.moments); n++ {
		m := v.moments[n]
		step := m.Step
		w.goesOn[n] = n > 1 && step.Sender == v.moments[n-1].Step.Sender
		switch {
		case n == v.at, n == v.made, n == v.decisive, step.Choice.Fate != lab.Arrives, brokenAfter(n, m.Laws) != nil:
			w.weights[n] = weighsMost
		case step.Applied != nil && step.Applied.Err != nil, step.Call.Method == driver.CallReceive, len(v.Words(*step).Told) > 0:
			w.weights[n] = weighsMuch
		case step.Changes() != nil:
			w.weights[n] = weighsLittle
		}
	}
	return w
}

// cause is the step that made it possible that a law is broken later: the one that is refused with
// the guard; or else a late call that landed, the latest fault, what somebody else has changed in
// between, or the call that is another one with the guard. It is 0 if there is none.
func (v *scene) cause() int {
	worst, broken := v.worst()
	if !broken || worst.Since == 0 {
		return 0
	}
	if v.refused > 0 && v.refused < worst.Since {
		return v.refused
	}
	fault, changed, other := 0, 0, 0
	for n := worst.Since - 1; n > 0; n-- {
		step := v.moments[n].Step
		switch fate := step.Choice.Fate; {
		case fate == lab.Lands:
			return n
		case fate != lab.Arrives:
			fault = max(fault, n)
		case step.Sender != v.moments[worst.Since].Step.Sender && step.Changes() != nil:
			changed = max(changed, n)
		case n == v.decisive:
			other = n
		}
	}
	return cmp.Or(fault, changed, other)
}
