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
// every attempt is a *domain.ThrottledError. If too many sign in concurrently, it is
// domain.ErrBusy and does not count. If an operator has closed the account, it is domain.ErrAccountClosed, for a
// client that has the password.
func (a *Accounts) SignIn(ctx context.Context, t Attempt) (token string, session domain.Session, err error) {
	user, err := a.authenticate(ctx, t)
	if err != nil {
		return "", domain.Session{}, err
	}
	signIns, err := a.raise(ctx, userOf(user).Name, schema.PropSignIns, nil)
	if errors.Is(err, domain.ErrNotFound) { // the account has gone meanwhile
		err = errNotSignedIn
	}
	if err != nil {
		return "", domain.Session{}, err
	}
	return a.startSession(ctx, user, signIns)
}

// authenticate checks the password of a user who signs in, and returns the account row
// that it was checked against. From then on the address is known for the user.
func (a *Accounts) authenticate(ctx context.Context, t Attempt) (driver.Entity, error) {
	user, err := a.confirm(ctx, t, a.signInLimits)
	if err == nil {
		err = a.remember(ctx, t)
	}
	if err == nil && isClosed(user) { // if it is closed later, the session is of the epoch before, and has ended
		err = fmt.Errorf("signing in: %w", domain.ErrAccountClosed)
	}
	return user, err
}

// countTime bounds the count of a wrong password, which is made even if the client no longer waits for
// the response.
const countTime = 5 * time.Second

// confirm checks the password of an account if no limit is reached, and returns the row that it
// was checked against. It counts a wrong one. One attempt from an address, and one at an
// account, is made at a time: so many connections of one client are one in the queue for a slot,
// and many concurrent ones cannot outrun the count: each process checks one more at most. Who is refused
// does not wait.
func (a *Accounts) confirm(ctx context.Context, t Attempt, limits func(context.Context, Attempt) ([]counter, error)) (driver.Entity, error) {
	if _, err := limits(ctx, t); err != nil {
		return driver.Entity{}, err
	}
	user, err := a.readAnyUser(ctx, t.Name)
	if err != nil {
		return driver.Entity{}, err
	}
	return user, a.hashing.alone(ctx, func() error {
		counters, err := limits(ctx, t)
		if err != nil {
			return err // others have failed meanwhile
		}
		wrong := a.compare(ctx, user, t.Password)
		if !errors.Is(wrong, domain.ErrNotSignedIn) {
			return wrong
		}
		counting, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTime)
		defer cancel()
		return cmp.Or(a.count(counting, counters...), wrong)
	}, "address "+t.Address, "account "+throttleName(t.Name))
}

// readAnyUser returns the row of an account. If no account has the name, it is empty.
func (a *Accounts) readAnyUser(ctx context.Context, name string) (driver.Entity, error) {
	parsed, err := domain.ParseUserName(name)
	if err != nil {
		return driver.Entity{}, nil
	}
	user, err := a.readUser(ctx, parsed)
	if errors.Is(err, domain.ErrNotFound) {
		return driver.Entity{}, nil
	}
	return user, err
}

// compare compares a password with that of the account. An empty account takes as long as a
// wrong password, so that a client cannot learn which names exist.
func (a *Accounts) compare(ctx context.Context, user driver.Entity, password string) error {
	hash := user.Properties.String(schema.PropPassword)
	if hash == "" {
		_, err := a.hashing.hash(ctx, password)
		return cmp.Or(err, fmt.Errorf("signing in: %w", domain.ErrNotSignedIn))
	}
	matches := false
	err := a.hashing.inSlot(ctx, func() { matches = domain.PasswordMatches(hash, password) })
	if err == nil && !matches {
		err = &domain.WrongPasswordError{User: userOf(user).Name, Told: domain.ErrNotSignedIn}
	}
	return err
}

// ChangePassword replaces the password of the user named in from, and ends all of the
// user's sessions but the one of token. It revokes the address of the user's personal
// feed. The token must be of a session of that user.
// From holds the old password. A wrong old password is an InvalidError on the field
// "old". After too many of them, in whatever sessions of the user, every attempt is a
// *domain.ThrottledError; failed sign-ins do not count. A new password that breaks a
// rule is an InvalidError on the field "new".
func (a *Accounts) ChangePassword(ctx context.Context, token string, from Attempt, password string) error {
	if err := domain.CheckPassword("new", password, domain.UserName(from.Name)); err != nil {
		return err
	}
	notThePassword := domain.Invalid("old", "is wrong")
	user, err := a.confirm(ctx, from, a.sessionLimits)
	switch {
	case errors.Is(err, domain.ErrNotSignedIn):
		return notThePassword
	case err != nil:
		return err
	}
	hash, err := a.hashing.hash(ctx, password)
	if err != nil {
		return err
	}
	epoch, err := a.raise(ctx, userOf(user).Name, schema.PropEpoch, func(now driver.Entity) (driver.Properties, error) {
		if now.Properties.String(schema.PropPassword) != user.Properties.String(schema.PropPassword) {
			return nil, notThePassword // another request has changed it meanwhile
		}
		return driver.Properties{driver.String(schema.PropPassword, hash), driver.String(schema.PropDigestSecret, ""), driver.String(schema.PropResetBy, "")}, nil
	})
	if err != nil {
		return err
	}
	return a.carrySession(ctx, token, epoch)
}

// ResetPassword sets a new password for the holder of a sign-in link, and ends all sessions and links
// of its user. It revokes the address of their personal feed. A link that was used, has ended or
// never was is domain.ErrNotSignedIn. A password that breaks a rule is an InvalidError on the field
// "password", and leaves the link as it is. The account says from then on which operator made the link, so that its
// user sees it. To set the password begins an epoch, and the link is of
// the one before: so it works once.
func (a *Accounts) ResetPassword(ctx context.Context, link, password string) error {
	row, err := a.readLink(ctx, link)
	if err != nil {
		return err
	}
	user := ownerOf(row)
	if err := domain.CheckPassword("password", password, user); err != nil {
		return err
	}
	hash, err := a.hashing.hash(ctx, password)
	if err != nil {
		return err
	}
	_, err = a.raise(ctx, user, schema.PropEpoch, func(now driver.Entity) (driver.Properties, error) {
		if epochOf(now) != epochOf(row) {
			return nil, domain.ErrNotSignedIn
		}
		return driver.Properties{
			driver.String(schema.PropPassword, hash), driver.String(schema.PropDigestSecret, ""),
			driver.String(schema.PropResetBy, row.Properties.String(schema.PropByOperator)), driver.Time(schema.PropResetOn, domain.Now()),
		}, nil
	})
	return err
}

// PasswordLinkUser returns the user whose password ResetPassword would set, and leaves the link as it is. A link
// that was used, has ended or never was is domain.ErrNotSignedIn.
func (a *Accounts) PasswordLinkUser(ctx context.Context, link string) (domain.UserName, error) {
	row, err := a.readLink(ctx, link)
	if err != nil {
		return "", err
	}
	user, err := a.readUser(ctx, ownerOf(row))
	if errors.Is(err, domain.ErrNotFound) || err == nil && epochOf(user) != epochOf(row) {
		err = domain.ErrNotSignedIn
	}
	if err != nil {
		return "", fmt.Errorf("reset link: %w", err)
	}
	return userOf(user).Name, nil
}

// readLink reads the row of a link, unless it has ended.
func (a *Accounts) readLink(ctx context.Context, link string) (driver.Entity, error) {
	//lab: Read the link, and the epoch in which it was made.
	row, err := a.sessions.Find(ctx, schema.SessionPartition(link), schema.SingleRow)
	if err == nil && (!row.Properties.Bool(schema.PropLink) || hasEnded(row.Properties)) {
		err = domain.ErrNotSignedIn
	}
	if err != nil {
		return driver.Entity{}, fmt.Errorf("reset link: %w", err)
	}
	return row, nil
}
