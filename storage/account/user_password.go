package account

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// ChangePassword replaces the password of the user named in from, and ends all of the
// user's sessions but the one of token. It revokes the address of the user's personal
// feed. The token must be of a session of that user.
// From holds the old password. A wrong old password is an InvalidError on the field
// "old". After too many of them, in whatever sessions of the user, every attempt is a
// *domain.ThrottledError; failed sign-ins do not count. A new password that breaks a
// rule is an InvalidError on the field "new".
func (s *Accounts) ChangePassword(ctx context.Context, token string, from Attempt, password string) error {
	if err := domain.CheckPassword("new", password, domain.UserName(from.Name)); err != nil {
		return err
	}
	account, err := s.confirm(ctx, from, sessionCounter(from))
	switch {
	case errors.Is(err, domain.ErrNotSignedIn):
		return errNotThePassword()
	case err != nil:
		return err
	}
	hash, err := s.hashing.hash(ctx, password)
	if err != nil {
		return err
	}
	epoch, err := s.raiseEpoch(ctx, account.name, func(now userRow) (driver.Properties, error) {
		if now.password != account.password {
			return nil, errNotThePassword() // another request has changed it meanwhile
		}
		return driver.Properties{driver.String(schema.PropPassword, hash), driver.String(schema.PropDigestSecret, "")}, nil
	})
	if err != nil {
		return err
	}
	return s.carrySession(ctx, token, epoch)
}

func errNotThePassword() error { return domain.Invalid("old", "is not your password") }
