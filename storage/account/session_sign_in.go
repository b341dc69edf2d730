package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// An Attempt is one try to sign up, to sign in, or to confirm a password.
type Attempt struct {
	Name     string
	Password string
	// Address is where the attempt comes from. Failed attempts are counted by address,
	// and by name and address. It may be any text.
	Address string
}

// SignIn starts a session, and returns it and its token. Only a hash of the token is
// stored. A wrong name or password is domain.ErrNotSignedIn. After too many of them
// every attempt is a *domain.ThrottledError. If too many sign in at once, it is
// domain.ErrBusy and does not count.
func (s *Accounts) SignIn(ctx context.Context, a Attempt) (token string, session domain.Session, err error) {
	account, err := s.authenticate(ctx, a)
	if err != nil {
		return "", domain.Session{}, err
	}
	err = s.changeUser(ctx, account.name, func(now userRow) (driver.Properties, error) {
		account.signIns = now.signIns + 1
		return driver.Properties{driver.Int64(schema.PropSignIns, account.signIns)}, nil
	})
	if err != nil {
		return "", domain.Session{}, err
	}
	return s.startSession(ctx, account)
}

// authenticate checks the password of somebody who signs in, and returns the account row
// that it was checked against. From then on the address is known for the user.
func (s *Accounts) authenticate(ctx context.Context, a Attempt) (userRow, error) {
	counters, remember, err := s.signInCounters(ctx, a)
	if err != nil {
		return userRow{}, err
	}
	account, err := s.confirm(ctx, a, counters...)
	if err == nil {
		err = remember(ctx)
	}
	return account, err
}

// countTime bounds the count of a wrong password, which is made also if nobody waits for the
// answer any more.
const countTime = 5 * time.Second

// confirm checks the password of an account if no counter has reached its limit, and returns
// the row that it was checked against. It counts a wrong one. The next attempt waits until
// then, so many at once cannot outrun the count: each process checks one more at most.
func (s *Accounts) confirm(ctx context.Context, a Attempt, counters ...*quota) (userRow, error) {
	account, err := s.accountOf(ctx, a.Name)
	if err != nil {
		return userRow{}, err
	}
	looks := make([]func(context.Context) error, len(counters))
	for i, q := range counters {
		looks[i] = func(ctx context.Context) error { return s.look(ctx, q) }
	}
	err = s.hashing.alone(ctx, a, func() error {
		if err := s.reads.AtOnce(ctx, looks[0], looks[1:]...); err != nil {
			return err // others have failed since the caller looked
		}
		err := s.compare(ctx, account, a.Password)
		if !errors.Is(err, domain.ErrNotSignedIn) {
			return err
		}
		counting, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTime)
		defer cancel()
		return cmp.Or(s.countIn(counting, counters...), err)
	})
	return account, err
}

// accountOf returns the row of an account. If nobody has the name, it is empty.
func (s *Accounts) accountOf(ctx context.Context, name string) (userRow, error) {
	user, err := domain.ParseUserName(name)
	if err != nil {
		return userRow{}, nil
	}
	account, err := s.readUser(ctx, user)
	if errors.Is(err, domain.ErrNotFound) {
		return userRow{}, nil
	}
	return account, err
}

// compare compares a password with that of the account. An empty account takes as long as a
// wrong password, so that nobody learns which names exist.
func (s *Accounts) compare(ctx context.Context, account userRow, password string) error {
	if account.password == "" {
		_, err := s.hashing.hash(ctx, password)
		return cmp.Or(err, fmt.Errorf("signing in: %w", domain.ErrNotSignedIn))
	}
	matches, err := s.hashing.matches(ctx, account.password, password)
	if err == nil && !matches {
		err = &domain.WrongPasswordError{User: account.name, Told: domain.ErrNotSignedIn}
	}
	return err
}

// startSession starts a session in the epoch of the account row. If the password was
// changed since that row was read, the session has ended already. It counts as one of the
// last maxSessions from when its user has signed in last.
func (s *Accounts) startSession(ctx context.Context, account userRow) (string, domain.Session, error) {
	session := domain.Session{User: account.name, ExpiresOn: domain.Now().Add(SessionLifetime)}
	token, err := s.insertToken(ctx, session.ExpiresOn, driver.String(schema.PropUser, account.name),
		driver.Int64(schema.PropEpoch, account.epoch), driver.Int64(schema.PropSignIns, account.signIns))
	return token, session, err
}
