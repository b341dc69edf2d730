package lab

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// An Actor is one process, or one request, that runs real code.
type Actor struct {
	Name string
	Run  func(ctx context.Context, c *Client)
	// After names an actor that is just like this one. This one starts only
	// once the other has, since it makes no difference which of them is first.
	After string
}

// A Scenario is a situation to explore: what is there, who acts, and what may go
// wrong.
type Scenario struct {
	Name string
	// About is one sentence for who reads the table.
	About string
	// Setup makes what is there at the start, and tells it. It may be nil.
	Setup  func(ctx context.Context, c *Client)
	Actors []Actor
	// Faults is the most faults of one run: deaths, lost and repeated requests.
	Faults int
	// Deaths leaves no other faults than deaths.
	Deaths bool
	// Forgets adds the fault of a queue that loses a message.
	Forgets bool
	// Straggles adds the fault of a request that is still under way when its
	// caller has given up, or of a copy of one that was answered, which lands at
	// any later time. It tells which calls may; nil means none.
	Straggles func(*Call) bool
	// Preemptions bounds how often an actor is interrupted that could go on; 0
	// does not bound it.
	Preemptions int
	// Walks is a number of random walks to take, in the place of all states.
	Walks int
	// Limit ends the search after so many states, if it is not 0.
	Limit int
	// Slow leaves the scenario to make prove.
	Slow bool
	// Laws are what must hold.
	Laws Laws
	// Intercept makes an interceptor for each execution of an actor; nil if the
	// code runs as it is.
	Intercept func(actor string) Interceptor
}

// Laws say what is wrong with a state, and nothing if all is well.
type Laws interface {
	// Step looks at what one call has changed, and at what its actor has told.
	Step(told []Fact, call *Call, changes []mem.Change) []domain.Breach
	// State looks at a state, in which requests may be under way.
	State(v View) []domain.Breach
	// Rest lets fresh workers carry on from a state where nobody does anything any
	// more, and looks at what they leave.
	Rest(v View) []domain.Breach
}

// A View is what laws look at.
type View struct {
	DB mem.Snapshot
	// Told is what each actor has told so far, dead or alive; the set-up is the
	// first.
	Told [][]Fact
	*History
}

// each calls f with every fact of every actor.
// each goes through all facts: whose, and which of theirs.
func (v View) each(f func(actor, at int, fact Fact)) {
	for actor, facts := range v.Told {
		for at, fact := range facts {
			f(actor, at, fact)
		}
	}
}

func (v View) has(kind Kind, matches func(Fact) bool) bool {
	for _, facts := range v.Told {
		for _, fact := range facts {
			if fact.Kind == kind && matches(fact) {
				return true
			}
		}
	}
	return false
}

// The tables of package storage.
const (
	tableChannels      = "Channels"
	tableBlogs         = "Blogs"
	tableDeletions     = "Deletions"
	tableSubscriptions = "Subscriptions"
)

func emptyBackend() mem.Snapshot {
	var s mem.Snapshot
	for _, table := range []string{tableChannels, tableBlogs, tableDeletions, tableSubscriptions, "Users", "Sessions", "Throttle"} {
		s = s.WithTable(table)
	}
	return s.WithQueue(domain.QueueName).WithQueue(domain.PoisonQueueName)
}

// setup is the actor of the set-up: it acts alone, before the others, and
// nothing befalls it.
const setupIndex = 0

func (s *Scenario) actorName(index int) string {
	switch {
	case index == setupIndex:
		return "setup"
	case index-1 < len(s.Actors):
		return s.Actors[index-1].Name
	default:
		return fmt.Sprintf("actor %d", index)
	}
}

func (s *Scenario) actorNames() []string {
	names := make([]string, len(s.Actors))
	for i, actor := range s.Actors {
		names[i] = actor.Name
	}
	return names
}
