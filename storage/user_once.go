package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// signUpKeyLifetime is how long the store remembers which name an idempotency key was
// used for. The account's own row remembers the key for good.
const signUpKeyLifetime = 24 * time.Hour

// SignUpFrom is like SignUp, for a stranger. It reports true if this call made the account.
//
// The key is an idempotency key, or empty. A request with a key may be sent again: it then
// returns the account that the first one made. The key may be any text, and should be
// random: whoever knows it can find out whether a password is the one that the account has.
//
//   - The key was used for another name in the last 24 hours, or with another password
//     than the account has now: domain.ErrKeyReused.
//   - More than perHour accounts were made from the address in an hour: a
//     *domain.ThrottledError. An attempt counts once its name, password and key are
//     accepted. 0 is no limit.
//   - Too many sign up at once: domain.ErrBusy. It does not count.
//
// The account's row has a hash of the key and the name. So a request that finds the name
// taken recognises the account of an earlier request with its key.
func (s *Store) SignUpFrom(ctx context.Context, a Attempt, key string, perHour int) (domain.User, bool, error) {
	count := uncounted
	if perHour > 0 {
		count = func() ([]*quota, error) { return s.countSignUp(ctx, a.Address, perHour) }
	}
	return s.signUp(ctx, a, key, count, s.hashing.hashNew)
}

func uncounted() ([]*quota, error) { return nil, nil }

// earlierAccount returns the account of a name that is taken, if the same key and password
// made it. Otherwise it returns domain.ErrKeyReused or ErrExists.
func (s *Store) earlierAccount(ctx context.Context, row userRow, key, password string) (domain.User, error) {
	if key == "" || row.properties.String(propOnce) != onceAccount(row.name, key) {
		return domain.User{}, fmt.Errorf("user %s: %w", row.name, domain.ErrExists)
	}
	switch same, err := s.hashing.matchesNew(ctx, row.password, password); {
	case err != nil:
		return domain.User{}, err
	case !same:
		return domain.User{}, fmt.Errorf("user %s: %w", row.name, domain.ErrKeyReused)
	}
	return domain.User{Name: row.name, CreatedOn: row.properties.Time(propCreatedOn)}, nil
}

// bindSignUpKey writes down which name the key is used for. It is called when the name is
// free, so that a request that is refused leaves its key unused. The row ends like a
// session's, and no token gives it.
func (s *Store) bindSignUpKey(ctx context.Context, user domain.UserName, key string) error {
	if key == "" {
		return nil
	}
	return s.contend(ctx, func() error {
		bound := onceAccount(user, key)
		err := s.sessions.Transact(ctx, signUpPartition(key), driver.Insert(singleRow, append(ended(),
			driver.String(propOnce, bound), driver.Time(propExpiresOn, domain.Now().Add(signUpKeyLifetime)))...))
		if !errors.Is(err, domain.ErrExists) {
			return err
		}
		row, err := s.sessions.Get(ctx, signUpPartition(key), singleRow)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return errTryAgain // it has just expired
		case err == nil && row.Properties.String(propOnce) != bound:
			return fmt.Errorf("user %s: %w", user, domain.ErrKeyReused)
		}
		return err
	})
}

func onceAccount(user domain.UserName, key string) string {
	return hashHex("sign-up", string(user), key)
}
