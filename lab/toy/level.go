package toy

import (
	"errors"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/own"
	"microblogging/storage/driver"
)

// A Level is a protocol with one write whose condition is chosen.
type Level struct {
	Title string
	// Task says who does what, and Never what must not be.
	Task, Never string
	// Write is the sentence of the write, without its full stop.
	Write string
	// Why says why the right condition holds, and Idea what to remember.
	Why, Idea string
	// Rows are the names of the rows, in the order in which a figure has them. The name of a row in another table, so
	// that no transaction spans it and the others, ends with Elsewhere.
	Rows    []string
	Clauses []Clause
	// protocol is the protocol with a clause.
	protocol func(clause string) own.Protocol
	// adjusts is what package own has no word for. It may be nil.
	adjusts func(*lab.Scenario)
}

// Elsewhere is the end of the name of a row that lies in another table.
const Elsewhere = " ⟂"

// A Clause is a condition of the write.
type Clause struct {
	// Name is that of the query, Label is its words, and Code is the condition as a line of code. Code is empty if there is no
	// condition.
	Name, Label, Code string
	// Not says why it cannot be chosen. It is empty if it can.
	Not string
}

// None is the name of the clause without a condition.
const None = "none"

// Levels are the five, in their order.
func Levels() []Level {
	return []Level{checkThenWrite(), lease(), gate(), shutGate(), reservation()}
}

// Clause returns the clause of that name.
func (l Level) Clause(name string) (Clause, bool) {
	at := slices.IndexFunc(l.Clauses, func(c Clause) bool { return c.Name == name })
	if at < 0 {
		return Clause{}, false
	}
	return l.Clauses[at], true
}

// A Verdict is what the model checker has found about a level with a clause.
type Verdict struct {
	// States is how many states were entered: all of them if the clause holds.
	States int
	// Violated is what is wrong at the end of the run. It is empty if the clause holds.
	Violated string
	// Run is one of the shortest that break the protocol. If the clause holds, it is the run that breaks the protocol without a
	// condition, as far as it is possible.
	Run []Step
	// Actors are all that act in the protocol, whether they do in the run or not. Last comes "network" if it does in the run.
	Actors []string
	// Did is the number of the step that did it, and Because of the one because of which it did. Right before that one it would
	// have done no harm. If the clause holds, Did is the step that is refused. Each is 0 if there is none.
	Did, Because int
	// Refused reports whether Did is a call that the store refused.
	Refused bool
}

// A Step is one line of a figure.
type Step struct {
	// Actor is who acts: "network" if a copy of a request arrives.
	Actor string
	// Call says what is asked for, and Answer what the store says.
	Call, Answer string
	// Row is the name of the row that the call is about, and Writes reports whether the call changes one.
	Row    string
	Writes bool
	// Before and After are the names of the rows that are there.
	Before, After []string
}

// Check enters all states of the level with the clause of that name, which can be chosen.
func (l Level) Check(clause string) Verdict {
	s := l.scenario(clause)
	x := lab.NewExplorer(s)
	defer x.Close()
	found := x.Explore()
	v := Verdict{States: x.Counts().States}
	if found == nil {
		v.Run, v.Did = l.refusing(clause)
		v.Refused = v.Did > 0
	} else {
		run := follow(s, found.Schedule, false)
		v.Violated, v.Run = found.Violations[0].Detail, l.told(s, run)
		v.Did, v.Because, v.Refused = l.cause(s, found.Schedule, run)
	}
	for _, actor := range s.Actors {
		v.Actors = append(v.Actors, actor.Name)
	}
	if slices.ContainsFunc(v.Run, func(step Step) bool { return step.Actor == network }) {
		v.Actors = append(v.Actors, network)
	}
	return v
}

// network is the actor of a step in which a copy arrives.
const network = "network"

func (l Level) scenario(clause string) lab.Scenario {
	s := l.protocol(clause).Scenario("toy")
	s.Untrusted = false // it comes with the lab
	if l.adjusts != nil {
		l.adjusts(&s)
	}
	return s
}

func follow(s lab.Scenario, schedule lab.Schedule, complete bool) []lab.Moment {
	x := lab.NewExplorer(s)
	defer x.Close()
	run, _ := x.Follow(schedule, complete) // it was found, or is completed
	return run
}

// asks reports whether a step is the write whose condition is chosen.
func (l Level) asks(step *lab.Step) bool { return step.Site().Sentence == l.Write+"." }

// cause is the last step of a run that asks for the condition, and the one because of which it did harm. If the store refused it,
// that is the one before that was not refused.
func (l Level) cause(s lab.Scenario, schedule lab.Schedule, run []lab.Moment) (did, because int, refused bool) {
	for n, m := range run[1:] {
		if l.asks(m.Step) {
			did, because = n+1, did
		}
	}
	if run[did].Step.Applied.Err != nil {
		return did, because, true
	}
	x := lab.NewExplorer(s)
	defer x.Close()
	return did, x.Harmless(schedule, did), false
}

// refusing is the run that breaks the protocol without a condition, and the last step of it that a clause refuses.
func (l Level) refusing(clause string) (steps []Step, refused int) {
	s := l.scenario(None)
	x := lab.NewExplorer(s)
	defer x.Close()
	found := x.Explore()
	if found == nil {
		return nil, 0
	}
	with := l.scenario(clause)
	run := follow(with, found.Schedule, true)
	run = run[:min(len(run), len(found.Schedule)+1)]
	for n, m := range run {
		if m.Step != nil && l.asks(m.Step) && m.Step.Applied != nil && m.Step.Applied.Err != nil {
			refused = n
		}
	}
	return l.told(with, run), refused
}

// told are the steps of a run in words.
func (l Level) told(s lab.Scenario, run []lab.Moment) []Step {
	steps := make([]Step, len(run)-1)
	for i := range steps {
		step := run[i+1].Step
		words := s.Words(*step)
		call := strings.TrimSuffix(step.Site().Sentence, ".")
		switch step.Choice.Fate {
		case lab.Lands:
			call = "A copy arrives: " + strings.ToLower(call[:1]) + call[1:]
		case lab.Copied:
			call += ", and a copy stays under way"
		}
		steps[i] = Step{Actor: words.Actor, Call: call, Answer: answer(step), Row: l.about(step.Call),
			Writes: len(step.Changes()) > 0, Before: l.there(run[i]), After: l.there(run[i+1])}
	}
	return steps
}

// there are the names of the rows that are there.
func (l Level) there(m lab.Moment) (names []string) {
	for _, table := range []string{channels, rows} {
		for e := range m.DB.Rows(table) {
			if name := l.name(table, e.Row, e.Properties.Int64("Incarnation")); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// about is the name of the row that a call is about: of a transaction, that of its last operation.
func (l Level) about(c *lab.Call) string {
	switch c.Method {
	case driver.CallGet:
		return l.name(c.Target, c.Row, 0)
	case driver.CallTransact:
		last := c.Operations[len(c.Operations)-1]
		return l.name(c.Target, last.Row, last.Properties.Int64("Incarnation"))
	}
	return l.Rows[len(l.Rows)-1] // all that are listed
}

// name is the name of a row in a figure.
func (l Level) name(table, row string, incarnation int64) string {
	switch {
	case table == channels:
		return "channel" + Elsewhere
	case row == anyGate:
		return gateOf(max(incarnation, 1))
	case strings.HasPrefix(row, "post"):
		return "post"
	}
	return row
}

// answer is what the store says, in a few words.
func answer(step *lab.Step) string {
	a := step.Applied
	switch {
	case a.Err != nil && step.Call.Method == driver.CallGet:
		return "none"
	case errors.Is(a.Err, domain.ErrExists):
		return "refused: it is there"
	case errors.Is(a.Err, domain.ErrNotFound):
		return "refused: a row is gone"
	case a.Err != nil:
		return "refused: another version"
	case step.Call.Method == driver.CallGet:
		return described(a.Entity)
	case step.Call.Method != driver.CallRange:
		return "ok"
	case len(a.Page.Rows) == 0:
		return "none"
	}
	var found []string
	for _, row := range a.Page.Rows {
		words := row.Row
		if by := row.Properties.String("By"); by != "" {
			words += " of " + by
		}
		found = append(found, words)
	}
	return strings.Join(found, ", ")
}

// described is what a row says.
func described(e driver.Entity) string {
	switch {
	case e.Properties.String("State") != "":
		return e.Properties.String("State")
	case e.Properties.Int64("Incarnation") > 0:
		return "incarnation " + digit(e.Properties.Int64("Incarnation"))
	}
	return "there"
}
