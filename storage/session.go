package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Properties of a Sessions row.
const (
	propUser      = "User"
	propExpiresOn = "ExpiresOn"
	// propLink marks a sign-in link. It is no session, and can be exchanged for one.
	propLink = "Link"
)

const (
	// SessionLifetime is how long a sign-in lasts.
	SessionLifetime = 14 * 24 * time.Hour
	// linkLifetime is how long a sign-in link can be used.
	linkLifetime = time.Hour
)

// insertToken makes a new token, and stores a row with these properties under its
// hash.
func (s *Store) insertToken(ctx context.Context, p ...driver.Property) (string, error) {
	token := rand.Text()
	err := s.sessions.Transact(ctx, sessionPartition(token), driver.Insert(singleRow, p...))
	if errors.Is(err, domain.ErrExists) {
		err = nil // the token is new, so that this is the echo of this insert
	}
	if err != nil {
		return "", fmt.Errorf("starting a session: %w", err)
	}
	return token, nil
}

// Session returns the session of a token. A token that is unknown or expired, or
// whose user has begun a new epoch, is domain.ErrNotSignedIn.
func (s *Store) Session(ctx context.Context, token string) (domain.Session, error) {
	row, err := s.sessions.Get(ctx, sessionPartition(token), singleRow)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return domain.Session{}, fmt.Errorf("session: %w", domain.ErrNotSignedIn)
	case err != nil:
		return domain.Session{}, fmt.Errorf("session: %w", err)
	}
	session := domain.Session{
		User:      domain.UserName(row.Properties.String(propUser)),
		ExpiresOn: row.Properties.Time(propExpiresOn),
	}
	if row.Properties.Bool(propLink) || !time.Now().Before(session.ExpiresOn) {
		return domain.Session{}, fmt.Errorf("session: %w", domain.ErrNotSignedIn)
	}
	switch user, err := s.readUser(ctx, session.User); {
	case err != nil && !errors.Is(err, domain.ErrNotFound):
		return domain.Session{}, err
	case err != nil || user.epoch != row.Properties.Int64(propEpoch):
		return domain.Session{}, fmt.Errorf("session: %w", domain.ErrNotSignedIn)
	}
	return session, nil
}

// SignOut ends the session of a token. To end it again is no error.
func (s *Store) SignOut(ctx context.Context, token string) error {
	err := s.sessions.Transact(ctx, sessionPartition(token), driver.Delete(singleRow, driver.Exists))
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}

// carrySession moves one session to a new epoch, so that it does not end with the
// old one. If the process dies before this, the user has to sign in again.
func (s *Store) carrySession(ctx context.Context, token string, epoch int64) error {
	err := s.sessions.Transact(ctx, sessionPartition(token), driver.Merge(singleRow, driver.Exists, driver.Int64(propEpoch, epoch)))
	if errors.Is(err, domain.ErrNotFound) {
		return nil // signed out meanwhile
	}
	return err
}
