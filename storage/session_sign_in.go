package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// An Attempt is one try to sign in, or to confirm a password.
type Attempt struct {
	Name     string
	Password string
	// Address is where the attempt comes from. Failed attempts are counted by address,
	// and by name and address. It may be any text.
	Address string
}

// SignIn starts a session, and returns it and its token. Only a hash of the token is
// stored. A wrong name or password is domain.ErrNotSignedIn. After too many of them
// every attempt is a *domain.ThrottledError.
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
func (s *Store) authenticate(ctx context.Context, a Attempt, counted []*tally) (userRow, error) {
	user, err := domain.ParseUserName(a.Name)
	if err != nil {
		return userRow{}, fmt.Errorf("signing in: %w", domain.ErrNotSignedIn)
	}
	account, err := s.readUser(ctx, user)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return userRow{}, err
	}
	if account.password == "" {
		_, err := s.hashing.hash(ctx, a.Password)
		return userRow{}, errors.Join(err, fmt.Errorf("signing in: %w", domain.ErrNotSignedIn))
	}
	switch ok, err := s.hashing.matches(ctx, account.password, a.Password); {
	case err != nil:
		return userRow{}, err
	case !ok:
		return userRow{}, &domain.WrongPasswordError{User: user}
	}
	return account, s.uncount(ctx, counted)
}

// startSession starts a session in the epoch of the account row. If the password was
// changed since that row was read, the session has ended already.
func (s *Store) startSession(ctx context.Context, account userRow) (string, domain.Session, error) {
	session := domain.Session{User: account.name, ExpiresOn: domain.Now().Add(SessionLifetime)}
	token, err := s.insertToken(ctx,
		driver.String(propUser, account.name), driver.Int64(propEpoch, account.epoch), driver.Time(propExpiresOn, session.ExpiresOn))
	return token, session, err
}
