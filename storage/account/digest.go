package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// NewDigestAddress makes a new secret for a user's personal feed and returns it. The
// former secret no longer works. Only a hash is stored, so that the secret cannot be
// read again. An unknown user is domain.ErrNotFound.
func (a *Accounts) NewDigestAddress(ctx context.Context, name domain.UserName) (secret string, err error) {
	secret = rand.Text()
	return secret, a.setDigestSecret(ctx, name, schema.Hash("digest", secret))
}

// RevokeDigestAddress ends the personal feed of a user. To revoke again is no error.
func (a *Accounts) RevokeDigestAddress(ctx context.Context, name domain.UserName) error {
	return a.setDigestSecret(ctx, name, "")
}

func (a *Accounts) setDigestSecret(ctx context.Context, name domain.UserName, hash string) error {
	return a.changeUser(ctx, name, func(driver.Entity) (driver.Properties, error) {
		// This writes even if there is nothing to revoke: it changes the version, so that a
		// request which was never answered cannot take effect later.
		return driver.Properties{driver.String(schema.PropDigestSecret, hash)}, nil
	})
}

// CheckDigestAddress returns nil if the secret is that of the user's personal feed,
// and domain.ErrNotFound if not.
func (a *Accounts) CheckDigestAddress(ctx context.Context, name domain.UserName, secret string) error {
	row, err := a.readUser(ctx, name)
	if err != nil {
		return err
	}
	want, got := row.Properties.String(schema.PropDigestSecret), schema.Hash("digest", secret)
	if want == "" || subtle.ConstantTimeCompare([]byte(want), []byte(got)) != 1 {
		return fmt.Errorf("digest address of %s: %w", name, domain.ErrNotFound)
	}
	return nil
}
