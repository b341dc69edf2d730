package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
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

// startSession starts a session in the epoch of the account row. If the password was changed
// since that row was read, the session has ended already. It counts as one of the last
// maxSessions from the sign-in with that number.
func (a *Accounts) startSession(ctx context.Context, user driver.Entity, signIns int64) (string, domain.Session, error) {
	session := domain.Session{User: userOf(user).Name, ExpiresOn: domain.Now().Add(SessionLifetime), Ends: endOf(user)}
	token, err := a.insertToken(ctx, user, session.ExpiresOn, driver.Int64(schema.PropSignIns, signIns))
	return token, session, err
}

// insertToken makes a new token of a user in their epoch, and stores a row under its hash.
func (a *Accounts) insertToken(ctx context.Context, user driver.Entity, end time.Time, more ...driver.Property) (string, error) {
	token := rand.Text()
	//lab: Insert the row of a session or of a sign-in link.
	err := a.sessions.Transact(ctx, schema.SessionPartition(token), driver.Insert(schema.SingleRow, append(driver.Properties{driver.Time(schema.PropExpiresOn, end),
		driver.String(schema.PropUser, userOf(user).Name), driver.Int64(schema.PropEpoch, epochOf(user))}, more...)...))
	if err != nil && !errors.Is(err, domain.ErrExists) { // the token is new: a self-conflict
		return "", fmt.Errorf("starting a session: %w", err)
	}
	return token, nil
}

// epochOf is the epoch that a user is in, or in which a session or a link was made.
func epochOf(row driver.Entity) int64 { return row.Properties.Int64(schema.PropEpoch) }

// outlasts reports whether a user has begun a new epoch, or signed in too often, since a session
// began.
func outlasts(user, session driver.Entity) bool {
	since := user.Properties.Int64(schema.PropSignIns) - session.Properties.Int64(schema.PropSignIns)
	return epochOf(user) != epochOf(session) || since >= maxSessions
}

// session is Session for a token of which nothing is known.
func (a *Accounts) session(ctx context.Context, token string) (domain.Session, error) {
	row, err := a.readSession(ctx, token)
	if err != nil {
		return domain.Session{}, err
	}
	user, err := a.readUser(ctx, ownerOf(row))
	if errors.Is(err, domain.ErrNotFound) || err == nil && outlasts(user, row) {
		err = errNotSignedIn
	}
	if err != nil {
		return domain.Session{}, err
	}
	return sessionOf(row, user), nil
}

// Session returns the session of a token. A token that is unknown or expired, or whose user has begun
// a new epoch or signed in too often since, is domain.ErrNotSignedIn.
//
// If the token is likely this user's, Session reads both rows at the same time. An empty name, or a
// wrong one, costs another read. The epoch that it reads may be older than the session's, because a
// user who changes the password carries a session to the new epoch. So if anything does not fit,
// Session reads both again.
func (a *Accounts) Session(ctx context.Context, token string, likely domain.UserName) (domain.Session, error) {
	if likely == "" {
		return a.session(ctx, token)
	}
	var row, user driver.Entity
	var unknown error
	err := a.reads.Concurrently(ctx,
		func(ctx context.Context) (err error) { row, err = a.readSession(ctx, token); return err },
		func(ctx context.Context) error { user, unknown = a.readUser(ctx, likely); return nil })
	switch {
	case err != nil:
		return domain.Session{}, err
	case unknown != nil || ownerOf(row) != likely || outlasts(user, row):
		return a.session(ctx, token)
	}
	return sessionOf(row, user), nil
}

var errNotSignedIn = fmt.Errorf("session: %w", domain.ErrNotSignedIn)

// readSession reads the row of a session. A token that is unknown, expired or signed out is
// domain.ErrNotSignedIn.
func (a *Accounts) readSession(ctx context.Context, token string) (driver.Entity, error) {
	row, err := a.sessions.Find(ctx, schema.SessionPartition(token), schema.SingleRow)
	switch {
	case err != nil:
		err = fmt.Errorf("session: %w", err)
	case !row.Found() || row.Properties.Bool(schema.PropLink) || hasEnded(row.Properties):
		err = errNotSignedIn
	}
	return row, err
}

// sessionOf is a session of a user.
func sessionOf(row, user driver.Entity) domain.Session {
	return domain.Session{User: ownerOf(row), ExpiresOn: row.Properties.Time(schema.PropExpiresOn), Ends: endOf(user)}
}

// endOf is until when the deletion of an account can be undone.
func endOf(user driver.Entity) (end time.Time) {
	if e := DecodeErasure(user); e.State == domain.AccountPending {
		end = e.UndoableUntil
	}
	return end
}

// ownerOf is whose a session or a link is.
func ownerOf(row driver.Entity) domain.UserName {
	return domain.UserName(row.Properties.String(schema.PropUser))
}

// hasEnded reports whether the token of a Sessions row is worth nothing any more.
func hasEnded(token driver.Properties) bool {
	return token.Bool(schema.PropEnded) || !time.Now().Before(token.Time(schema.PropExpiresOn))
}

// SignOut ends the session of a token. To end it again is no error. It does not delete
// the row: then a delayed duplicate of its insert would start the session again. The row is removed
// when its time has come. A copy of the insert that lands after that has expired.
func (a *Accounts) SignOut(ctx context.Context, token string) error {
	//lab: End the session.
	err := a.sessions.Transact(ctx, schema.SessionPartition(token),
		driver.Merge(schema.SingleRow, driver.Exists, driver.Bool(schema.PropEnded, true)))
	if errors.Is(err, domain.ErrNotFound) {
		return nil // it has expired
	}
	return err
}

// carrySession moves one session to a new epoch, so that it does not end with the
// epoch before. A session that has ended otherwise stays ended. If the process dies
// before this, the user has to sign in again.
func (a *Accounts) carrySession(ctx context.Context, token string, epoch int64) error {
	return a.pause.Change(ctx, a.sessions, schema.SessionPartition(token), schema.SingleRow, func(now driver.Entity) (driver.Properties, error) {
		if hasEnded(now.Properties) || epochOf(now) != epoch-1 {
			return nil, nil
		}
		return driver.Properties{driver.Int64(schema.PropEpoch, epoch)}, nil
	})
}

// SignInLink makes a sign-in link for a user and returns its token. The token can be
// exchanged for a session once, within an hour, and in the epoch in which it was made: a
// link ends with the user's sessions. An unknown user is domain.ErrNotFound.
func (a Steps) SignInLink(ctx context.Context, name domain.UserName) (string, error) {
	user, err := a.readUser(ctx, name)
	if err != nil {
		return "", fmt.Errorf("sign-in link: %w", err)
	}
	return a.insertToken(ctx, user, domain.Now().Add(linkLifetime), driver.Bool(schema.PropLink, true))
}

// PasswordLink makes a link with which a user can set a new password (ResetPassword) once, within an hour, and in the
// epoch in which it was made. It opens no session, so an operator who keeps it for themselves cannot use it unseen. An
// unknown user is domain.ErrNotFound. A closed account is domain.ErrAccountClosed. An actor who may not is
// domain.ErrForbidden.
func (a *Accounts) PasswordLink(ctx context.Context, name domain.UserName, by domain.Actor) (token string, expires time.Time, err error) {
	if !by.May(domain.LinkToPassword, domain.Object{Author: name}) {
		return "", time.Time{}, fmt.Errorf("password link: %w", domain.ErrForbidden)
	}
	user, err := a.readUser(ctx, name)
	if err == nil && isClosed(user) {
		err = domain.ErrAccountClosed
	}
	if err != nil {
		return "", time.Time{}, fmt.Errorf("password link: %w", err)
	}
	expires = domain.Now().Add(linkLifetime)
	token, err = a.insertToken(ctx, user, expires, driver.Bool(schema.PropLink, true), driver.String(schema.PropByOperator, by.User))
	return token, expires, err
}

// FollowSignInLink exchanges the token of a link for a session, and returns the
// session and its token. A link that was used, has ended or never was is
// domain.ErrNotSignedIn. Of several who follow one link, the one who marks its row as
// used is signed in. If the process dies after that, the link is lost.
func (a *Accounts) FollowSignInLink(ctx context.Context, link string) (token string, session domain.Session, err error) {
	used, err := a.useLink(ctx, link)
	if err != nil {
		return "", domain.Session{}, fmt.Errorf("sign-in link: %w", err)
	}
	user, err := a.readUser(ctx, ownerOf(used))
	if err == nil && (epochOf(user) != epochOf(used) || isClosed(user)) {
		err = fmt.Errorf("sign-in link: %w", domain.ErrNotSignedIn)
	}
	if err != nil {
		return "", domain.Session{}, err
	}
	return a.startSession(ctx, user, user.Properties.Int64(schema.PropSignIns))
}

// useLink marks a link as used, and returns its row. It does not delete the row: then a late
// copy of its insert would bring the link back.
func (a *Accounts) useLink(ctx context.Context, link string) (row driver.Entity, err error) {
	err = a.pause.Change(ctx, a.sessions, schema.SessionPartition(link), schema.SingleRow, func(now driver.Entity) (driver.Properties, error) {
		row = now
		if !now.Properties.Bool(schema.PropLink) || now.Properties.String(schema.PropByOperator) != "" || hasEnded(now.Properties) {
			return nil, domain.ErrNotSignedIn
		}
		return driver.Properties{driver.Bool(schema.PropEnded, true)}, nil
	})
	return row, err
}

const (
	// expiryMargin is how long after their end rows are removed. The clock of this
	// process may be ahead of others, for which the session, the link or the counter is
	// not over.
	expiryMargin = 5 * time.Minute
	// expireFlight is the largest number of concurrent transactions.
	expireFlight = 8
)

// Expire reads Sessions, Throttle and Activity whole. It deletes the rows that ended expiryMargin ago,
// each in the version that was read, and returns how many. The next call removes what a
// failure has left, and what changed meanwhile.
func (a Steps) Expire(ctx context.Context) (removed int, err error) {
	ended := time.Now().Add(-expiryMargin)
	group := concurrent.NewGroup(expireFlight)
	var n atomic.Int64
	for _, table := range []*driver.Table{a.sessions, a.throttle, a.activity} {
		//lab: Read every row of the table: which have expired?
		for row, unread := range table.All(ctx, driver.Scan{}) {
			if unread != nil {
				err = errors.Join(err, unread)
				break
			}
			if ended.Before(row.Properties.Time(schema.PropExpiresOn)) {
				continue
			}
			group.Go(func() error {
				//lab: Remove what has expired.
				err := table.Transact(ctx, row.Partition, driver.Delete(row.Row, driver.Match(row.ETag)))
				if err == nil {
					n.Add(1)
				} else if optimistic.Raced(err) {
					return nil // it has changed, and is left
				}
				return err
			})
			if a.reads.Limit == 1 {
				err = errors.Join(err, group.Wait()) // calls are made one after another
			}
		}
	}
	if err = errors.Join(err, group.Wait()); err != nil {
		err = fmt.Errorf("removing what has expired: %w", err)
	}
	return int(n.Load()), err
}
