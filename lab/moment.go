package lab

import (
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// A Moment is a state between two steps, for people: what each actor is about to do, what may
// happen to its call, and which invariants hold.
type Moment struct {
	// Step led here. It is nil at the start.
	Step *Step
	DB   mem.Snapshot
	// Actors are in the scenario's order.
	Actors []ActorState
	// Network is what may happen without an actor: a late request lands, or the queue
	// forgets a message.
	Network    []Option
	Invariants []InvariantState
	// Faults is how many faults are left, and Interruptions how many interruptions if the scenario
	// bounds them.
	Faults, Interruptions int
	// Rest is what fresh workers leave, by which the invariants are judged if no actor can go on and no
	// request is under way, whatever the queue may still lose. It is nil otherwise.
	Rest *Outcome
	key  mem.Sum
}

// Quiescent reports whether no actor can go on and no request is under way.
func (m Moment) Quiescent() bool { return m.Rest != nil }

// Violated are the invariants that are violated by then.
func (m Moment) Violated() (list []InvariantState) {
	for _, invariant := range m.Invariants {
		if invariant.State == InvariantViolated {
			list = append(list, invariant)
		}
	}
	return list
}

// moment is the state after a step. before are the moments before it.
func (x *Explorer) moment(s *state, step *Step, violations []domain.Violation, before []Moment) Moment {
	m := Moment{Step: step, DB: s.db, Network: x.options(s, network), Faults: s.faults,
		Interruptions: x.scenario.Preemptions - s.preempted, key: x.key(s)}
	if idle(x.choices(s)) {
		rest := x.scenario.Invariants.Rest(x.view(s))
		m.Rest = &rest
	}
	m.Invariants = x.judge(before, m.Rest, violations)
	for i := range s.places {
		m.Actors = append(m.Actors, x.actorState(s, i))
	}
	return m
}

// The states of an actor.
const (
	AboutToCall = "about to call"
	Finished    = "finished"
	Dead        = "dead"
)

// An ActorState is how far an actor has come, and what may happen next to it.
type ActorState struct {
	Name string
	// State is AboutToCall, Finished or Dead.
	State string
	// Call is the call that the actor is about to make, and Words says it in words. Without
	// one, they are nil and empty.
	Call  *Call
	Words string
	// Sentence says what the call asks for.
	Sentence string
	// Site is the line that makes the call.
	Site Site
	// Told is what it was told so far.
	Told []string
	// Options are what may happen, and Why says why nothing may.
	Options []Option
	Why     string
}

func (x *Explorer) actorState(s *state, i int) ActorState {
	p := s.places[i]
	a := ActorState{Name: x.scenario.Actors[i].Name, State: AboutToCall, Told: toldIn(p.at.facts),
		Options: x.options(s, int8(i+1)), Why: x.whyNotActor(s, i)}
	switch {
	case p.dead:
		a.State = Dead
	case p.stopped():
		a.State = Finished
	default:
		a.Call, a.Words = p.at.call, x.scenario.DescribeCall(p.at.call)
		a.Site = p.at.line()
		a.Sentence = x.scenario.Tell(a.Call, a.Site)
		if a.Options == nil && a.Why == "" {
			a.Why = "the queue is empty"
		}
	}
	return a
}

// A StuckError tells which choice of a schedule cannot be taken or read, and why.
type StuckError struct {
	// Position is the index of the choice, from 0. A choice that is written ann*3 counts
	// three times.
	Position int
	// Word is the choice as it was written.
	Word string
	Why  string
}

// Error implements error. It counts choices from 1, as a reader does.
func (e *StuckError) Error() string {
	return fmt.Sprintf("choice %d, %q, cannot be taken: %s", e.Position+1, e.Word, e.Why)
}

// Follow takes a schedule and returns the moment before its first step and the one after
// each step. It does not stop at a violated invariant: the moment says so, and the run goes on.
// If a choice cannot be taken, the error is a *StuckError, and the moments before it are
// returned. With complete it is left out instead, and at the end of the schedule the actors
// that still wait go on, one after the other.
func (x *Explorer) Follow(schedule Schedule, complete bool) ([]Moment, error) {
	x.trace()
	at := x.initial()
	moments := []Moment{x.moment(at, nil, x.violated(at), nil)}
	take := func(c Choice) {
		to, step, violations := x.take(at, c)
		moments, at = append(moments, x.moment(to, &step, violations, moments)), to
	}
	for i, c := range schedule {
		switch {
		case x.allows(at, c):
			take(c)
		case !complete:
			return moments, x.stuck(at, i, c)
		}
	}
	for next, ok := onward(x.choices(at)); complete && ok; next, ok = onward(x.choices(at)) {
		take(next)
	}
	return moments, nil
}

// take takes a choice, and says what is wrong with the step and the state that it leads to.
func (x *Explorer) take(from *state, c Choice) (*state, Step, []domain.Violation) {
	to, step := x.perform(from, c)
	return to, step, append(x.judgeStep(to, step), x.violated(to)...)
}

// trace makes each call know the line that makes it, from now on. What is known of the
// actors' code without that is forgotten.
func (x *Explorer) trace() {
	if x.lot.traces {
		return
	}
	x.lot.clear()
	x.lot.traces = true
	x.programs, x.twins, x.start = nil, nil, nil
}

// A Invariant is the name of one invariant, and when it is judged.
type Invariant struct {
	// Name is the one in a domain.Violation: "I1".
	Name string
	// Title says it in two or three words: "no orphan". Means says in a sentence what it
	// demands, for a reader who sees it for the first time.
	Title, Means string
	When         When
}

// When says in which states an invariant is judged.
type When uint8

const (
	// Always: in each state, and with each step.
	Always When = iota
	// Quiescent: some part of the invariant is judged only when no actor can go on.
	Quiescent
	// Finally: only when no actor can go on and all other invariants hold.
	Finally
)

// The states of an invariant.
const (
	InvariantHolds    = "holds"
	InvariantViolated = "violated"
	InvariantOpen     = "open"
)

// A InvariantState says whether an invariant holds at one moment of a run.
type InvariantState struct {
	Invariant
	// State is InvariantHolds, InvariantViolated or InvariantOpen. An invariant that was broken once in a run stays so.
	State string
	// Reason is why it is broken, in the words of check, or why it is open.
	Reason string
	// Violation is how it is broken. It is the zero value if it is not.
	Violation domain.Violation
	// Since is the number of steps after which it was broken.
	Since int
	// Idle reports whether that was seen only because the system is idle. Then the last step need not have
	// done it.
	Idle bool
}

// judge says which invariants hold after the moments before. violations are what is wrong, without what is wrong at
// rest.
func (x *Explorer) judge(before []Moment, rest *Outcome, violations []domain.Violation) (states []InvariantState) {
	seen := len(violations)
	if rest != nil {
		violations = append(violations, rest.Violations...)
	}
	for i, invariant := range x.scenario.Invariants.List() {
		if len(before) > 0 && before[len(before)-1].Invariants[i].State == InvariantViolated {
			states = append(states, before[len(before)-1].Invariants[i])
			continue
		}
		state := InvariantState{Invariant: invariant, State: InvariantHolds}
		at := slices.IndexFunc(violations, func(b domain.Violation) bool { return b.Invariant == invariant.Name })
		switch {
		case at >= 0:
			state.State, state.Reason, state.Since = InvariantViolated, x.scenario.DescribeViolation(violations[at]), len(before)
			state.Violation = violations[at]
			state.Idle = at >= seen
		case invariant.When == Always:
		case rest == nil:
			state.State, state.Reason = InvariantOpen, "not checked before the system is idle"
		case rest.Unfinished:
			state.State, state.Reason = InvariantOpen, "not checked, because new workers do not finish"
		case invariant.When == Finally && violations != nil:
			state.State, state.Reason = InvariantOpen, "not checked, because another invariant is violated"
		}
		states = append(states, state)
	}
	return states
}

// An Outcome is what fresh workers do and leave when no actor can go on, and the verdict.
type Outcome struct {
	// DB is what they leave.
	DB mem.Snapshot
	// Deeds are what they did, in order.
	Deeds []Deed
	// Violations are the invariants that are broken then.
	Violations []domain.Violation
	// Unfinished reports whether they came to no end. Then most invariants were not judged.
	Unfinished bool
}

// A Deed is one thing that a fresh worker did.
type Deed struct {
	// Message is the text of the message that it handled. It is empty if the worker made a
	// reconciling pass, or ran the Recover of a reader's own protocol.
	Message string
	Recover bool
	// Err is why it failed, if it did. Then the message stays on the queue.
	Err error
}

// DescribeDeed says in one line what a fresh worker did.
func (s *Scenario) DescribeDeed(d Deed) string {
	text := "looks for deletions without a message"
	switch {
	case d.Recover:
		text = "runs Recover"
	case d.Message != "":
		text = "handles: " + describeMessage(d.Message)
	}
	if d.Err != nil {
		text += "; " + d.Err.Error()
	}
	return s.Pretty(text)
}
