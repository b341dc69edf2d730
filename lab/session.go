package lab

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"microblogging/storage"
)

// A session is one execution of an actor's code, in a goroutine of its own. The
// code runs only between an answer and the next call, so that one goroutine of
// all runs at a time.
type session struct {
	names *names
	facts []Fact
	// calls and answers are unbuffered: who sends knows that the other has it.
	calls   chan *Call
	answers chan Answer
	ended   chan struct{}
	quit    chan struct{}
	// busy is set from a call to its answer. An operation that makes two calls at
	// once has no one order of calls, and its scenario must be smaller.
	busy atomic.Bool
}

// begin starts the actor's code. Its first call or its end is awaited by next.
func begin(actor Actor, index int, given []Fact, intercept Interceptor) *session {
	s := &session{
		names: newNames(index),
		calls: make(chan *Call), answers: make(chan Answer), ended: make(chan struct{}), quit: make(chan struct{}),
	}
	d := &turnstile{submit: s.submit}
	if intercept != nil {
		d.submit = func(c Call) Answer { return intercept(c, s.submit) }
	}
	client := &Client{
		Tables: d, Queues: d, Store: storage.NewWithPause(d, d, noPause),
		Given: given, session: s,
	}
	go func() {
		defer close(s.ended)
		actor.Run(context.Background(), client)
	}()
	return s
}

// noPause lets an actor try again at once: the scheduler decides when others
// come first.
func noPause(context.Context, time.Duration) error { return nil }

// next waits for the next call, which is nil if the code has ended.
func (s *session) next() *Call {
	select {
	case c := <-s.calls:
		return c
	case <-s.ended:
		return nil
	}
}

// answer lets the call return.
func (s *session) answer(a Answer) { s.answers <- a }

// abandon ends the execution where it stands and waits for its end.
func (s *session) abandon() {
	close(s.quit)
	<-s.ended
}

// submit is the turnstile. It runs in the actor's goroutine, or in one that the
// actor's code has started. An execution that was abandoned does not return.
func (s *session) submit(c Call) Answer {
	if !s.busy.CompareAndSwap(false, true) {
		panic("lab: an actor made two calls at once")
	}
	select {
	case s.calls <- s.names.call(c):
	case <-s.quit:
		s.busy.Store(false)
		runtime.Goexit()
	}
	select {
	case a := <-s.answers:
		s.busy.Store(false)
		return s.names.answer(a)
	case <-s.quit:
		s.busy.Store(false)
		runtime.Goexit()
	}
	panic("unreachable")
}

func (s *session) tell(f Fact) { s.facts = append(s.facts, s.names.fact(f)) }
