package page

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"microblogging/templates"
)

const (
	// maxReplays is how many schedules are replayed at once, and maxSearches how many
	// hints are looked for.
	maxReplays  = 2
	maxSearches = 1
	// makerWait is how long a request waits for its turn, and makerTime how long it waits
	// in all.
	makerWait = time.Second
	makerTime = 5 * time.Second
	// busyRetry is the Retry-After of a request that got no turn.
	busyRetry = 2 * time.Second
)

// A maker makes answers, a few at a time, and keeps them. What several requests ask for at
// once is made once. It is safe for concurrent use.
type maker struct {
	kept *kept
	// turns has room for as many as may be made at once.
	turns chan struct{}

	mu     sync.Mutex
	making map[string]*making
}

// A making is an answer that is being made, or that waits for its turn.
type making struct {
	// done is closed when answer and err are set.
	done   chan struct{}
	answer answer
	err    error

	// readers is how many requests wait for the answer, and working says that its turn has
	// come. The mutex of the maker guards both.
	readers int
	working bool
	// drop ends the wait for a turn.
	drop context.CancelFunc
}

func newMaker(kept *kept, turns int) *maker {
	return &maker{kept: kept, turns: make(chan struct{}, turns), making: map[string]*making{}}
}

// answer returns the answer that is kept under the key, or else makes and keeps it. If
// nobody waits for it any more when its turn comes, it is not made. Once it has its turn
// it is made to its end, and keeps its turn until then: so there are never more than that
// at work.
func (m *maker) answer(ctx context.Context, key string, work func() (answer, error)) (answer, error) {
	if a, ok := m.kept.get(key); ok {
		return a, nil
	}
	made := m.join(key, work)
	defer m.leave(key, made)
	timer := time.NewTimer(makerTime)
	defer timer.Stop()
	select {
	case <-made.done:
		return made.answer, made.err
	case <-timer.C:
		return answer{}, busy("That takes too long", "It took more than "+makerTime.String()+", and is still being made.")
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// join adds a reader to the making of the answer, which goes on in a goroutine of its own.
func (m *maker) join(key string, work func() (answer, error)) *making {
	m.mu.Lock()
	defer m.mu.Unlock()
	if made, ok := m.making[key]; ok {
		made.readers++
		return made
	}
	ctx, drop := context.WithCancel(context.Background())
	made := &making{done: make(chan struct{}), readers: 1, drop: drop}
	m.making[key] = made
	go func() {
		defer close(made.done)
		defer drop()
		made.answer, made.err = inTurn(ctx, m, func() (answer, error) {
			if err := m.start(ctx, made); err != nil {
				return answer{}, err
			}
			return work()
		})
		if made.err == nil && !made.answer.fleeting {
			m.kept.add(key, made.answer)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.forget(key, made)
	}()
	return made
}

// start notes that the turn of the making has come, unless it is dropped.
func (m *maker) start(ctx context.Context, made *making) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	made.working = true
	return ctx.Err()
}

// leave takes a reader from the making. If it was the last one, and the turn has not come,
// the making is dropped.
func (m *maker) leave(key string, made *making) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if made.readers--; made.readers == 0 && !made.working {
		made.drop()
		m.forget(key, made)
	}
}

// forget lets the next request for the key begin anew. The caller holds the mutex.
func (m *maker) forget(key string, made *making) {
	if m.making[key] == made {
		delete(m.making, key)
	}
}

// inTurn waits for a turn of the maker and works. It does not work if ctx ends before the
// turn comes. A panic becomes an error.
func inTurn[T any](ctx context.Context, m *maker, work func() (T, error)) (result T, err error) {
	timer := time.NewTimer(makerWait)
	defer timer.Stop()
	select {
	case m.turns <- struct{}{}:
		defer func() { <-m.turns }()
	case <-ctx.Done():
		return result, ctx.Err()
	case <-timer.C:
		return result, busy("The lab is busy", "Many people step through it at this moment.")
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return work()
}

// busy is the error of a request that may work a little later.
func busy(title, detail string) error {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusServiceUnavailable, Title: title, Detail: detail, RetryAfter: busyRetry,
		Links: []templates.Link{labLink()},
	}}
}
