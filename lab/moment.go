package lab

import "microblogging/lab/mem"

// A Moment is a state between two steps, for people: who is about to do what, what may
// befall them, and which laws hold.
type Moment struct {
	// Step led here. It is nil at the start.
	Step *Step
	DB   mem.Snapshot
	// Actors are in the scenario's order.
	Actors []ActorState
	// Network is what may happen without an actor: a late request lands, or the queue
	// forgets a message.
	Network []Option
	// Told is what each actor has told so far. The set-up comes first.
	Told [][]Fact
	Laws []LawState
	// Faults is how many faults are left.
	Faults int
	// AtRest tells that no actor can go on and that no request is under way. Then the laws
	// are judged by what fresh workers leave.
	AtRest bool
}

// Broken tells whether a law is broken here, or was before.
func (m Moment) Broken() bool {
	for _, law := range m.Laws {
		if law.State == LawBroken {
			return true
		}
	}
	return false
}

func (x *Explorer) moment(s *state, step *Step, laws []LawState) Moment {
	m := Moment{
		Step: step, DB: s.db, Told: x.view(s).Told, Laws: laws,
		Network: x.networkOptions(s), Faults: s.faults, AtRest: len(x.choices(s)) == 0,
	}
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
	// Site is the line that makes the call, and Above are the lines that led to it, the
	// nearest first.
	Site  Site
	Above []Site
	// Options has every fate in a fixed order, possible or not. A call that receives has
	// one option for each message.
	Options []Option
}

func (x *Explorer) actorState(s *state, i int) ActorState {
	p := s.places[i]
	a := ActorState{Name: x.scenario.Actors[i].Name, State: AboutToCall, Options: x.actorOptions(s, i)}
	switch {
	case p.dead:
		a.State = Dead
	case p.stopped():
		a.State = Finished
	default:
		a.Call, a.Words = p.at.call, x.scenario.DescribeCall(p.at.call)
		a.Site, a.Above = p.at.lines()
	}
	return a
}
