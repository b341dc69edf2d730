package deletion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/schema"
)

// OpenAccounts returns the users who are on the index with the deletion of their account, each once, and
// up to so many. The deletion may be undone, or over.
func (s Steps) OpenAccounts(ctx context.Context, limit int) (users []domain.UserName, err error) {
	keys := driver.Scan{From: schema.OpenPrefix, To: schema.PrefixEnd(schema.OpenPrefix), Paging: driver.Paging{KeysOnly: true}}
	for index, err := range s.Deletions.deletions.All(ctx, keys) {
		if err != nil {
			return nil, fmt.Errorf("reading the open deletions: %w", err)
		}
		user := schema.ParseRefRow(index.Row).Key.AccountOf()
		if user == "" || slices.Contains(users, user) {
			continue
		}
		if users = append(users, user); len(users) == limit {
			break
		}
	}
	return users, nil
}

// DeleteImmediately accepts a deletion that cannot be undone, of a channel whose owner's account is being
// deleted. It takes the row past the pivot in the version that was read, or returns
// optimistic.ErrAgain.
func (s Steps) DeleteImmediately(ctx context.Context, row fence.Row) error {
	message := MessageFor(row.Channel, row.Owner)
	message.UndoableUntil = time.Time{}
	if err := s.recordIntent(ctx, message); err != nil {
		return err
	}
	return s.fence.SetDeleting(ctx, row)
}

// lookAtAccount is lookAt for the deletion of an account. Before that is due, it does nothing.
func (p *pass) lookAtAccount(ctx context.Context, index driver.Entity, ref domain.ChannelRef) error {
	if index.Properties.Time(schema.PropDueOn).After(time.Now()) {
		return nil
	}
	//lab: Read the record of the deletion of an account.
	record, err := p.Deletions.deletions.Get(ctx, schema.ChannelPartition(ref.Key), schema.DeletionRow(ref.Incarnation))
	switch d := Decode(record); {
	case err == nil && d.Over():
		return p.removeOpen(ctx, index) // its request sets the account to pending at most once
	case err == nil:
		// Also if only the record is not final. One that is poisoned is not stalled, and stays on the index: web
		// processes find there whose pages they do not show.
		return p.requeue(ctx, d.Message())
	case !errors.Is(err, domain.ErrNotFound):
		return err
	}
	entry, err := p.accounts.Entry(ctx, ref.Key.AccountOf())
	switch {
	case err != nil && !errors.Is(err, domain.ErrNotFound):
		return err
	case entry.Leaves(ref.Incarnation):
		if err := p.RecordDeletion(ctx, entry.Message()); err != nil {
			return err
		}
		return p.requeue(ctx, entry.Message())
	case requestedRecently(index):
		return nil // the request may be under way, and would have to begin again
	}
	return p.giveUpAccount(ctx, index, ref, entry)
}

// giveUpAccount ends a request to delete an account whose row was never set pending, or whose deletion was
// undone. It writes the row, if there is one, after which the request cannot set it
// pending. It writes the record before it removes the index row. Otherwise a stalled request
// could insert a record that no pass would read.
func (p *pass) giveUpAccount(ctx context.Context, index driver.Entity, ref domain.ChannelRef, entry account.Entry) error {
	if entry.User != "" {
		if err := p.accounts.TouchAccount(ctx, entry); err != nil {
			return p.removeTouched(ctx, index, err)
		}
	}
	of := domain.Erasure{User: ref.Key.AccountOf(), ID: ref.Incarnation, RequestedOn: index.Properties.Time(schema.PropRequestedOn)}
	inserted, err := p.insertDeletion(ctx, of.Message(), domain.DeletionUndone)
	if err != nil || !inserted {
		return err // it was recorded meanwhile: the next pass goes by that
	}
	return p.removeOpen(ctx, index)
}
