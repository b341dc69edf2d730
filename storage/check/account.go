package check

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// checkUsers judges the rows of Users. The account's row comes first in its partition.
func (c *Checker) checkUsers(ctx context.Context) error {
	gone := ""
	return c.each(ctx, c.store.users, func(ctx context.Context, kind *schema.Kind, row driver.Entity) error {
		switch {
		case kind != schema.Account && row.Partition == gone:
			return c.dropLeft(ctx, row)
		case kind != schema.Account:
			return nil
		}
		switch domain.AccountState(row.Properties.String(schema.PropState)) {
		case domain.AccountGone:
			gone = row.Partition
		case domain.AccountPending, domain.AccountErasing:
			return c.checkErasure(ctx, row)
		}
		return nil
	})
}

// dropLeft removes a row beside an account that is gone, unless somebody has the name by now. A late
// copy of a request has left it. It names nothing of theirs, and is no breach.
func (c *Checker) dropLeft(ctx context.Context, row driver.Entity) error {
	if gone, err := c.gone(ctx, domain.UserName(row.Partition)); err != nil || !gone {
		return err
	}
	return c.drop(ctx, c.store.users, row)
}

// checkErasure is I5: an account that is being deleted is on the index of open deletions, from which
// its message is sent again if that is lost, or its deletion is recorded.
func (c *Checker) checkErasure(ctx context.Context, row driver.Entity) error {
	of := account.DecodeErasure(row)
	//lab: Read whether the deletion of the account is recorded.
	record, err := c.store.deletions.Get(ctx, schema.ChannelPartition(of.Ref().Key), schema.DeletionRow(of.ID))
	if !errors.Is(err, domain.ErrNotFound) && (err != nil || !deletion.Decode(record).Over()) {
		return err
	}
	//lab: Read whether the deletion of the account is on the index.
	_, err = c.store.deletions.Get(ctx, schema.OpenPartition(of.Ref().Key), schema.RefRow(of.Ref()))
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	return c.breach("I5", c.store.users, row, "marked as being deleted, and no deletion is recorded", func() (string, error) {
		err := c.store.RecordDeletion(ctx, of.Message())
		if err == nil {
			err = c.store.Enqueue(ctx, of.Message())
		}
		return "queued", err
	})
}

// gone tells whether the account of a user was deleted.
func (c *Checker) gone(ctx context.Context, user domain.UserName) (bool, error) {
	e, err := c.erasureOf(ctx, user)
	return e.State == domain.AccountGone, err
}

// erasureOf is what the row of an account says about its deletion.
func (c *Checker) erasureOf(ctx context.Context, user domain.UserName) (domain.Erasure, error) {
	//lab: Read whether the account is gone.
	row, err := c.store.users.Get(ctx, schema.UserPartition(user), schema.SingleRow)
	if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrLimit) {
		return domain.Erasure{}, nil
	}
	return account.DecodeErasure(row), err
}
