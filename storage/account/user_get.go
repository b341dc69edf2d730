package account

import (
	"context"

	"microblogging/domain"
	"microblogging/storage/schema"
)

// MadeWithKey tells whether the account was made by a sign-up with that idempotency key,
// however long ago. It asks for no password, and so is for an operator alone. Without an
// account, the error is domain.ErrNotFound.
func (s *Accounts) MadeWithKey(ctx context.Context, name domain.UserName, key string) (bool, error) {
	row, err := s.readUser(ctx, name)
	return err == nil && key != "" && row.properties.String(schema.PropOnce) == onceAccount(name, key), err
}

// User returns the account of that name. Without one, the error is
// domain.ErrNotFound.
func (s *Accounts) User(ctx context.Context, name domain.UserName) (domain.User, error) {
	row, err := s.readUser(ctx, name)
	if err != nil {
		return domain.User{}, err
	}
	return domain.User{Name: row.name, CreatedOn: row.properties.Time(schema.PropCreatedOn)}, nil
}
