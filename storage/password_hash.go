package storage

import (
	"context"

	"microblogging/domain"
)

// hashingSlots limits how many passwords are hashed at once. Each takes 19 MiB, so
// that a burst of sign-ins has to wait instead of exhausting the memory.
type hashingSlots chan struct{}

// hashingAtOnce is the number of slots.
const hashingAtOnce = 2

func newHashingSlots() hashingSlots { return make(hashingSlots, hashingAtOnce) }

func (h hashingSlots) hash(ctx context.Context, password string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	return domain.HashPassword(password), nil
}

func (h hashingSlots) matches(ctx context.Context, hash, password string) (bool, error) {
	if err := h.enter(ctx); err != nil {
		return false, err
	}
	defer h.leave()
	return domain.PasswordMatches(hash, password), nil
}

func (h hashingSlots) enter(ctx context.Context) error {
	select {
	case h <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h hashingSlots) leave() { <-h }
