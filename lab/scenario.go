package lab

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// An Actor is one process, or one request, that runs real code.
type Actor struct {
	Name string
	Run  func(ctx context.Context, c *Client)
	// After names an actor that is equal to this one. This one starts only after
	// the other has, because it makes no difference which of them is first.
	After string
	// LastFirst makes the reads that the code makes concurrently in the opposite order. Such
	// reads may take effect in any order: an actor for each order explores them.
	LastFirst bool
	// Ahead is for how many calls the actor's clock is far ahead. Then it steps back.
	Ahead int
}

// The names of the scenarios in lab/own begin with OwnPrefix.
const OwnPrefix = "own/"

// InTurn runs the code of an actor, one after the other.
func InTurn(bodies ...func(ctx context.Context, c *Client)) func(ctx context.Context, c *Client) {
	return func(ctx context.Context, c *Client) {
		for _, do := range bodies {
			do(ctx, c)
		}
	}
}

// A Scenario is a situation to explore: what is in the store, who acts, and what
// may go wrong.
type Scenario struct {
	Name string
	// About is one sentence for the reader of the table.
	About string
	// Setup fills the store and tells what it made. It may be nil.
	Setup  func(ctx context.Context, c *Client)
	Actors []Actor
	// Faults is the most faults of one run: deaths, lost and repeated requests.
	Faults int
	// Deaths is how many of the faults are deaths, and no others. If it is 0, any may be.
	Deaths int
	// Only is the one fault of calls that there is. Arrives means any.
	Only Fate
	// Forgets adds the fault that the queue loses a message.
	Forgets bool
	// DelayedCalls adds two faults: the caller of a request gives up while it is still
	// under way, and a copy of an answered request is still under way. Either lands
	// at any later time. DelayedCalls tells which calls may; nil means none.
	DelayedCalls func(*driver.Call) bool
	// Preemptions is the most times in one run that an actor which can go on has to
	// wait; 0 means any number.
	Preemptions int
	// Walks is a number of random walks to take instead of entering all states.
	Walks int
	// SweepRows is how many rows a transaction of a sweep deletes, if not as many as fit. So a few
	// rows are swept in several transactions.
	SweepRows int
	// Noting makes processes that post write the index of active channels, in one partition. Otherwise
	// each process has just written its rows there.
	Noting bool
	// Undo is how long a deletion can be undone: of a channel, and of an account if Times are set.
	Undo time.Duration
	// Times are the moments of a scenario in which time passes, the first of them at its start. The
	// network decides when the next one comes. Between two of them no clock moves, and a message
	// that is delayed is not delivered. Without Times, no time passes, any message is delivered at
	// any time, and the time to undo is over at any time: so only the order of writes decides.
	Times []Time
	// Untrusted is for code that may be wrong in any way. An actor that makes neither a call nor an end
	// within Patience panics, and so does one that does not do the same again for the same answers.
	Untrusted bool
	// Until is how long such code is run. When it ends, what the explorer does panics with its cause. It may be nil.
	Until context.Context
	// Wrong says what is wrong with the code, so that it is not worth a search. It may be nil, and may return nil.
	Wrong func() error
	// Warnings say, once the code was searched, why that says little. It may be nil.
	Warnings func() []string
	// Invariants are what must hold.
	Invariants Invariants
	// Safeguard is the safeguard that an ablation takes out: it changes what an actor's code sends or is
	// answered. The model checker must notice, since a safeguard whose removal breaks no invariant is either
	// needless or not tested. It is nil if nothing is taken out.
	Safeguard *Safeguard
	// Intercept is put around what the actors call, one within the other.
	Intercept []Intercept
}

// A Time is a moment of a scenario in which time passes.
type Time struct {
	// At is the true time since the start, in whole minutes. The queue has it too.
	At time.Duration
	// Ahead is how far the clock of an actor is ahead, by the actor's name, in whole minutes. A
	// negative number is behind. From one moment to the next, a clock may be set.
	Ahead map[string]time.Duration
}

// at is the moment of this index. The zero value is that of a scenario without Times.
func (s *Scenario) at(i int) Time {
	if i < len(s.Times) {
		return s.Times[i]
	}
	return Time{}
}

// An Intercept makes an Around for each execution of the actor of that name. It may be nil, and
// may return nil: then the code runs as it is.
type Intercept func(actor string) driver.Around

// A Safeguard is something without which the production code breaks an invariant.
type Safeguard struct {
	// Of is the name of the scenario that it is taken out of.
	Of string
	// Label says in a few words what it is, and Why in one sentence what it is for.
	Label, Why string
	// Code names its function: "openGate", or "(*pass).lookAt" if others have the name. Part occurs
	// there once, and would be removed: a condition, a row of a transaction, or a call that
	// comes before another one.
	Code, Part string
	// Reordered reports whether the scenario does not leave Part out, but makes that call at another time.
	Reordered bool
}

// Line is the line of Go that decides, in the production code, with its number and the lines of its
// function. The number is 0 if Part does not occur there exactly once.
func (g Safeguard) Line() (site Site, first, last int) {
	file, first, last := Find(g.Code)
	text, _ := Source(file)
	site = Site{File: file, Function: g.Code}
	for n, line := range strings.Split(text, "\n") {
		switch {
		case n+1 < first || n+1 > last || !strings.Contains(line, g.Part):
		case site.Line > 0:
			return Site{File: file, Function: g.Code}, first, last
		default:
			site.Line = n + 1
		}
	}
	return site, first, last
}

// Invariants say what is wrong with a step or a state, and nothing if all is well.
type Invariants interface {
	// Recalls reports whether a page shows what facts of this kind tell, from then on.
	Recalls(kind Kind) bool
	// List names the invariants in the order in which people read them.
	List() []Invariant
	// Step looks at what one call has changed, and at what its actor has told.
	Step(told []Fact, call *Call, changes []mem.Change) []domain.Violation
	// State looks at a state, in which requests may be under way.
	State(v View) []domain.Violation
	// Rest looks at a state in which no actor can go on. It lets fresh workers run to
	// quiescence and looks at what they leave.
	Rest(v View) Outcome
}

// A View is what invariants look at.
type View struct {
	DB mem.Snapshot
	// Told is what each actor has told so far, dead or alive. The set-up comes
	// first.
	Told [][]Fact
	// Now is the true time.
	Now time.Time
	*History
}

// Facts are all facts, each with the index of its actor and its place among the facts of that
// actor.
func (v View) Facts() iter.Seq[Known] {
	return func(yield func(Known) bool) {
		for actor, facts := range v.Told {
			for at, fact := range facts {
				if !yield(Known{fact, actor, at}) {
					return
				}
			}
		}
	}
}

// Count is how many facts of a kind match. If matches is nil, all do.
func (v View) Count(kind Kind, matches func(Known) bool) (n int) {
	for k := range v.Facts() {
		if k.Kind == kind && (matches == nil || matches(k)) {
			n++
		}
	}
	return n
}

// options are the numbers of the scenario.
func (s *Scenario) options() storage.Options {
	o := storage.Options{SweepRows: s.SweepRows, Undo: s.Undo, ActivePartitions: -1}
	if s.Noting {
		o.ActivePartitions = 1
	}
	if s.Times != nil {
		o.UndoAccount = s.Undo
	}
	return o
}

func emptyBackend() (empty mem.Snapshot) {
	empty, _, _ = empty.Do(&driver.Call{Method: driver.CallCreateQueue, Target: domain.QueueName}, Instant(), nil) // it is in memory
	return empty
}

// SetupIndex is the actor of the set-up. It acts alone, before the others, and
// without faults.
const SetupIndex = 0

func (s *Scenario) actorName(index int) string {
	switch {
	case index == SetupIndex:
		return "setup"
	case index-1 < len(s.Actors):
		return s.Actors[index-1].Name
	default:
		return fmt.Sprintf("actor %d", index)
	}
}
