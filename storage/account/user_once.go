package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// signUpKeyLifetime is how long an idempotency key is honoured: how long the store
// remembers which name it was used for, and how long it returns the account that it made.
const signUpKeyLifetime = 24 * time.Hour

// earlierAccount returns the account of a name that is taken, if the same key made it and
// the password is right. Otherwise it returns domain.ErrExists or ErrKeyReused. A key is
// no way past the limits for sign-ins: the attempt counts as one, as in SignIn.
func (s *Accounts) earlierAccount(ctx context.Context, row userRow, r SignUpRequest) (domain.User, error) {
	account := domain.User{Name: row.name, CreatedOn: row.properties.Time(schema.PropCreatedOn)}
	made := r.Key != "" && row.properties.String(schema.PropOnce) == onceAccount(row.name, r.Key)
	if !made || !domain.Recent(account.CreatedOn, signUpKeyLifetime) {
		return domain.User{}, fmt.Errorf("user %s: %w", row.name, domain.ErrExists)
	}
	_, err := s.authenticate(ctx, r.Attempt)
	if errors.Is(err, domain.ErrNotSignedIn) {
		err = &domain.WrongPasswordError{User: row.name, Told: domain.ErrKeyReused}
	}
	return account, err
}

// bindSignUpKey writes down which name the key is used for. It is called when the name is
// free, so that a request that is refused leaves its key unused. The row ends like a
// session's, and no token gives it.
func (s *Accounts) bindSignUpKey(ctx context.Context, user domain.UserName, key string) error {
	if key == "" {
		return nil
	}
	return s.pause.Retry(ctx, func() error {
		bound, end := onceAccount(user, key), domain.Now().Add(signUpKeyLifetime)
		partition, properties := schema.SignUpPartition(key), append(ended(),
			driver.String(schema.PropOnce, bound), driver.Time(schema.PropExpiresOn, end))
		err := s.sessions.Transact(ctx, partition, driver.Insert(schema.SingleRow, properties...))
		if !errors.Is(err, domain.ErrExists) {
			return err
		}
		row, err := s.sessions.Get(ctx, partition, schema.SingleRow)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return optimistic.ErrAgain // it has just been removed
		case err != nil, row.Properties.String(schema.PropOnce) == bound:
			return err
		case time.Now().Before(row.Properties.Time(schema.PropExpiresOn)):
			return fmt.Errorf("user %s: %w", user, domain.ErrKeyReused)
		}
		return optimistic.Again(s.sessions.Transact(ctx, partition, driver.Replace(schema.SingleRow, driver.Match(row.ETag), properties...)))
	})
}

func onceAccount(user domain.UserName, key string) string {
	return schema.Hash("sign-up", string(user), key)
}
