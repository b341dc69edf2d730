package storage

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// propDigestSecret is the hash of the secret in the address of a user's personal
// feed of digests. If it is absent or empty, the user has no such address. It is in
// the Users row, so that revoking the address is one write. A new password revokes it in
// the same write.
const propDigestSecret = "DigestSecret"

// NewDigestAddress makes a new secret for a user's personal feed and returns it. The
// former secret no longer works. Only a hash is stored, so that the secret cannot be
// read again. An unknown user is domain.ErrNotFound.
func (s *Store) NewDigestAddress(ctx context.Context, user domain.UserName) (secret string, err error) {
	secret = rand.Text()
	return secret, s.setDigestSecret(ctx, user, hashHex("digest", secret))
}

// RevokeDigestAddress ends the personal feed of a user. To revoke again is no error.
func (s *Store) RevokeDigestAddress(ctx context.Context, user domain.UserName) error {
	return s.setDigestSecret(ctx, user, "")
}

func (s *Store) setDigestSecret(ctx context.Context, user domain.UserName, hash string) error {
	err := s.changeUser(ctx, user, func(userRow) (driver.Properties, error) {
		// This writes even if there is nothing to revoke: it changes the version, so that a
		// request which was never answered cannot take effect later.
		return driver.Properties{driver.String(propDigestSecret, hash)}, nil
	})
	if err != nil {
		return fmt.Errorf("digest address of %s: %w", user, err)
	}
	return nil
}

// HasDigestAddress tells whether a user has a personal feed.
func (s *Store) HasDigestAddress(ctx context.Context, user domain.UserName) (bool, error) {
	row, err := s.readUser(ctx, user)
	return row.properties.String(propDigestSecret) != "", err
}

// CheckDigestAddress returns nil if the secret is that of the user's personal feed,
// and domain.ErrNotFound if not.
func (s *Store) CheckDigestAddress(ctx context.Context, user domain.UserName, secret string) error {
	row, err := s.readUser(ctx, user)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	want, got := row.properties.String(propDigestSecret), hashHex("digest", secret)
	if want == "" || subtle.ConstantTimeCompare([]byte(want), []byte(got)) != 1 {
		return fmt.Errorf("digest address of %s: %w", user, domain.ErrNotFound)
	}
	return nil
}
