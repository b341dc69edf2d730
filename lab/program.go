package lab

import (
	"errors"
	"fmt"
	"strings"

	"microblogging/lab/mem"
	"microblogging/storage"
)

// A program is what is known of one actor's code: a tree of the points that it can
// reach. What the code does next depends only on the answers that it got, so those
// name a point. The code is not run again for a point that is known, in however
// many states of the system the actor is there.
type program struct {
	actor     Actor
	index     int
	given     []Fact
	intercept []Intercept
	root      *point
	lot       *parking
	options   storage.Options
	untrusted bool
	// started is what the actor's clock shows at the start.
	started clock
}

// A point is where an actor waits for the answer to a call, or its end.
type point struct {
	// id names the answers that led to the point. It is the same in every explorer of the scenario.
	id mem.Sum
	// parent and answer lead to this point.
	parent *point
	answer Result
	// depth is the number of answers so far.
	depth int
	// call is the call that the actor waits for, nil at the end.
	call *Call
	// facts are what the actor has told so far.
	facts    []Fact
	factsSum mem.Sum
	next     map[mem.Sum]*point
	// site is what line returns, once it was called.
	site Site
	// parked is an execution that waits at this point, if there is one.
	parked *session
}

// follows reports whether the call of this point is the first after a fact of the kind.
func (p *point) follows(kind Kind) bool {
	n := len(p.facts)
	return n > 0 && p.facts[n-1].Kind == kind && (p.parent == nil || len(p.parent.facts) < n)
}

// start is the first point.
func (p *program) start() *point {
	if p.root == nil {
		p.root = p.arrive(p.begin(), nil, Result{})
	}
	return p.root
}

// after is the point that an answer leads to.
func (p *program) after(at *point, a Result) *point {
	sum := a.sum()
	if known, ok := at.next[sum]; ok {
		return known
	}
	s := p.executionAt(at)
	s.answer(a)
	reached := p.arrive(s, at, a)
	for i := 0; p.untrusted && p.index != SetupIndex && i < repeats; i++ {
		again := p.executionAt(at)
		again.answer(a)
		p.mustRepeat(again, reached)
		again.abandon()
	}
	if at.next == nil {
		at.next = map[mem.Sum]*point{}
	}
	at.next[sum] = reached
	return reached
}

// arrive waits until the execution makes its next call, and parks it there.
func (p *program) arrive(s *session, from *point, a Result) *point {
	reached := &point{parent: from, answer: a, call: s.next()}
	if from != nil {
		var d mem.Digest
		d.Sum(from.id)
		d.Sum(a.sum())
		reached.id, reached.depth = d.Done(), from.depth+1
	}
	reached.facts = s.facts[:len(s.facts):len(s.facts)]
	reached.factsSum = sumFacts(reached.facts)
	if reached.call != nil {
		p.lot.park(reached, s)
	}
	return reached
}

// executionAt is an execution that waits at the point: the one that is parked
// there, or a new one that gets the same answers.
func (p *program) executionAt(at *point) *session {
	if s := at.parked; s != nil {
		at.parked = nil
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

// repeats is how often untrusted code is run again to each point: what depends on chance is noticed, almost surely.
const repeats = 8

// mustRepeat panics if the code does not make the same call as before, or does not tell the same. Then the
// code depends on something that the lab does not control.
func (p *program) mustRepeat(s *session, at *point) {
	c := s.next()
	same := c == nil && at.call == nil || c != nil && at.call != nil && c.sum() == at.call.sum()
	if same && (!p.untrusted || sumFacts(s.facts) == at.factsSum) {
		return
	}
	s.abandon()
	does := func(c *Call, facts []Fact) string {
		text := "its end"
		if c != nil {
			text = describeCall(c)
		}
		if c == nil || same {
			text += ", told " + strings.Join(toldIn(facts), ", ")
		}
		return text
	}
	text := fmt.Sprintf("%s does not do the same twice after %d answers: first %s, then %s", p.actor.Name, at.depth, does(at.call, at.facts), does(c, s.facts))
	if !same && c != nil && at.call != nil {
		text += ": " + at.call.difference(c)
	}
	if p.untrusted {
		text += ". It depends on something that its runs share, such as a variable that is declared outside of the actor's function"
	}
	panic(errors.New(text))
}

// parking keeps executions that may go on. Its room is limited: the execution that
// has been parked the longest is abandoned, and is run again if it is needed.
type parking struct {
	spaces []*point
	oldest int
	// traces tells to keep the stack of each call.
	traces bool
}

const (
	// fewSpaces are enough for a scenario of a page, of which several may be explored concurrently.
	// Each is a goroutine, and the race detector allows 8,128.
	fewSpaces = 1024
	// ManySpaces are as many as the searches of a whole process may keep. Two searches of the largest
	// scenarios have use for so many.
	ManySpaces = 64 << 10
)

func (l *parking) park(at *point, s *session) {
	if len(l.spaces) == 0 {
		s.abandon()
		return
	}
	if old := l.spaces[l.oldest]; old != nil && old.parked != nil {
		old.parked.abandon()
		old.parked = nil
	}
	at.parked = s
	l.spaces[l.oldest] = at
	l.oldest = (l.oldest + 1) % len(l.spaces)
}

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
