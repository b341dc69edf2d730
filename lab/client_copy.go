package lab

import (
	"context"
	"time"

	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/move"
)

// A copy of the store, and requests that look whether the store is frozen.

// guarded runs a body as a process does whose store other processes may copy. It looks
// whether the store is frozen before its first write, and believes that to its end: the copy
// waits for the end of all that began before.
func guarded(do body) body {
	return func(ctx context.Context, c *Client) {
		tables, queues := storage.GuardForGood(c.Tables, c.Queues)
		looking := *c
		looking.Store = storage.NewWithPause(tables, queues, noPause)
		do(ctx, &looking)
	}
}

// copyAway copies the store to another.
func copyAway(ctx context.Context, c *Client) {
	waiting := func(_ context.Context, d time.Duration) error {
		if d != storage.LastWrite {
			return nil
		}
		return c.Queues.(*turnstile).await()
	}
	_, _ = copyStore(ctx, c.Tables.(*turnstile), waiting) // its outcome is in the store
}

// A backend is one that the lab can make: it takes calls one by one.
type backend interface {
	driver.OneByOne
	driver.Queues
}

func copyStore(ctx context.Context, b backend, pause storage.Pause) (move.Result, error) {
	return move.Copy(ctx,
		move.Side{Name: "the old store", Tables: b, Queues: b},
		move.Side{Name: "the new store", Tables: target{b}, Queues: target{b}},
		move.Options{Pause: pause})
}
