package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
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
func (s *Store) SignIn(ctx context.Context, a Attempt) (token string, session domain.Session, err error) {
	counted, err := s.countSignIn(ctx, a)
	if err != nil {
		return "", domain.Session{}, err
	}
	account, err := s.authenticate(ctx, a, counted)
	if err != nil {
		return "", domain.Session{}, err
	}
	return s.startSession(ctx, account)
}

// authenticate checks the password and returns the account row it was checked
// against. The attempt was counted as failed before, and is uncounted if the
// password is right, so that many attempts at once cannot outrun the count. An
// unknown name takes as long as a wrong password, so that nobody learns which names
// exist.
func (s *Store) authenticate(ctx context.Context, a Attempt, counted []*quota) (userRow, error) {
	user, err := domain.ParseUserName(a.Name)
	if err != nil {
		return userRow{}, fmt.Errorf("signing in: %w", domain.ErrNotSignedIn)
	}
	account, err := s.readUser(ctx, user)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return userRow{}, err
	}
	var matches bool
	if account.password == "" {
		_, err = s.hashing.hash(ctx, a.Password)
	} else {
		matches, err = s.hashing.matches(ctx, account.password, a.Password)
	}
	switch {
	case errors.Is(err, domain.ErrBusy):
		return userRow{}, errors.Join(err, s.withdraw(ctx, counted))
	case err != nil:
		return userRow{}, err
	case account.password == "":
		return userRow{}, fmt.Errorf("signing in: %w", domain.ErrNotSignedIn)
	case !matches:
		return userRow{}, &domain.WrongPasswordError{User: user, Told: domain.ErrNotSignedIn}
	}
	return account, s.uncount(ctx, counted)
}

// startSession starts a session in the epoch of the account row. If the password was
// changed since that row was read, the session has ended already.
func (s *Store) startSession(ctx context.Context, account userRow) (string, domain.Session, error) {
	session := domain.Session{User: account.name, ExpiresOn: domain.Now().Add(SessionLifetime)}
	token, err := s.insertToken(ctx, session.ExpiresOn, driver.String(propUser, account.name), driver.Int64(propEpoch, account.epoch))
	return token, session, err
}
