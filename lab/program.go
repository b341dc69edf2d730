package lab

import (
	"fmt"

	"microblogging/lab/mem"
)

// A program is what is known of one actor's code: a tree of the points that it
// can reach. What the code does next depends on nothing but the answers that it
// got, so a point is named by them; the code runs once for each point, however
// many states of the whole system the actor is found there in.
type program struct {
	actor     Actor
	index     int
	given     []Fact
	intercept func() Interceptor
	root      *point
	lot       *parking
}

// A point is where an actor waits for the answer to a call, or its end.
type point struct {
	id uint64
	// parent and answer say how to get here.
	parent *point
	answer Answer
	// depth is the number of answers so far.
	depth int
	// call is what the actor waits for, and nil at the end.
	call *Call
	// facts is what the actor has told by now.
	facts    []Fact
	factsSum mem.Sum
	next     map[mem.Sum]*point
	// parked is an execution that waits right here, if there is one.
	parked *session
}

// start is the first point.
func (p *program) start() *point {
	if p.root == nil {
		p.root = p.arrive(p.begin(), nil, Answer{})
	}
	return p.root
}

func (p *program) begin() *session {
	p.lot.executions++
	var intercept Interceptor
	if p.intercept != nil {
		intercept = p.intercept()
	}
	return begin(p.actor, p.index, p.given, intercept)
}

// after is the point that an answer leads to.
func (p *program) after(at *point, a Answer) *point {
	sum := a.sum()
	if known, ok := at.next[sum]; ok {
		return known
	}
	s := p.executionAt(at)
	s.answer(a)
	reached := p.arrive(s, at, a)
	if at.next == nil {
		at.next = map[mem.Sum]*point{}
	}
	at.next[sum] = reached
	return reached
}

// arrive waits until the execution makes its next call, and parks it there.
func (p *program) arrive(s *session, from *point, a Answer) *point {
	p.lot.points++
	reached := &point{id: p.lot.points, parent: from, answer: a, call: s.next()}
	if from != nil {
		reached.depth = from.depth + 1
	}
	reached.facts = s.facts[:len(s.facts):len(s.facts)]
	reached.factsSum = sumFacts(reached.facts)
	if reached.call != nil {
		p.lot.park(reached, s)
	}
	return reached
}

// executionAt is an execution that waits at the point: the one that is parked
// there, or another that is led there.
func (p *program) executionAt(at *point) *session {
	if s := at.parked; s != nil {
		p.lot.leave(at)
		return s
	}
	var path []*point
	for q := at; q.parent != nil; q = q.parent {
		path = append(path, q)
	}
	s := p.begin()
	p.mustRepeat(s, p.root)
	for i := len(path) - 1; i >= 0; i-- {
		s.answer(path[i].answer)
		p.mustRepeat(s, path[i])
	}
	return s
}

// mustRepeat makes sure that the code does as it did before. If it does not, it
// depends on something that the lab does not hold in its hands.
func (p *program) mustRepeat(s *session, at *point) {
	c := s.next()
	if c != nil && c.sum() == at.call.sum() {
		return
	}
	s.abandon()
	panic(fmt.Sprintf("lab: %s does not do the same twice after %d answers: first %+v, then %+v",
		p.actor.Name, at.depth, at.call, c))
}

// parking keeps executions that may go on. There is room for so many; who parks
// longest has to go, and is executed anew if it is wanted after all.
type parking struct {
	spaces []*point
	oldest int
	// points and executions count, for all programs.
	points, executions uint64
}

const parkingSpaces = 256

func newParking() *parking { return &parking{spaces: make([]*point, parkingSpaces)} }

func (l *parking) park(at *point, s *session) {
	if old := l.spaces[l.oldest]; old != nil && old.parked != nil {
		old.parked.abandon()
		old.parked = nil
	}
	at.parked = s
	l.spaces[l.oldest] = at
	l.oldest = (l.oldest + 1) % len(l.spaces)
}

func (l *parking) leave(at *point) { at.parked = nil }

// clear abandons all executions.
func (l *parking) clear() {
	for i, at := range l.spaces {
		if at != nil && at.parked != nil {
			at.parked.abandon()
			at.parked = nil
		}
		l.spaces[i] = nil
	}
}
