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
	// propLink marks a sign-in link, which is exchanged for a session once and
	// is none itself.
	propLink = "Link"
)

const (
	// SessionLifetime is how long a sign-in lasts.
	SessionLifetime = 14 * 24 * time.Hour
	// linkLifetime is how long a sign-in link can be used.
	linkLifetime = time.Hour
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
	return account, s.takeBack(ctx, counted)
}

// startSession starts a session in the epoch in which its user was
// authenticated: if the password was changed since, the session has ended.
func (s *Store) startSession(ctx context.Context, account userRow) (string, domain.Session, error) {
	session := domain.Session{User: account.name, ExpiresOn: domain.Now().Add(SessionLifetime)}
	token, err := s.insertToken(ctx,
		driver.String(propUser, account.name), driver.Int64(propEpoch, account.epoch), driver.Time(propExpiresOn, session.ExpiresOn))
	return token, session, err
}

// insertToken mints a token and stores a row under its hash.
func (s *Store) insertToken(ctx context.Context, p ...driver.Property) (string, error) {
	token := rand.Text()
	err := s.sessions.Transact(ctx, sessionPartition(token), driver.Insert(only, p...))
	if errors.Is(err, domain.ErrExists) {
		err = nil // the echo of this very insert: the token is new
	}
	if err != nil {
		return "", fmt.Errorf("starting a session: %w", err)
	}
	return token, nil
}

// Session tells who is signed in by a token. One that is unknown, expired, or
// ended by a new epoch is domain.ErrNotSignedIn.
func (s *Store) Session(ctx context.Context, token string) (domain.Session, error) {
	row, err := s.sessions.Get(ctx, sessionPartition(token), only)
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

// SignOut ends one session. Ending it again is no error.
func (s *Store) SignOut(ctx context.Context, token string) error {
	err := s.sessions.Transact(ctx, sessionPartition(token), driver.Delete(only, driver.Exists))
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}

// carrySession lets one session live on in a new epoch. If the process dies
// before, its user has to sign in once more.
func (s *Store) carrySession(ctx context.Context, token string, epoch int64) error {
	err := s.sessions.Transact(ctx, sessionPartition(token), driver.Merge(only, driver.Exists, driver.Int64(propEpoch, epoch)))
	if errors.Is(err, domain.ErrNotFound) {
		return nil // signed out meanwhile
	}
	return err
}

// SignInLink makes a token that can be exchanged for a session once, within an
// hour.
func (s *Store) SignInLink(ctx context.Context, user domain.UserName) (string, error) {
	return s.insertToken(ctx, driver.String(propUser, user), driver.Bool(propLink, true),
		driver.Time(propExpiresOn, domain.Now().Add(linkLifetime)))
}

// FollowSignInLink exchanges the token of a link for a session. Used or expired
// links are domain.ErrNotSignedIn: deleting the row decides who was first.
func (s *Store) FollowSignInLink(ctx context.Context, link string) (token string, session domain.Session, err error) {
	row, err := s.sessions.Get(ctx, sessionPartition(link), only)
	if err == nil && (!row.Properties.Bool(propLink) || !time.Now().Before(row.Properties.Time(propExpiresOn))) {
		err = domain.ErrNotFound
	}
	if err == nil {
		err = s.sessions.Transact(ctx, sessionPartition(link), driver.Delete(only, driver.Match(row.ETag)))
	}
	switch {
	case raced(err):
		return "", domain.Session{}, fmt.Errorf("sign-in link: %w", domain.ErrNotSignedIn)
	case err != nil:
		return "", domain.Session{}, err
	}
	account, err := s.readUser(ctx, domain.UserName(row.Properties.String(propUser)))
	if err != nil {
		return "", domain.Session{}, err
	}
	return s.startSession(ctx, account)
}
