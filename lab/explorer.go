package lab

import (
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// Counts is how much was explored.
type Counts struct {
	// Schedules counts runs, each from the start to its end or to a state that
	// another run had entered before.
	Schedules int
	// States counts the states entered.
	States int
	// Steps counts the steps from one state to another.
	Steps int
}

// A Finding is a run that breaks an invariant.
type Finding struct {
	Schedule   Schedule
	Violations []domain.Violation
}

// An Explorer explores one scenario. It is not safe for concurrent use.
type Explorer struct {
	scenario *Scenario
	programs []*program
	lot      *parking
	given    []Fact
	// start is the state in which each actor is about to make its first call.
	start *state
	// twins are, for each actor, the index of the one that must start before, or -1.
	twins  []int
	counts Counts
	seen   map[mem.Sum]struct{}
	// sound are the views that violate no invariant, and rests is what is wrong with those in which no actor can go on.
	sound   map[mem.Sum]struct{}
	rests   map[mem.Sum][]domain.Violation
	scratch []Choice
}

// NewExplorer is a model checker of the scenario. The caller must call Close.
func NewExplorer(s Scenario) *Explorer {
	if s.Untrusted {
		return NewExplorerOf(s, fewSpaces/repeats) // each has so many executions
	}
	return NewExplorerOf(s, fewSpaces)
}

// NewExplorerOf is NewExplorer, with so many executions of actors kept where they wait. An actor
// whose execution is not kept runs again from its start.
func NewExplorerOf(s Scenario, kept int) *Explorer {
	return &Explorer{
		scenario: &s, lot: &parking{spaces: make([]*point, kept)},
		seen: map[mem.Sum]struct{}{}, sound: map[mem.Sum]struct{}{}, rests: map[mem.Sum][]domain.Violation{},
	}
}

// Close ends the executions that still wait for an answer.
func (x *Explorer) Close() { x.lot.clear() }

// Counts is how much was explored so far.
func (x *Explorer) Counts() Counts { return x.counts }

// initial is the start, of which the set-up runs once.
func (x *Explorer) initial() *state {
	if x.start != nil {
		return x.start
	}
	s := &state{db: emptyBackend(), history: &History{}, faults: x.scenario.Faults}
	for i, actor := range x.scenario.Actors {
		p := x.program(actor, i+1)
		p.intercept = x.scenario.Intercept
		x.programs = append(x.programs, p)
		x.twins = append(x.twins, slices.IndexFunc(x.scenario.Actors, func(a Actor) bool { return a.Name == actor.After }))
	}
	if x.scenario.Setup != nil {
		x.setUp(s)
	}
	for _, p := range x.programs {
		p.given = x.given
		s.places = append(s.places, place{at: p.start()})
	}
	x.start = s
	return s
}

func (x *Explorer) program(actor Actor, index int) *program {
	return &program{actor: actor, index: index, lot: x.lot, options: x.scenario.options(), untrusted: x.scenario.Untrusted, until: x.scenario.Until, started: x.clock(0, actor.Name)}
}

// setUp runs the set-up to its end.
func (x *Explorer) setUp(s *state) {
	p := x.program(Actor{Name: "setup", Run: x.scenario.Setup}, SetupIndex)
	at := p.start()
	for at.call != nil {
		step := Step{Call: at.call}
		x.apply(s, &step, stamp{SetupIndex, at.depth, 0})
		step.Applied.clock = p.started
		at = p.after(at, *step.Applied)
	}
	x.given = at.facts
}

func (x *Explorer) judgeStep(to *state, step Step) []domain.Violation {
	if step.changes == nil {
		return nil
	}
	told := x.given
	if step.Choice.Actor != network {
		told = to.places[step.Choice.Actor-1].at.facts
	}
	return x.scenario.Invariants.Step(told, step.Call, step.changes)
}

// enter reports whether the state is new.
func (x *Explorer) enter(s *state) bool {
	key := x.key(s)
	if _, known := x.seen[key]; known {
		return false
	}
	x.seen[key] = struct{}{}
	x.counts.States++
	return true
}

// violated is what is wrong with a state. States with one view are judged once.
func (x *Explorer) violated(s *state) []domain.Violation {
	view := s.viewSum()
	if _, known := x.sound[view]; known {
		return nil
	}
	violations := x.scenario.Invariants.State(x.view(s))
	if violations == nil {
		x.sound[view] = struct{}{}
	}
	return violations
}

// rest is what is wrong with a state in which no actor can go on.
func (x *Explorer) rest(s *state) []domain.Violation {
	view := s.viewSum()
	violations, known := x.rests[view]
	if !known {
		violations = x.scenario.Invariants.Rest(x.view(s)).Violations
		x.rests[view] = violations
	}
	return violations
}

// A state is the whole system between two steps. It never changes.
type state struct {
	db      mem.Snapshot
	history *History
	places  []place
	late    []delayedCall
	faults  int
	// time is the index of the moment in Scenario.Times.
	time int
	// last is the actor that acted last, if it can go on; preempted counts how often
	// such an actor had to wait. Both are 0 unless the scenario bounds preemptions.
	last      int8
	preempted int
}

// A place is how far an actor has come.
type place struct {
	at *point
	// sends is how often the call was sent before.
	sends uint8
	dead  bool
}

func (p place) stopped() bool { return p.dead || p.at.call == nil }

func (p place) started() bool { return p.dead || p.at.depth > 0 }

// A delayedCall is a request that is still under way and that no actor waits for.
type delayedCall struct {
	at    *point
	stamp stamp
}

// viewSum identifies the View of a state.
func (s *state) viewSum() mem.Sum {
	var d mem.Digest
	d.Sum(s.db.Sum())
	d.Sum(s.history.sum)
	for _, p := range s.places {
		d.Sum(p.at.factsSum)
	}
	d.Int(uint64(s.time))
	return d.Done()
}

// deaths is how many actors have died.
func (s *state) deaths() (n int) {
	for _, p := range s.places {
		if p.dead {
			n++
		}
	}
	return n
}

// key identifies the state. Of an actor that has stopped, only the facts count:
// nothing else that it knew can matter any more.
func (x *Explorer) key(s *state) mem.Sum {
	var d mem.Digest
	d.Sum(s.db.Sum())
	d.Sum(s.history.sum)
	for _, p := range s.places {
		if p.stopped() {
			d.Int(0)
			d.Sum(p.at.factsSum)
			continue
		}
		d.Sum(p.at.id)
		d.Int(uint64(p.sends))
	}
	for _, late := range s.late {
		d.Int(late.stamp.sum())
		d.Sum(late.at.id) // what is requested, also by an actor that has stopped
	}
	d.Int(uint64(s.faults))
	if x.scenario.Deaths > 0 { // else it makes no difference which faults there were
		d.Int(uint64(s.deaths()))
	}
	d.Int(uint64(s.time))
	d.Int(uint64(s.last))
	d.Int(uint64(s.preempted))
	return d.Done()
}

// now is the true time in a state.
func (x *Explorer) now(s *state) time.Time { return Instant().Add(x.scenario.at(s.time).At) }

// clock is what the clock of an actor shows at a moment.
func (x *Explorer) clock(time int, actor string) clock {
	at := x.scenario.at(time)
	return clock{x.scenario.Times != nil, at.At, at.Ahead[actor]}
}

func (x *Explorer) view(s *state) View {
	told := make([][]Fact, 1+len(s.places))
	told[SetupIndex] = x.given
	for i, p := range s.places {
		told[i+1] = p.at.facts
	}
	return View{DB: s.db, Told: told, Now: x.now(s), History: s.history}
}
