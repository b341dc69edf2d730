package drivertest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"microblogging/domain"
)

// ErrInjected is the failure that the hooks below give the caller. It is a
// domain.ErrUnavailable: whether a write took effect is unknown.
var ErrInjected = fmt.Errorf("%w: injected fault", domain.ErrUnavailable)

// Pass leaves every call alone.
func Pass(ctx context.Context, _ Call, send Send) error { return send(ctx) }

// at applies the hook to call number n and passes the others.
func at(n int, hook Hook) Hook {
	return func(ctx context.Context, call Call, send Send) error {
		if call.Seq != n {
			return send(ctx)
		}
		return hook(ctx, call, send)
	}
}

// FailBefore loses call number n on its way: it has no effect.
func FailBefore(n int) Hook {
	return at(n, func(context.Context, Call, Send) error { return ErrInjected })
}

// FailAfter loses the answer to call number n: it has its effect, if it can.
func FailAfter(n int) Hook {
	return at(n, func(ctx context.Context, _ Call, send Send) error {
		_ = send(ctx) // the answer that is lost
		return ErrInjected
	})
}

// SentTwice is a client that loses the answer to call number n and sends it
// again by itself: the caller gets the second answer, which may be the echo of
// the first.
func SentTwice(n int) Hook {
	return at(n, func(ctx context.Context, _ Call, send Send) error {
		_ = send(ctx) // the answer that is lost
		return send(ctx)
	})
}

// ResentLater is a request that the network delivers once more, after other
// work has gone on. What the caller gets of call number n is up to first: Pass,
// FailAfter(n), or FailBefore(n) for one that arrives only later. The copy
// takes effect when the test calls its Arrive.
func ResentLater(n int, first Hook) (Hook, *Straggler) {
	late := &Straggler{}
	return func(ctx context.Context, call Call, send Send) error {
		if call.Seq == n {
			late.hold(send)
		}
		return first(ctx, call, send)
	}, late
}

// A Straggler is a request that is still under way.
type Straggler struct {
	mu   sync.Mutex
	send Send
}

func (s *Straggler) hold(send Send) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send = send
}

// Arrive delivers the request, once, and returns the backend's answer to it,
// which nobody else sees. It reports false if there is no such request (yet, or
// any more).
func (s *Straggler) Arrive(ctx context.Context) (arrived bool, err error) {
	s.mu.Lock()
	send := s.send
	s.send = nil
	s.mu.Unlock()
	if send == nil {
		return false, nil
	}
	return true, send(ctx)
}

// Only applies the hook to the calls that match, numbered among themselves from
// 1, and passes the others.
func Only(match func(Call) bool, hook Hook) Hook {
	var matched atomic.Int64
	return func(ctx context.Context, call Call, send Send) error {
		if !match(call) {
			return send(ctx)
		}
		call.Seq = int(matched.Add(1))
		return hook(ctx, call, send)
	}
}

// Writes matches the calls that may have an effect.
func Writes(call Call) bool { return call.Write }
