package lab

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"microblogging/storage"
	"microblogging/storage/driver"
)

// A session is one execution of an actor's code, in a goroutine of its own. The
// code runs only between an answer and the next call, so only one actor runs at a
// time.
type session struct {
	*program
	names *names
	facts []Fact
	// calls and answers are unbuffered: a send returns when the other side has it.
	calls   chan *Call
	results chan Result
	ended   chan struct{}
	quit    chan struct{}
	// busy is set from a call to its answer. An actor must not make two calls at
	// once, because the order of such calls is not the scheduler's.
	busy atomic.Bool
	// made is how many calls code that is not trusted has made, and goroutine names where it runs.
	made      int
	goroutine atomic.Value
	// failure is the panic that has ended the code. It is set before ended is closed.
	failure error
}

// begin starts the actor's code. next waits for its first call or its end.
func (p *program) begin() *session {
	s := &session{
		program: p, names: newNames(p.index, p.actor.Ahead, p.started),
		calls: make(chan *Call), results: make(chan Result), ended: make(chan struct{}), quit: make(chan struct{}),
	}
	for _, f := range p.given {
		s.names.know(f.Token)
		s.names.know(f.Session)
	}
	var arounds []driver.Around
	if p.lot.traces {
		arounds = append(arounds, traced)
	}
	for _, intercept := range p.intercept {
		if intercept != nil {
			arounds = append(arounds, intercept(p.actor.Name))
		}
	}
	d, o := driver.Wrap(nil, append(arounds, s.turnstile)...), p.options
	o.Pause, o.Flight, o.LastFirst, o.HashPassword = NoPause, 1, p.actor.LastFirst, HashPassword
	client := &Client{Backend: d, Given: p.given, session: s, Store: storage.New(d, o)}
	go func() {
		defer close(s.ended)
		returned := false
		defer func() {
			switch cause := recover(); {
			case cause != nil:
				s.failure = fmt.Errorf("%s: panic%s: %v\n%s", p.actor.Name, Where(Goroutine()), cause, debug.Stack())
			case !returned && s.failure == nil && !s.abandoned():
				s.failure = fmt.Errorf("%s ends its goroutine%s, as runtime.Goexit does, and does not return", p.actor.Name, Where(Goroutine()))
			}
		}()
		if p.untrusted {
			s.goroutine.Store(Goroutine())
		}
		p.actor.Run(context.Background(), client)
		returned = true
	}()
	return s
}

// NoPause lets an actor try again immediately, because the scheduler decides whether
// other actors go first.
func NoPause(context.Context, time.Duration) error { return nil }

// HashPassword is a hash that is cheap, and the same each time.
func HashPassword(password string) string {
	salt, b64 := []byte("some salt"), base64.RawStdEncoding
	return "$argon2id$v=19$m=8,t=1,p=1$" + b64.EncodeToString(salt) + "$" + b64.EncodeToString(argon2.IDKey([]byte(password), salt, 1, 8, 1, 32))
}

// next waits for the next call. It is nil if the code has ended. If a panic has ended it,
// next panics: its caller can recover, which no code can in the actor's goroutine.
func (s *session) next() *Call {
	var late <-chan time.Time // never, if the code is trusted
	var over <-chan struct{}
	if s.untrusted {
		late = time.After(Patience)
	}
	if s.until != nil {
		if s.until.Err() != nil {
			panic(context.Cause(s.until))
		}
		over = s.until.Done()
	}
	select {
	case c := <-s.calls:
		return c
	case <-s.ended:
		if s.failure != nil {
			panic(s.failure)
		}
		return nil
	case <-over:
		panic(context.Cause(s.until))
	case <-late:
		at, _ := s.goroutine.Load().(string)
		panic(fmt.Errorf("%s makes neither a call nor an end within %s%s", s.actor.Name, Patience, Where(at)))
	}
}

// Patience is how long code that is not trusted may take from an answer to its next call.
const Patience = 2 * time.Second

// answer makes the waiting call return.
func (s *session) answer(a Result) { s.results <- a }

// abandon ends the execution at its call and waits for its end.
func (s *session) abandon() {
	close(s.quit)
	<-s.ended
}

func (s *session) abandoned() bool {
	select {
	case <-s.quit:
		return true
	default:
		return false
	}
}

// submit hands the call to the scheduler and waits for the answer. It runs in the
// actor's goroutine, or in one that the actor's code has started. It does not
// return if the execution is abandoned.
func (s *session) submit(c Call) Result {
	if !s.busy.CompareAndSwap(false, true) {
		panic("lab: an actor made two calls concurrently")
	}
	select {
	case s.calls <- s.names.call(c):
	case <-s.quit:
		s.busy.Store(false)
		runtime.Goexit()
	}
	select {
	case a := <-s.results:
		s.busy.Store(false)
		s.names.clocks.set(a.clock)
		return s.names.answer(a)
	case <-s.quit:
		s.busy.Store(false)
		runtime.Goexit()
	}
	panic("unreachable")
}

// turnstile submits each call as a value. It ignores when contexts end: whether a caller gives up
// is a fate, which the scheduler decides. The tables and the queues are there. A Receive waits
// until the scheduler delivers a message, which it may do at any time: so a lease has no effect
// but on what is shown.
func (s *session) turnstile(ctx context.Context, c *driver.Call, _ func(context.Context) error) error {
	switch c.Method {
	case driver.CallCreateTable, driver.CallCreateQueue:
		return nil
	case driver.CallPeek:
		return errors.New("no actor of the lab peeks, since none may depend on what is on the queue")
	}
	if s.made++; s.untrusted && s.made > MaxChoices {
		s.failure = fmt.Errorf("%s makes more than %d calls%s", s.actor.Name, MaxChoices, Where(Goroutine()))
		runtime.Goexit()
	}
	call := Call{Call: *c}
	call.Result = driver.Result{}
	call.stack, _ = ctx.Value(stackKey{}).([]uintptr)
	if c.Method == driver.CallDelete {
		call.Message = driver.Message{ID: c.Message.ID, Receipt: c.Message.Receipt} // no matter what it says
	}
	a := s.submit(call)
	c.Result = a.Result
	return a.Err
}

type stackKey struct{}

// mostFrames is more than an actor's stack is deep.
const mostFrames = 64

// traced keeps where each call is made, also if an Around sends it later. That costs a few microseconds.
func traced(ctx context.Context, _ *driver.Call, next func(context.Context) error) error {
	stack := make([]uintptr, mostFrames)
	return next(context.WithValue(ctx, stackKey{}, stack[:runtime.Callers(1, stack)]))
}

// A Client is what an actor's code calls. Each call waits at the turnstile until
// the scheduler answers it.
type Client struct {
	// Store has the real operations on the backend.
	Backend driver.Backend
	Store   *storage.Parts
	// Given are the facts that the set-up of the scenario told.
	Given []Fact
	// Links and Tokens are the sign-in links and the sessions that the actor has.
	Links, Tokens []string

	session *session
}

// Tell records what the actor was told, or is about to do.
func (c *Client) Tell(f Fact) { c.session.facts = append(c.session.facts, c.session.names.fact(f)) }

// Now is a time for the actor's next row. Time does not pass in the lab, so that it goes by what
// was told.
func (c *Client) Now() time.Time {
	return c.session.names.present().Add(time.Duration(len(c.session.facts)) * time.Second)
}
