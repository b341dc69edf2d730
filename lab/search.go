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
	s := &search{Explorer: x, nodes: []node{{parent: -1}}, frontier: []entered{{from, 0}}}
	found = s.found(0, x.scenario.Invariants.State(x.view(from)))
	for found == nil && len(s.frontier) > 0 && ctx.Err() == nil {
		next := s.frontier[0]
		s.frontier[0] = entered{}
		s.frontier = s.frontier[1:]
		found = s.expand(next)
	}
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

// expand takes each choice that a state has, until an invariant is violated.
func (s *search) expand(from entered) *Finding {
	choices := slices.Clone(s.choices(from.state))
	if len(choices) == 0 {
		s.counts.Schedules++
		return s.found(from.node, s.rest(from.state))
	}
	for _, c := range choices {
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
		violations = append(violations, s.scenario.Invariants.State(s.view(to))...)
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
	var schedule Schedule
	for ; s.nodes[at].parent >= 0; at = s.nodes[at].parent {
		schedule = append(schedule, s.nodes[at].choice)
	}
	slices.Reverse(schedule)
	return &Finding{schedule, violations}
}
