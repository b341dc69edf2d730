package drivertest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// ErrInjected is the error that the hooks below return to the caller. It wraps
// domain.ErrUnavailable: the caller cannot know whether a write took effect.
var ErrInjected = fmt.Errorf("%w: injected fault", domain.ErrUnavailable)

// Pass sends every call once.
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

// FailBefore loses the request of call number n: it has no effect.
func FailBefore(n int) Hook {
	return at(n, func(context.Context, Call, Send) error { return ErrInjected })
}

// FailAfter loses the answer to call number n, after it took effect.
func FailAfter(n int) Hook {
	return at(n, func(ctx context.Context, _ Call, send Send) error {
		_ = send(ctx) // the answer that is lost
		return ErrInjected
	})
}

// SentTwice acts as a client that loses the answer to call number n and sends the
// request again without telling its caller. The caller gets the second answer,
// which may be the echo of the first. A request that must be sent once is not sent again:
// its answer is lost.
func SentTwice(n int) Hook {
	return at(n, func(ctx context.Context, _ Call, send Send) error {
		_ = send(ctx) // the answer that is lost
		if driver.IsSentOnce(ctx) {
			return ErrInjected
		}
		return send(ctx)
	})
}

// ResentLater acts as a network that delivers the request of call number n once
// more, after other work was done. The hook first decides what the caller gets:
// Pass, FailAfter(n), or FailBefore(n) if the request arrives only later. The
// copy takes effect when the test calls Arrive.
func ResentLater(n int, first Hook) (Hook, *Straggler) {
	late := &Straggler{}
	return func(ctx context.Context, call Call, send Send) error {
		if call.Seq == n {
			late.hold(send)
		}
		return first(ctx, call, send)
	}, late
}

// A Straggler is a request that has not arrived yet.
type Straggler struct {
	mu   sync.Mutex
	send Send
}

func (s *Straggler) hold(send Send) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send = send
}

// Arrive delivers the request, at most once, and returns the backend's error,
// which the first caller does not see. It reports false if no request was sent
// yet, or if it has arrived before.
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

// Only applies the hook to the calls that match, and passes the others. The calls
// that match are numbered from 1.
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

// Writes matches the calls that may change something.
func Writes(call Call) bool { return call.Write }
