package storage

import (
	"context"
	"sync"
	"time"
)

// leadTime bounds the work of a leader. The context of a leader's own request does not
// end it, since the others wait for its answer.
const leadTime = 10 * time.Second

// leadersMeet is how long leaders get the same deadline. The last of them gets this much
// less than leadTime.
const leadersMeet = time.Second

// A leadClock gives leaders their contexts. A timer for each would be a tenth of what a
// vote costs in the embedded store, so those who begin within leadersMeet share one.
type leadClock struct {
	mu       sync.Mutex
	began    time.Time
	deadline context.Context
	// end is never called: leaders may depend on the deadline until it is there.
	end context.CancelFunc
}

// context is one with the values of ctx, which ends about leadTime after now.
func (c *leadClock) context(ctx context.Context, now time.Time) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deadline == nil || now.Sub(c.began) >= leadersMeet {
		c.began = now
		c.deadline, c.end = context.WithTimeout(context.Background(), leadTime)
	}
	return leadContext{c.deadline, ctx}
}

// A leadContext has the deadline of one context and the values of another.
type leadContext struct {
	context.Context
	values context.Context
}

// Value asks the deadline first. So package context finds it, and needs no goroutine for a
// context that depends on this one.
func (c leadContext) Value(key any) any {
	if value := c.Context.Value(key); value != nil {
		return value
	}
	return c.values.Value(key)
}
