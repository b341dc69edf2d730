package load

import (
	"context"
	"sync"
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

// Throttled notes that the service answered a try that it is too busy. The context is that of
// the call. A call that is no part of the load is not counted.
func Throttled(ctx context.Context) {
	if c := costOf(ctx); c != nil {
		c.throttled.Add(1)
	}
}

// A meter counts the entities of each partition.
type meter struct {
	mu         sync.RWMutex
	partitions map[partition]*atomic.Int64
}

type partition struct{ table, key string }

func newMeter() *meter { return &meter{partitions: make(map[partition]*atomic.Int64)} }

// count adds entities of one partition, if the call is part of the load.
func (m *meter) count(ctx context.Context, table, key string, entities int) {
	c := costOf(ctx)
	if c == nil {
		return
	}
	c.entities.Add(int64(entities))
	m.counter(partition{table, key}).Add(int64(entities))
}

func (m *meter) counter(p partition) *atomic.Int64 {
	m.mu.RLock()
	counter := m.partitions[p]
	m.mu.RUnlock()
	if counter != nil {
		return counter
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.partitions[p] == nil {
		m.partitions[p] = &atomic.Int64{}
	}
	return m.partitions[p]
}

// busiest returns how many entities the busiest partition had.
func (m *meter) busiest() (most int64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, counter := range m.partitions {
		most = max(most, counter.Load())
	}
	return most
}

// around meters the calls of a store. A scan is no part of the load.
func (m *meter) around(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
	err := next(ctx)
	if _, returned := c.Returned(err); c.Partition != "" {
		m.count(ctx, c.Target, c.Partition, returned+c.Written(err))
	}
	return err
}
