package load

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

// An account is a shared backend that knows which tables and queues it has.
type account struct {
	*mem.DB
	mu     sync.Mutex
	tables map[string]bool
	queues map[string]bool
	// down makes every call fail that drops something.
	down bool
	// silent makes transactions get no answer.
	silent atomic.Bool
}

func newAccount() *account {
	return &account{DB: mem.Open(mem.Snapshot{}, "test"), tables: map[string]bool{}, queues: map[string]bool{}}
}

func (a *account) CreateTable(ctx context.Context, table string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tables[table] = true // a call that is cut off may take effect
	return errors.Join(ctx.Err(), a.DB.CreateTable(ctx, table))
}

func (a *account) CreateQueue(ctx context.Context, queue string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queues[queue] = true
	return a.DB.CreateQueue(ctx, queue)
}

func (a *account) names(of map[string]bool, prefix string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var names []string
	for name, there := range of {
		if there && strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (a *account) TableNames(_ context.Context, prefix string) ([]string, error) {
	return a.names(a.tables, prefix), nil
}

func (a *account) QueueNames(_ context.Context, prefix string) ([]string, error) {
	return a.names(a.queues, prefix), nil
}

func (a *account) drop(of map[string]bool, name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.down {
		return errors.New("down")
	}
	of[name] = false
	return nil
}

func (a *account) DropTable(_ context.Context, table string) error { return a.drop(a.tables, table) }

func (a *account) DropQueue(_ context.Context, queue string) error { return a.drop(a.queues, queue) }

// all returns the names of everything that is there.
func (a *account) all() []string { return append(a.names(a.tables, ""), a.names(a.queues, "")...) }

// Transact creates a table that is missing, as the client of Azure does.
func (a *account) Transact(ctx context.Context, table, partition string, ops []driver.Operation) error {
	if a.silent.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	if !slices.Contains(a.names(a.tables, ""), table) {
		if err := a.CreateTable(ctx, table); err != nil {
			return err
		}
	}
	return a.DB.Transact(ctx, table, partition, ops)
}

// slowly is a backend whose transactions take time.
func slowly(backend driver.Backend, take time.Duration) driver.Backend {
	return driver.Wrap(backend, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		if c.Method == driver.CallTransact {
			time.Sleep(take)
		}
		return next(ctx)
	})
}
