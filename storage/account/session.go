package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

const (
	// SessionLifetime is how long a sign-in lasts.
	SessionLifetime = 14 * 24 * time.Hour
	// linkLifetime is how long a sign-in link can be used.
	linkLifetime = time.Hour
	// maxSessions is how many sessions a user has at most: those of the last sign-ins. So a
	// program that signs in each time leaves few that could be stolen.
	maxSessions = 50
)

// insertToken makes a new token, and stores a row with these properties under its
// hash. The row ends at that time.
func (s *Accounts) insertToken(ctx context.Context, end time.Time, p ...driver.Property) (string, error) {
	token := rand.Text()
	//lab: Insert the row of a session or of a sign-in link.
	err := s.sessions.Transact(ctx, schema.SessionPartition(token), driver.Insert(schema.SingleRow, append(p, driver.Time(schema.PropExpiresOn, end))...))
	if errors.Is(err, domain.ErrExists) {
		err = nil // the token is new, so that this is the echo of this insert
	}
	if err != nil {
		return "", fmt.Errorf("starting a session: %w", err)
	}
	return token, nil
}

// Session returns the session of a token. A token that is unknown or expired, or
// whose user has begun a new epoch or signed in too often since, is domain.ErrNotSignedIn.
func (s *Accounts) Session(ctx context.Context, token string) (domain.Session, error) {
	session, began, err := s.readSession(ctx, token)
	if err != nil {
		return domain.Session{}, err
	}
	now, err := s.readMoment(ctx, session.User)
	if err == nil && now.outlasts(began) {
		err = notSignedIn()
	}
	if err != nil {
		return domain.Session{}, err
	}
	return session, nil
}

// SessionAhead begins to read the session of a token, as Session does, before its answer
// is needed. The function that it returns waits for the answer. It must be called, and may
// be called again. Likely is whose session that was when it was read last, or empty: then
// both rows of a session are read at once. If it is wrong, it costs another read.
func (s *Accounts) SessionAhead(ctx context.Context, token string, likely domain.UserName) (wait func() (domain.Session, error)) {
	return flight.Ahead(s.reads, func() (domain.Session, error) {
		if likely == "" {
			return s.Session(ctx, token)
		}
		return s.sessionOf(ctx, token, likely)
	})
}

// sessionOf is Session for a token that is likely this user's. The rows are read at once,
// so that the epoch may be older than the session's: a user who changes the password
// carries a session to the new epoch. So any doubt is settled by Session.
func (s *Accounts) sessionOf(ctx context.Context, token string, likely domain.UserName) (session domain.Session, err error) {
	var began, now moment
	var known error
	err = s.reads.AtOnce(ctx,
		func(ctx context.Context) (err error) {
			session, began, err = s.readSession(ctx, token)
			return err
		},
		func(ctx context.Context) error {
			now, known = s.readMoment(ctx, likely)
			return nil
		})
	switch {
	case err != nil:
		return domain.Session{}, err
	case known != nil || session.User != likely || now.outlasts(began):
		return s.Session(ctx, token)
	}
	return session, nil
}

// readSession reads the row of a session, and when it began. A token that is unknown, expired
// or signed out is domain.ErrNotSignedIn.
func (s *Accounts) readSession(ctx context.Context, token string) (session domain.Session, began moment, err error) {
	row, err := s.sessions.Get(ctx, schema.SessionPartition(token), schema.SingleRow)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return domain.Session{}, moment{}, notSignedIn()
	case err != nil:
		return domain.Session{}, moment{}, fmt.Errorf("session: %w", err)
	case row.Properties.Bool(schema.PropLink) || hasEnded(row.Properties):
		return domain.Session{}, moment{}, notSignedIn()
	}
	return domain.Session{
		User:      domain.UserName(row.Properties.String(schema.PropUser)),
		ExpiresOn: row.Properties.Time(schema.PropExpiresOn),
	}, momentOf(row.Properties), nil
}

// readMoment reads in which moment of its life an account is. Without an account, it is domain.ErrNotSignedIn.
func (s *Accounts) readMoment(ctx context.Context, user domain.UserName) (moment, error) {
	row, err := s.readUser(ctx, user)
	if errors.Is(err, domain.ErrNotFound) {
		err = notSignedIn()
	}
	return row.moment, err
}

func notSignedIn() error { return fmt.Errorf("session: %w", domain.ErrNotSignedIn) }

// hasEnded tells whether the token of a Sessions row is worth nothing any more.
func hasEnded(token driver.Properties) bool {
	return token.Bool(schema.PropEnded) || !time.Now().Before(token.Time(schema.PropExpiresOn))
}

// ended returns the properties that end a token for good. It leaves ExpiresOn, so that
// the row is removed when its time has come. A copy of the insert that lands after that
// has expired. The epoch and the mark are for a web role that does not know schema.PropEnded yet.
func ended() driver.Properties {
	return driver.Properties{driver.Bool(schema.PropEnded, true), driver.Bool(schema.PropLink, false), driver.Int64(schema.PropEpoch, endedEpoch)}
}

// endedEpoch is an epoch that no user has.
const endedEpoch = -1

// SignOut ends the session of a token. To end it again is no error. It does not delete
// the row: then a late copy of its insert would start the session again.
func (s *Accounts) SignOut(ctx context.Context, token string) error {
	//lab: Mark the session as ended, and keep its row.
	err := s.sessions.Transact(ctx, schema.SessionPartition(token), driver.Merge(schema.SingleRow, driver.Exists, ended()...))
	if errors.Is(err, domain.ErrNotFound) {
		return nil // it has expired
	}
	return err
}

// carrySession moves one session to a new epoch, so that it does not end with the
// epoch before. A session that has ended otherwise stays ended. If the process dies
// before this, the user has to sign in again.
func (s *Accounts) carrySession(ctx context.Context, token string, epoch int64) error {
	return s.pause.Retry(ctx, func() error {
		row, err := s.sessions.Get(ctx, schema.SessionPartition(token), schema.SingleRow)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return nil // it has expired
		case err != nil:
			return err
		case hasEnded(row.Properties), row.Properties.Int64(schema.PropEpoch) != epoch-1:
			return nil // or this is the echo of our own write
		}
		return optimistic.Again(s.sessions.Transact(ctx, row.Partition, driver.Merge(schema.SingleRow, driver.Match(row.ETag), driver.Int64(schema.PropEpoch, epoch))))
	})
}
