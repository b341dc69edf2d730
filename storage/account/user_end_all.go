package account

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// EndAllSessions ends every session and sign-in link of every user, and revokes the address
// of each personal feed. It returns how many users there are. An operator calls it for a
// store that was restored: what was ended after the backup would be valid again.
func (s *Accounts) EndAllSessions(ctx context.Context) (users int, err error) {
	for row, err := range s.users.All(ctx, driver.Scan{Paging: driver.Paging{KeysOnly: true}}) {
		if err != nil {
			return users, fmt.Errorf("reading the users: %w", err)
		}
		if row.Row != schema.SingleRow {
			continue
		}
		user := domain.UserName(row.Partition)
		_, err := s.raiseEpoch(ctx, user, func(userRow) (driver.Properties, error) {
			return driver.Properties{driver.String(schema.PropDigestSecret, "")}, nil
		})
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			return users, fmt.Errorf("ending the sessions of %s: %w", user, err)
		}
		users++
	}
	return users, nil
}
