package account

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"microblogging/domain"
)

const (
	// hashingAtOnce is how many passwords are hashed at once. Each takes 19 MiB, so a
	// burst has to wait instead of exhausting the memory.
	hashingAtOnce = 2
	// signUpsAtOnce is how many of them may be of sign-ups. Anybody may sign up, so the
	// last slot is out of their reach.
	signUpsAtOnce = hashingAtOnce - 1
	// signUpsAdmitted is how many sign-ups may use the store at once. It is more than
	// are hashed, so that the hashing need not wait for the store.
	signUpsAdmitted = 8
	// signInWait and signUpWait are how long a password may wait for its slot.
	signInWait = 5 * time.Second
	signUpWait = 2 * time.Second
	// admissionWait is how long a sign-up may wait for its admission at most. To wait
	// costs the server less than to be refused and to come again.
	admissionWait = 5 * time.Second
)

// hashing hashes passwords, a few at once. At most one sign-up is ever before a sign-in
// in the queue for a slot. A password that waits too long is a domain.ErrBusy, and was
// not looked at.
type hashing struct {
	slots    chan struct{}
	signUps  chan struct{}
	admitted chan struct{}
	// addresses and accounts are locked, each for itself, before a slot is taken to sign in.
	addresses, accounts *locks
}

func newHashing() hashing {
	return hashing{
		slots:    make(chan struct{}, hashingAtOnce),
		signUps:  make(chan struct{}, signUpsAtOnce),
		admitted: make(chan struct{}, signUpsAdmitted),

		addresses: &locks{of: make(map[string]*lock)},
		accounts:  &locks{of: make(map[string]*lock)},
	}
}

// admit waits until a sign-up may begin, and runs it. One that waits too long is a
// domain.ErrBusy, and has read and written nothing: a flood of sign-ups costs the store no
// more than those that are admitted. Each waits for another time, since those who are
// refused together would come back together.
func (h hashing) admit(ctx context.Context, signUp func()) error {
	late := time.NewTimer(admissionWait - rand.N(admissionWait/2))
	defer late.Stop()
	return inSlot(ctx, late.C, h.admitted, signUp)
}

// alone makes one attempt at a time of those from one address, and of those at one account.
// So many connections of one client are one in the queue for a slot, and a guess is counted
// before the next one is made. One that waits too long is refused, and its password is not
// compared.
func (h hashing) alone(ctx context.Context, a Attempt, try func() error) error {
	late := time.NewTimer(signInWait)
	defer late.Stop()
	return h.addresses.in(ctx, late.C, a.Address, func() error {
		return h.accounts.in(ctx, late.C, throttleName(a.Name), try)
	})
}

// locks let one work at a time for each key.
type locks struct {
	mu sync.Mutex
	of map[string]*lock
}

// A lock is kept while somebody has it or waits for it.
type lock struct {
	slot   chan struct{}
	wanted int
}

// in works in the lock of the key.
func (l *locks) in(ctx context.Context, late <-chan time.Time, key string, work func() error) error {
	l.mu.Lock()
	mine := l.of[key]
	if mine == nil {
		mine = &lock{slot: make(chan struct{}, 1)}
		l.of[key] = mine
	}
	mine.wanted++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if mine.wanted--; mine.wanted == 0 {
			delete(l.of, key)
		}
	}()
	var failed error
	if err := inSlot(ctx, late, mine.slot, func() { failed = work() }); err != nil {
		return err
	}
	return failed
}

// hash hashes a password for somebody who signs in or has signed in.
func (h hashing) hash(ctx context.Context, password string) (hash string, err error) {
	err = h.signingIn(ctx, func() { hash = domain.HashPassword(password) })
	return hash, err
}

// matches compares a hash with the password of somebody who signs in or has signed in.
func (h hashing) matches(ctx context.Context, hash, password string) (ok bool, err error) {
	err = h.signingIn(ctx, func() { ok = domain.PasswordMatches(hash, password) })
	return ok, err
}

// hashNew hashes the password of a new account, for a stranger.
func (h hashing) hashNew(ctx context.Context, password string) (hash string, err error) {
	late := time.NewTimer(signUpWait)
	defer late.Stop()
	err = h.signingUp(ctx, late.C, func() { hash = domain.HashPassword(password) })
	return hash, err
}

// hashNewPatiently is like hashNew, for an operator: it waits as long as ctx lasts.
func (h hashing) hashNewPatiently(ctx context.Context, password string) (hash string, err error) {
	err = h.signingUp(ctx, nil, func() { hash = domain.HashPassword(password) })
	return hash, err
}

func (h hashing) signingIn(ctx context.Context, work func()) error {
	late := time.NewTimer(signInWait)
	defer late.Stop()
	return inSlot(ctx, late.C, h.slots, work)
}

func (h hashing) signingUp(ctx context.Context, late <-chan time.Time, work func()) error {
	var inner error
	err := inSlot(ctx, late, h.signUps, func() { inner = inSlot(ctx, late, h.slots, work) })
	if err != nil {
		return err
	}
	return inner
}

// inSlot waits for a slot, and works in it. If it is late before there is one, it
// returns domain.ErrBusy. A nil late never comes.
func inSlot(ctx context.Context, late <-chan time.Time, slots chan struct{}, work func()) error {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
		work()
		return nil
	case <-late:
		return fmt.Errorf("waiting for a turn: %w", domain.ErrBusy)
	case <-ctx.Done():
		return ctx.Err()
	}
}
