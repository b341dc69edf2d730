package lab

import (
	"context"
	"slices"

	"microblogging/domain"
)

// Explore enters every state once, breadth first, until a law is broken. So its
// finding is one of the shortest; it is nil if no law is broken.
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

// run enters states from here on, until a law is broken or the time is over.
func (s *search) run(ctx context.Context, from *state) *Finding {
	s.enter(from)
	s.nodes, s.frontier = []node{{parent: -1}}, []entered{{from, 0}}
	found := s.found(0, s.scenario.Laws.State(s.view(from)))
	for found == nil && len(s.frontier) > 0 && ctx.Err() == nil {
		next := s.frontier[0]
		s.frontier[0] = entered{}
		s.frontier = s.frontier[1:]
		found = s.expand(next)
	}
	return found
}

// expand takes each choice that a state has, until a law is broken.
func (s *search) expand(from entered) *Finding {
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
		if found := s.found(at, breaches); found != nil {
			return found
		}
		if isNew {
			s.frontier = append(s.frontier, entered{to, at})
		}
	}
	return nil
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

// found is the finding of what is wrong with the state of a node, or nil.
func (s *search) found(at int, breaches []domain.Breach) *Finding {
	if len(breaches) == 0 {
		return nil
	}
	return &Finding{scheduleOf(s.nodes, at), breaches}
}

func scheduleOf(nodes []node, at int) Schedule {
	var schedule Schedule
	for ; nodes[at].parent >= 0; at = nodes[at].parent {
		schedule = append(schedule, nodes[at].choice)
	}
	slices.Reverse(schedule)
	return schedule
}
