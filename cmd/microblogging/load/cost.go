package load

import (
	"context"
	"sync/atomic"

	"microblogging/storage/driver"
)

// A cost is what the operations of one kind have cost together.
type cost struct {
	// entities is how many rows were read, and how many were written or were a condition
	// of a write.
	entities atomic.Int64
	// throttled counts tries of the backend's client.
	throttled atomic.Int64
}

type costKey struct{}

// withCost returns a context whose calls are added to the cost.
func withCost(ctx context.Context, c *cost) context.Context {
	return context.WithValue(ctx, costKey{}, c)
}

func costOf(ctx context.Context) *cost {
	c, _ := ctx.Value(costKey{}).(*cost)
	return c
}

// Throttled notes that the service answered a try of a call that it is too busy. The context is
// that of the call.
func Throttled(ctx context.Context) {
	if c := costOf(ctx); c != nil { // else the call is no part of the load
		c.throttled.Add(1)
	}
}

// count is a driver.Around that counts the calls which are part of the load. A scan is none.
func count(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
	err := next(ctx)
	if cost := costOf(ctx); cost != nil && c.Partition != "" {
		_, returned := c.Returned(err)
		cost.entities.Add(int64(returned + c.Written(err)))
	}
	return err
}
