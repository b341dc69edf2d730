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

// A making is an answer that is being made. The others are set before done is closed.
type making struct {
	done   chan struct{}
	answer answer
	err    error
}

func newMaker(kept *kept, turns int) *maker {
	return &maker{kept: kept, turns: make(chan struct{}, turns), making: map[string]*making{}}
}

// answer returns the answer that is kept under the key, or else makes and keeps it. An
// answer that was begun is made to its end, also if nobody waits for it any more: it
// takes its turn until then, so that there are never more than that at work.
func (m *maker) answer(ctx context.Context, key string, work func() (answer, error)) (answer, error) {
	if a, ok := m.kept.get(key); ok {
		return a, nil
	}
	begun := m.begin(key, work)
	timer := time.NewTimer(makerTime)
	defer timer.Stop()
	select {
	case <-begun.done:
		return begun.answer, begun.err
	case <-timer.C:
		return answer{}, busy("That takes too long", "It took more than "+makerTime.String()+", and is still being made.")
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// begin returns the making of the answer, which goes on in a goroutine of its own.
func (m *maker) begin(key string, work func() (answer, error)) *making {
	m.mu.Lock()
	defer m.mu.Unlock()
	if begun, ok := m.making[key]; ok {
		return begun
	}
	begun := &making{done: make(chan struct{})}
	m.making[key] = begun
	go func() {
		defer close(begun.done)
		begun.answer, begun.err = inTurn(m, work)
		if begun.err == nil && !begun.answer.fleeting {
			m.kept.add(key, begun.answer)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.making, key)
	}()
	return begun
}

// inTurn waits for a turn of the maker and works. A panic becomes an error.
func inTurn[T any](m *maker, work func() (T, error)) (result T, err error) {
	timer := time.NewTimer(makerWait)
	defer timer.Stop()
	select {
	case m.turns <- struct{}{}:
		defer func() { <-m.turns }()
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
