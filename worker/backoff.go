package worker

import (
	"context"
	"math/rand/v2"
	"time"
)

// A backoff is a delay that doubles from min to max, with jitter.
type backoff struct {
	min, max time.Duration
	tries    int
}

func (b *backoff) next() time.Duration {
	d := delay(b.min, b.max, b.tries)
	b.tries++
	return d
}

func (b *backoff) reset() { b.tries = 0 }

// delay returns the pause after this many earlier tries: lowest, doubled for
// each of them, up to highest, with jitter.
func delay(lowest, highest time.Duration, tries int) time.Duration {
	return jitter(min(lowest<<min(tries, 20), highest))
}

// jitter varies d by up to a fifth, so that processes which started together do
// not keep calling together.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d*4/5 + rand.N(d*2/5+1)
}

// pauseFor waits for d. It reports false if ctx ends first.
func pauseFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
