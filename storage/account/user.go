package account

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Get returns the account of that name. Without one, the error is
// domain.ErrNotFound.
func (a *Accounts) Get(ctx context.Context, name domain.UserName) (domain.User, error) {
	row, err := a.readUser(ctx, name)
	if err != nil {
		return domain.User{}, err
	}
	return userOf(row), nil
}

// MadeWithKey reports whether the account was made by a sign-up with that idempotency key,
// however long ago. It asks for no password, and so is for an operator alone. Without an
// account, the error is domain.ErrNotFound.
func (a Steps) MadeWithKey(ctx context.Context, name domain.UserName, key string) (bool, error) {
	row, err := a.readUser(ctx, name)
	return err == nil && madeWith(row, key), err
}

// readUser reads the account of a user. If the account's deletion is past its pivot, the error is
// domain.ErrNotFound.
func (a *Accounts) readUser(ctx context.Context, name domain.UserName) (driver.Entity, error) {
	//lab: Read the account.
	row, err := a.users.Find(ctx, schema.UserPartition(name), schema.SingleRow)
	if err == nil && (!row.Found() || isOver(row)) {
		err = domain.ErrNotFound
	}
	if err != nil {
		return driver.Entity{}, fmt.Errorf("user %s: %w", name, err)
	}
	return row, nil
}

func userOf(row driver.Entity) domain.User {
	return domain.User{
		Name:      domain.UserName(row.Partition),
		CreatedOn: row.Properties.Time(schema.PropCreatedOn),
		Ends:      endOf(row),
		Closed:    isClosed(row),
		ResetBy:   domain.UserName(row.Properties.String(schema.PropResetBy)),
		ResetOn:   row.Properties.Time(schema.PropResetOn),
		HasDigest: row.Properties.String(schema.PropDigestSecret) != "",
	}
}

// isOver reports whether an account is past the pivot of its deletion.
func isOver(row driver.Entity) bool {
	state := DecodeErasure(row).State
	return state == domain.AccountErasing || state == domain.AccountGone
}

// isClosed reports whether an operator has closed an account, which can be undone.
func isClosed(row driver.Entity) bool {
	e := DecodeErasure(row)
	return e.State == domain.AccountPending && e.ByOperator != ""
}

// changeUser sets the properties that change returns, in the version of the row that was read:
// so a delayed duplicate of the write changes nothing. An unknown user is domain.ErrNotFound.
func (a *Accounts) changeUser(ctx context.Context, name domain.UserName, change func(now driver.Entity) (driver.Properties, error)) error {
	return a.pause.Change(ctx, a.users, schema.UserPartition(name), schema.SingleRow, func(now driver.Entity) (driver.Properties, error) {
		if !now.Found() || isOver(now) {
			return nil, fmt.Errorf("user %s: %w", name, domain.ErrNotFound)
		}
		return change(now)
	})
}

// raise adds one to a number of a user's row, and returns what it made of it. Others may have
// raised it again since. The same write sets the properties that change returns; it may be nil.
// To raise the epoch ends all sessions in one write.
func (a *Accounts) raise(ctx context.Context, name domain.UserName, number string,
	change func(now driver.Entity) (driver.Properties, error),
) (n int64, err error) {
	err = a.changeUser(ctx, name, func(now driver.Entity) (changes driver.Properties, err error) {
		if change != nil {
			changes, err = change(now)
		}
		n = now.Properties.Int64(number) + 1
		return append(changes, driver.Int64(number, n)), err
	})
	return n, err
}

// EndSessions ends every session of a user. An unknown user is domain.ErrNotFound.
func (a *Accounts) EndSessions(ctx context.Context, name domain.UserName) error {
	_, err := a.raise(ctx, name, schema.PropEpoch, nil)
	return err
}

// AllAccounts returns each account, also one that is gone and whose name is not free again. Another account of the name
// was made at another time.
func (a Steps) AllAccounts(ctx context.Context) iter.Seq2[domain.User, error] {
	return func(yield func(domain.User, error) bool) {
		for row, err := range a.users.All(ctx, driver.Scan{}) {
			if err != nil {
				yield(domain.User{}, fmt.Errorf("reading the users: %w", err))
				return
			}
			if row.Row == schema.SingleRow && !yield(userOf(row), nil) {
				return
			}
		}
	}
}

// EndAllSessions ends every session and sign-in link of every user, and revokes the address
// of each personal feed. It takes back every invitation. It returns how many users there are. An operator calls it for a
// store that was restored: what was ended after the backup would be valid again.
func (a Steps) EndAllSessions(ctx context.Context) (users int, err error) {
	for row, err := range a.users.All(ctx, driver.Scan{Paging: driver.Paging{KeysOnly: true}}) {
		if err != nil {
			return users, fmt.Errorf("reading the users: %w", err)
		}
		if row.Row != schema.SingleRow {
			continue
		}
		_, err := a.raise(ctx, userOf(row).Name, schema.PropEpoch, func(driver.Entity) (driver.Properties, error) {
			return driver.Properties{driver.String(schema.PropDigestSecret, "")}, nil
		})
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			return users, fmt.Errorf("ending the sessions of %s: %w", row.Partition, err)
		}
		users++
	}
	return users, a.revokeAllInvitations(ctx)
}
