package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// An Attempt is one try to prove who one is.
type Attempt struct {
	Name     string
	Password string
	// Address is where the attempt comes from: what failed attempts are counted
	// by, beside the name. It may be any text.
	Address string
}

// SignIn starts a session and returns its token, which is stored nowhere.
// Wrong credentials are domain.ErrNotSignedIn, too many of them a
// *domain.ThrottledError.
func (s *Store) SignIn(ctx context.Context, a Attempt) (token string, session domain.Session, err error) {
	account, err := s.authenticate(ctx, a)
	if err != nil {
		return "", domain.Session{}, err
	}
	return s.startSession(ctx, account)
}

// authenticate checks a password and returns the account whose it is, as it was
// read with that password. The attempt is counted as failed before it is looked
// at and taken back if it succeeds, so that many at once cannot outrun the
// count. A name that does not exist takes as long as a wrong password.
func (s *Store) authenticate(ctx context.Context, a Attempt) (userRow, error) {
	counted, err := s.countAttempt(ctx, a)
	if err != nil {
		return userRow{}, err
	}
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
		return userRow{}, fmt.Errorf("signing in: %w", domain.ErrNotSignedIn)
	}
	return account, s.uncount(ctx, counted)
}

// startSession starts a session in the epoch in which its user was
// authenticated: if the password was changed since, the session has ended.
func (s *Store) startSession(ctx context.Context, account userRow) (string, domain.Session, error) {
	session := domain.Session{User: account.name, ExpiresOn: domain.Now().Add(SessionLifetime)}
	token, err := s.insertToken(ctx,
		driver.String(propUser, account.name), driver.Int64(propEpoch, account.epoch), driver.Time(propExpiresOn, session.ExpiresOn))
	return token, session, err
}
