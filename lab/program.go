package lab

import (
	"context"
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
	until     context.Context
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
	// parked are executions that wait at this point, if there are any.
	parked []*session
}

// follows reports whether the call of this point is the first after a fact of the kind.
func (p *point) follows(kind Kind) bool {
	n := len(p.facts)
	return n > 0 && p.facts[n-1].Kind == kind && (p.parent == nil || len(p.parent.facts) < n)
}

// start is the first point.
func (p *program) start() *point {
	if p.root == nil {
		s := p.begin()
		defer func() { // if it is not parked
			if p.root == nil || p.root.call == nil {
				close(s.quit)
			}
		}()
		if p.root = p.arrive(s, nil, Result{}); p.root.call != nil {
			p.lot.park(p.root, []*session{s})
		}
	}
	return p.root
}

// after is the point that an answer leads to.
func (p *program) after(at *point, a Result) *point {
	sum := a.sum()
	if known, ok := at.next[sum]; ok {
		return known
	}
	runs := p.executionsAt(at)
	defer func() { // those that are not parked
		for _, s := range runs {
			close(s.quit)
		}
	}()
	runs[0].answer(a)
	reached := p.arrive(runs[0], at, a)
	for _, again := range runs[1:] {
		again.answer(a)
		p.mustRepeat(again, reached)
	}
	if p.repeated() && (reached.depth < deep || reached.depth%deep == 0 || reached.call == nil) {
		runs = append(runs, p.executionAt(reached))
	}
	if at.next == nil {
		at.next = map[mem.Sum]*point{}
	}
	at.next[sum] = reached
	if reached.call != nil {
		p.lot.park(reached, runs[:p.kept()])
		runs = runs[p.kept():]
	}
	return reached
}

// arrive waits until the execution makes its next call.
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
	return reached
}

// executionsAt are as many executions as the code needs that wait at the point: those that are parked there, and new ones
// that get the same answers.
func (p *program) executionsAt(at *point) []*session {
	for want := p.kept(); len(at.parked) < want; {
		at.parked = append(at.parked, p.executionAt(at))
	}
	runs := at.parked
	at.parked = nil
	return runs
}

// repeated reports whether the code is run again to each point: then what depends on chance is noticed, almost surely, and
// what depends on the runs before by one more, from the start.
func (p *program) repeated() bool { return p.untrusted && p.index != SetupIndex }

// kept is how many executions are parked at a point.
func (p *program) kept() int {
	if p.repeated() {
		return repeats
	}
	return 1
}

// executionAt is a new execution that waits at the point.
func (p *program) executionAt(at *point) *session {
	var path []*point
	for q := at; q.parent != nil; q = q.parent {
		path = append(path, q)
	}
	s := p.begin()
	there := false
	defer func() {
		if !there {
			close(s.quit)
		}
	}()
	p.mustRepeat(s, p.root)
	for i := len(path) - 1; i >= 0; i-- {
		s.answer(path[i].answer)
		p.mustRepeat(s, path[i])
	}
	there = true
	return s
}

// repeats is how many executions of code that is not trusted come to each point together.
const repeats = 8

// deep is from which depth on the code is run from its start only to one point in so many, and to its end: each such run
// comes to all points before, and costs as many calls.
const deep = 16

// mustRepeat panics if the code does not make the same call as before, or does not tell the same. Then the
// code depends on something that the lab does not control.
func (p *program) mustRepeat(s *session, at *point) {
	c := s.next()
	same := c == nil && at.call == nil || c != nil && at.call != nil && c.equals(at.call)
	if same && (!p.untrusted || sumFacts(s.facts) == at.factsSum) {
		return
	}
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
		text += ". It depends on something that its runs share, such as a variable that is declared outside of the actor's function; or on the order of a map, the time, or random numbers"
		if at, running := s.goroutine.Load().(string); running && c != nil {
			text += Where(at)
		}
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

func (l *parking) park(at *point, runs []*session) {
	if len(l.spaces) == 0 {
		abandon(runs)
		return
	}
	if old := l.spaces[l.oldest]; old != nil {
		abandon(old.parked)
		old.parked = nil
	}
	at.parked = runs
	l.spaces[l.oldest] = at
	l.oldest = (l.oldest + 1) % len(l.spaces)
}

// clear abandons all executions.
func (l *parking) clear() {
	for i, at := range l.spaces {
		if at != nil {
			abandon(at.parked)
			at.parked = nil
		}
		l.spaces[i] = nil
	}
}

func abandon(runs []*session) {
	for _, s := range runs {
		s.abandon()
	}
}
