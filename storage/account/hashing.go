package account

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/semaphore"

	"microblogging/domain"
	"microblogging/storage/concurrent"
)

const (
	// maxHashing is how many passwords are hashed concurrently. Each takes 19 MiB, so a burst
	// has to wait instead of exhausting the memory.
	maxHashing = 2
	// patience is how long a request waits for its turn at most. Each waits for another time,
	// because requests that are refused together would come back together.
	patience = 5 * time.Second
	// signingUp is the key of all sign-ups. Every client may sign up, so sign-ups get one slot
	// only, and a flood of them costs the store no more than one.
	signingUp = "sign-up"
)

// hashing hashes passwords, a few concurrently. A caller that waits too long gets domain.ErrBusy.
type hashing struct {
	make  func(password string) string
	slots *semaphore.Weighted
	turns concurrent.Locks[string]
}

// alone calls work while no other caller in this process has one of the keys.
func (h *hashing) alone(ctx context.Context, work func() error, keys ...string) error {
	waiting, cancel := patiently(ctx)
	defer cancel()
	for _, key := range keys {
		unlock, err := h.turns.Lock(waiting, key)
		if err != nil {
			return busy(ctx)
		}
		defer unlock()
	}
	return work()
}

func (h *hashing) inSlot(ctx context.Context, work func()) error {
	waiting, cancel := patiently(ctx)
	defer cancel()
	if err := h.slots.Acquire(waiting, 1); err != nil {
		return busy(ctx)
	}
	defer h.slots.Release(1)
	work()
	return nil
}

func (h *hashing) hash(ctx context.Context, password string) (hash string, err error) {
	err = h.inSlot(ctx, func() { hash = h.make(password) })
	return hash, err
}

func patiently(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, patience-rand.N(patience/2))
}

// busy is why a wait has ended: the request has, or the patience.
func busy(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf("waiting for a turn: %w", domain.ErrBusy)
}
