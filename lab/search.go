package lab

import (
	"context"
	"slices"

	"microblogging/domain"
)

// Explore enters every state once, breadth first, until an invariant is violated. So its
// finding is one of the shortest; it is nil if no invariant is violated.
func (x *Explorer) Explore() *Finding {
	found, _ := x.ExploreFor(context.Background())
	return found
}

// ExploreFor is Explore for as long as the context lasts. whole tells that it was long enough.
func (x *Explorer) ExploreFor(ctx context.Context) (found *Finding, whole bool) {
	from := x.initial()
	x.enter(from)
	s := &search{Explorer: x, nodes: []node{{parent: -1}}, trying: node{parent: -1}, frontier: []entered{{from, 0}}}
	found = s.found(0, x.violated(from))
	defer func() {
		if cause := recover(); cause != nil {
			panic(&Failure{s.scheduleTo(s.trying), cause})
		}
	}()
	for found == nil && len(s.frontier) > 0 && ctx.Err() == nil {
		next := s.frontier[0]
		s.frontier[0] = entered{}
		s.frontier = s.frontier[1:]
		found = s.expand(ctx, next)
	}
	return found, found != nil || len(s.frontier) == 0
}

// A search enters states breadth first.
type search struct {
	*Explorer
	nodes    []node
	frontier []entered
	// trying is the choice that is taken.
	trying node
}

// A Failure is what ExploreFor panics with if an actor's code is wrong.
type Failure struct {
	// Schedule leads to it.
	Schedule Schedule
	Cause    any
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

// probed is in how many states each actor of code that is not trusted goes on alone.
const probed = 1000

// probe lets each actor go on alone until ctx ends, so that one whose calls do not end is found before the search has come
// so far.
func (s *search) probe(ctx context.Context, from entered) {
	if !s.scenario.Untrusted || from.node >= probed {
		return
	}
	nodes := len(s.nodes)
	for i := range from.places {
		s.trying = node{from.node, Choice{Actor: int8(i + 1)}}
		for at := from.state; ctx.Err() == nil && s.allows(at, s.trying.choice); s.trying.parent = len(s.nodes) - 1 {
			if at.places[i].at.depth == MaxChoices-1 {
				s.trying = s.nodes[from.node] // what leads to calls that do not end
				s.perform(at, Choice{Actor: int8(i + 1)})
				break
			}
			at, _ = s.perform(at, s.trying.choice)
			s.nodes = append(s.nodes, s.trying)
		}
		s.nodes = s.nodes[:nodes]
	}
}

// expand takes each choice that a state has, until an invariant is violated. If ctx ends before, the state stays in
// the frontier.
func (s *search) expand(ctx context.Context, from entered) *Finding {
	s.probe(ctx, from)
	s.trying = s.nodes[from.node]
	choices := slices.Clone(s.choices(from.state))
	if idle(choices) {
		if found := s.found(from.node, s.rest(from.state)); found != nil {
			return found
		}
	}
	if len(choices) == 0 {
		s.counts.Schedules++
	}
	for _, c := range choices {
		if ctx.Err() != nil {
			s.frontier = append(s.frontier, from)
			return nil
		}
		s.trying = node{from.node, c}
		to, step := s.perform(from.state, c)
		s.counts.Steps++
		violations := s.judgeStep(to, step)
		isNew := s.enter(to)
		if !isNew {
			s.counts.Schedules++
		}
		if !isNew && violations == nil {
			continue
		}
		violations = append(violations, s.violated(to)...)
		s.nodes = append(s.nodes, node{from.node, c})
		at := len(s.nodes) - 1
		if found := s.found(at, violations); found != nil {
			return found
		}
		if isNew {
			s.frontier = append(s.frontier, entered{to, at})
		}
	}
	return nil
}

// found is the finding of what is wrong with the state of a node, or nil.
func (s *search) found(at int, violations []domain.Violation) *Finding {
	if len(violations) == 0 {
		return nil
	}
	return &Finding{s.scheduleTo(s.nodes[at]), violations}
}

// scheduleTo is the schedule that ends with a node.
func (s *search) scheduleTo(end node) (schedule Schedule) {
	for ; end.parent >= 0; end = s.nodes[end.parent] {
		schedule = append(schedule, end.choice)
	}
	slices.Reverse(schedule)
	return schedule
}
