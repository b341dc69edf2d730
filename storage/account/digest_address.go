package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// NewDigestAddress makes a new secret for a user's personal feed and returns it. The
// former secret no longer works. Only a hash is stored, so that the secret cannot be
// read again. An unknown user is domain.ErrNotFound.
func (s *Accounts) NewDigestAddress(ctx context.Context, user domain.UserName) (secret string, err error) {
	secret = rand.Text()
	return secret, s.setDigestSecret(ctx, user, schema.Hash("digest", secret))
}

// RevokeDigestAddress ends the personal feed of a user. To revoke again is no error.
func (s *Accounts) RevokeDigestAddress(ctx context.Context, user domain.UserName) error {
	return s.setDigestSecret(ctx, user, "")
}

func (s *Accounts) setDigestSecret(ctx context.Context, user domain.UserName, hash string) error {
	err := s.changeUser(ctx, user, func(userRow) (driver.Properties, error) {
		// This writes even if there is nothing to revoke: it changes the version, so that a
		// request which was never answered cannot take effect later.
		return driver.Properties{driver.String(schema.PropDigestSecret, hash)}, nil
	})
	if err != nil {
		return fmt.Errorf("digest address of %s: %w", user, err)
	}
	return nil
}

// HasDigestAddress tells whether a user has a personal feed.
func (s *Accounts) HasDigestAddress(ctx context.Context, user domain.UserName) (bool, error) {
	row, err := s.readUser(ctx, user)
	return row.properties.String(schema.PropDigestSecret) != "", err
}

// CheckDigestAddress returns nil if the secret is that of the user's personal feed,
// and domain.ErrNotFound if not.
func (s *Accounts) CheckDigestAddress(ctx context.Context, user domain.UserName, secret string) error {
	row, err := s.readUser(ctx, user)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	want, got := row.properties.String(schema.PropDigestSecret), schema.Hash("digest", secret)
	if want == "" || subtle.ConstantTimeCompare([]byte(want), []byte(got)) != 1 {
		return fmt.Errorf("digest address of %s: %w", user, domain.ErrNotFound)
	}
	return nil
}
