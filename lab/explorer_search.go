package lab

import (
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// Explore enters every state once, breadth first, until a law is broken. So its
// finding is one of the shortest; it is nil if no law is broken.
func (x *Explorer) Explore() *Finding {
	s := x.newSearch(Bounds{States: x.scenario.Limit})
	s.run(x.initial())
	return s.finding
}

// Bounds say when a search ends although it has not found anything. A bound of 0 does
// not count.
type Bounds struct {
	// States is how many states may be entered, or a few more.
	States int
	Time   time.Duration
	// Law is the only law whose breach ends the search. It may be empty: then each does.
	Law string
}

// BoundsOfPages are the bounds of a search that somebody waits for.
func BoundsOfPages() Bounds { return Bounds{States: 200_000, Time: time.Second} }

// A Bound says why a search ended that has found nothing.
type Bound string

// The bounds.
const (
	// NoBound: every state was entered, so that no continuation breaks a law.
	NoBound     Bound = ""
	StatesBound Bound = "states"
	TimeBound   Bound = "time"
)

// A SearchResult is what a search has found.
type SearchResult struct {
	// Finding is the shortest continuation that breaks a law. Its schedule begins where the
	// search began. It is nil if nothing was found.
	Finding *Finding
	// States is how many states were entered.
	States int
	// Bound says why nothing was found.
	Bound Bound
}

// Exhausted tells that no continuation breaks a law: each was taken.
func (r SearchResult) Exhausted() bool { return r.Finding == nil && r.Bound == NoBound }

// Search looks for the shortest continuation of a schedule that breaks a law. What was
// broken before does not count. If the schedule cannot be taken, the error is a
// *StuckError.
func (x *Explorer) Search(schedule Schedule, bounds Bounds) (SearchResult, error) {
	from, err := x.reach(schedule)
	if err != nil {
		return SearchResult{}, err
	}
	s := x.newSearch(bounds)
	s.run(from)
	return SearchResult{s.finding, x.counts.States - s.before, s.bound}, nil
}

// Survey enters states from the start, breadth first, and does not stop at a broken law:
// it calls visit with the breaches of each state and the schedule that leads there, until
// that says to stop. A law that is broken stays so, so that visit is called for many states.
func (x *Explorer) Survey(bounds Bounds, visit func(breaches []domain.Breach, schedule func() Schedule) (goOn bool)) SearchResult {
	s := x.newSearch(bounds)
	s.visit = visit
	s.run(x.initial())
	return SearchResult{States: x.counts.States - s.before, Bound: s.bound}
}

// A search enters states breadth first.
type search struct {
	*Explorer
	bounds Bounds
	// before is how many states were entered before the search, and ends when it must end.
	before   int
	ends     time.Time
	nodes    []node
	frontier []entered
	// visit is called with what is wrong with a state, and tells whether the search goes on.
	visit   func(breaches []domain.Breach, schedule func() Schedule) (goOn bool)
	finding *Finding
	bound   Bound
}

// A node is how a state was first reached.
type node struct {
	parent int
	choice Choice
}

// entered is a state whose choices are still to be taken.
type entered struct {
	*state
	node int
}

// newSearch is a search that ends with its first finding, and for which no state was
// entered yet.
func (x *Explorer) newSearch(bounds Bounds) *search {
	x.seen, x.rests = map[mem.Sum]struct{}{}, map[mem.Sum][]domain.Breach{}
	s := &search{Explorer: x, bounds: bounds, before: x.counts.States}
	s.visit = func(breaches []domain.Breach, schedule func() Schedule) bool {
		s.finding = &Finding{schedule(), breaches}
		return false
	}
	if bounds.Time > 0 {
		s.ends = time.Now().Add(bounds.Time)
	}
	return s
}

// run enters states from here on, until visit ends the search or a bound does.
func (s *search) run(from *state) {
	s.enter(from)
	s.nodes, s.frontier = []node{{parent: -1}}, []entered{{from, 0}}
	if !s.found(0, s.scenario.Laws.State(s.view(from))) {
		return
	}
	for len(s.frontier) > 0 {
		if s.bound = s.reached(); s.bound != NoBound {
			return
		}
		next := s.frontier[0]
		s.frontier[0] = entered{}
		s.frontier = s.frontier[1:]
		if !s.expand(next) {
			return
		}
	}
}

// reached is the bound that the search has reached.
func (s *search) reached() Bound {
	switch {
	case s.bounds.States > 0 && s.counts.States-s.before > s.bounds.States:
		return StatesBound
	case s.bounds.Time > 0 && time.Now().After(s.ends):
		return TimeBound
	default:
		return NoBound
	}
}

// expand takes each choice that a state has. It reports false if the search is over.
func (s *search) expand(from entered) (goOn bool) {
	choices := slices.Clone(s.choices(from.state))
	if len(choices) == 0 {
		s.counts.Schedules++
		return s.found(from.node, s.rest(from.state))
	}
	for _, c := range choices {
		to, isNew, breaches := s.advance(from.state, c)
		if !isNew {
			s.counts.Schedules++
		}
		if !isNew && breaches == nil {
			continue
		}
		s.nodes = append(s.nodes, node{from.node, c})
		at := len(s.nodes) - 1
		if !s.found(at, breaches) {
			return false
		}
		if isNew {
			s.frontier = append(s.frontier, entered{to, at})
		}
	}
	return true
}

// advance takes a step and judges it and the state that it leads to.
func (s *search) advance(from *state, c Choice) (to *state, isNew bool, breaches []domain.Breach) {
	to, step := s.perform(from, c)
	s.counts.Steps++
	breaches = s.judgeStep(to, step)
	isNew = s.enter(to)
	if isNew || breaches != nil {
		breaches = append(breaches, s.scenario.Laws.State(s.view(to))...)
	}
	return to, isNew, breaches
}

// found tells visit about the breaches at a node, if they count. It reports false if the
// search is over.
func (s *search) found(at int, breaches []domain.Breach) (goOn bool) {
	counts := func(b domain.Breach) bool { return s.bounds.Law == "" || b.Invariant == s.bounds.Law }
	if !slices.ContainsFunc(breaches, counts) {
		return true
	}
	return s.visit(breaches, func() Schedule { return scheduleOf(s.nodes, at) })
}

func scheduleOf(nodes []node, at int) Schedule {
	var schedule Schedule
	for ; nodes[at].parent >= 0; at = nodes[at].parent {
		schedule = append(schedule, nodes[at].choice)
	}
	slices.Reverse(schedule)
	return schedule
}
