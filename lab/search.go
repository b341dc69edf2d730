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
	s := &search{Explorer: x}
	found = s.run(ctx, x.initial())
	return found, found != nil || len(s.frontier) == 0
}

// A search enters states breadth first.
type search struct {
	*Explorer
	nodes    []node
	frontier []entered
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

// run enters states from here on, until an invariant is violated or the time is over.
func (s *search) run(ctx context.Context, from *state) *Finding {
	s.enter(from)
	s.nodes, s.frontier = []node{{parent: -1}}, []entered{{from, 0}}
	found := s.found(0, s.scenario.Invariants.State(s.view(from)))
	for found == nil && len(s.frontier) > 0 && ctx.Err() == nil {
		next := s.frontier[0]
		s.frontier[0] = entered{}
		s.frontier = s.frontier[1:]
		found = s.expand(next)
	}
	return found
}

// expand takes each choice that a state has, until an invariant is violated.
func (s *search) expand(from entered) *Finding {
	choices := slices.Clone(s.choices(from.state))
	if len(choices) == 0 {
		s.counts.Schedules++
		return s.found(from.node, s.rest(from.state))
	}
	for _, c := range choices {
		to, isNew, violations := s.advance(from.state, c)
		if !isNew {
			s.counts.Schedules++
		}
		if !isNew && violations == nil {
			continue
		}
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

// advance takes a step and judges it and the state that it leads to.
func (s *search) advance(from *state, c Choice) (to *state, isNew bool, violations []domain.Violation) {
	to, step := s.perform(from, c)
	s.counts.Steps++
	violations = s.judgeStep(to, step)
	isNew = s.enter(to)
	if isNew || violations != nil {
		violations = append(violations, s.scenario.Invariants.State(s.view(to))...)
	}
	return to, isNew, violations
}

// found is the finding of what is wrong with the state of a node, or nil.
func (s *search) found(at int, violations []domain.Violation) *Finding {
	if len(violations) == 0 {
		return nil
	}
	return &Finding{scheduleOf(s.nodes, at), violations}
}

func scheduleOf(nodes []node, at int) Schedule {
	var schedule Schedule
	for ; nodes[at].parent >= 0; at = nodes[at].parent {
		schedule = append(schedule, nodes[at].choice)
	}
	slices.Reverse(schedule)
	return schedule
}
