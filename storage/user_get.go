package storage

import (
	"context"

	"microblogging/domain"
)

// User returns the account of that name. Without one, the error is
// domain.ErrNotFound.
func (s *Store) User(ctx context.Context, name domain.UserName) (domain.User, error) {
	row, err := s.readUser(ctx, name)
	if err != nil {
		return domain.User{}, err
	}
	return domain.User{Name: row.name, CreatedOn: row.properties.Time(propCreatedOn)}, nil
}
