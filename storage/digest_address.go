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
// feed of digests: absent or empty, there is no such address. One row holds it,
// so that revoking it is one write.
const propDigestSecret = "DigestSecret"

// NewDigestAddress mints the secret of a user's personal feed and revokes the
// one before. It is returned this once and stored as a hash alone.
func (s *Store) NewDigestAddress(ctx context.Context, user domain.UserName) (secret string, err error) {
	secret = rand.Text()
	return secret, s.setDigestSecret(ctx, user, hashHex("digest", secret))
}

// RevokeDigestAddress ends the personal feed of a user.
func (s *Store) RevokeDigestAddress(ctx context.Context, user domain.UserName) error {
	return s.setDigestSecret(ctx, user, "")
}

func (s *Store) setDigestSecret(ctx context.Context, user domain.UserName, hash string) error {
	err := s.users.Transact(ctx, userPartition(user), driver.Merge(singleRow, driver.Exists, driver.String(propDigestSecret, hash)))
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

// CheckDigestAddress is domain.ErrNotFound unless the secret is that of the
// user's personal feed.
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
