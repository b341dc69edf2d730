package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// An account that is to be deleted says so in its own row, and how far that has come. Each of these
// swaps depends on the version of the row that was read. What the deletion does besides is in
// package erasure.

// An Entry is what the row of an account says about its deletion, and the version in which it does.
type Entry struct {
	domain.Erasure
	row driver.Entity
}

// CreatedOn is when the account was made.
func (e Entry) CreatedOn() time.Time { return e.row.Properties.Time(schema.PropCreatedOn) }

// Leaves reports whether the account is being deleted, by the request with this ID.
func (e Entry) Leaves(by domain.Incarnation) bool {
	return e.ID == by && (e.State == domain.AccountPending || e.State == domain.AccountErasing)
}

func entryOf(row driver.Entity) Entry { return Entry{DecodeErasure(row), row} }

// DecodeErasure is what the row of an account says about its deletion.
func DecodeErasure(row driver.Entity) domain.Erasure {
	p := row.Properties
	return domain.Erasure{
		User:          domain.UserName(row.Partition),
		ID:            domain.Incarnation(p.String(schema.PropIncarnation)),
		State:         domain.AccountState(p.String(schema.PropState)),
		RequestedOn:   p.Time(schema.PropRequestedOn),
		UndoableUntil: p.Time(schema.PropUndoableUntil),
		KeepPosts:     p.Bool(schema.PropKeepPosts),
		ByOperator:    domain.UserName(p.String(schema.PropByOperator)),
	}
}

// Entry reads what the row of an account says about its deletion, in any state. Without a row, it
// is domain.ErrNotFound.
func (a Steps) Entry(ctx context.Context, name domain.UserName) (Entry, error) {
	//lab: Read the state of the account.
	row, err := a.users.Get(ctx, schema.UserPartition(name), schema.SingleRow)
	if err != nil {
		return Entry{}, fmt.Errorf("account %s: %w", name, err)
	}
	return entryOf(row), nil
}

// Erasure is what the row of an account says about its deletion, in any state. Without a row, it is
// domain.ErrNotFound.
func (a *Accounts) Erasure(ctx context.Context, name domain.UserName) (domain.Erasure, error) {
	e, err := Steps{a}.Entry(ctx, name)
	return e.Erasure, err
}

// RequireActive returns nil if a user may still act, and domain.ErrAccountEnds if their account is being
// deleted, or is gone. A request that acts in another user's channel must call it between the
// write of the row by which a deletion finds that act and the transaction of the act (package
// erasure).
func (a Steps) RequireActive(ctx context.Context, name domain.UserName) error {
	e, err := a.Entry(ctx, name)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return nil // a test, or an operator, acts in a name that never signed up
	case err == nil && e.State != domain.AccountActive:
		err = fmt.Errorf("account %s: %w", name, domain.ErrAccountEnds)
	}
	return err
}

// Confirm checks the password of a user who is signed in, and returns the row that it was checked
// against. A wrong one is an InvalidError on the field "password". After too many of them, in
// whatever sessions of the user, every attempt is a *domain.ThrottledError.
func (a Steps) Confirm(ctx context.Context, of Attempt) (Entry, error) {
	row, err := a.confirm(ctx, of, a.sessionLimits)
	if errors.Is(err, domain.ErrNotSignedIn) {
		err = notThePassword()
	}
	return entryOf(row), err
}

func notThePassword() error { return domain.Invalid("password", "is wrong") }

// SamePassword returns an error if the row has another password than the one that was confirmed,
// because the password was changed since.
func (e Entry) SamePassword(now Entry) error {
	if now.row.Properties.String(schema.PropPassword) != e.row.Properties.String(schema.PropPassword) {
		return notThePassword()
	}
	return nil
}

// CloseAccount sets an account pending, in the version that was read, or returns
// optimistic.ErrAgain. It ends all sessions and links, and revokes the address of the personal feed.
func (a Steps) CloseAccount(ctx context.Context, e Entry, asked domain.Erasure) error {
	//lab: Change the account to pending, which ends all its sessions.
	return a.swap(ctx, e, driver.String(schema.PropState, domain.AccountPending),
		driver.String(schema.PropIncarnation, asked.ID),
		driver.Time(schema.PropRequestedOn, asked.RequestedOn),
		driver.Time(schema.PropUndoableUntil, asked.UndoableUntil),
		driver.Bool(schema.PropKeepPosts, asked.KeepPosts),
		driver.String(schema.PropByOperator, asked.ByOperator),
		driver.Int64(schema.PropEpoch, epochOf(e.row)+1), driver.String(schema.PropDigestSecret, ""))
}

// ReopenAccount undoes CloseAccount, in the version that was read. The sessions that began since go on.
func (a Steps) ReopenAccount(ctx context.Context, e Entry) error {
	//lab: Make the account active again.
	return a.swap(ctx, e, driver.String(schema.PropState, domain.AccountActive))
}

// PivotAccount takes an account past the pivot, in the version that was read: no undo comes after it.
// The sessions that were there to undo are worth nothing from then on (readUser).
func (a Steps) PivotAccount(ctx context.Context, e Entry) error {
	//lab: Take the account past the point of no return.
	return a.swap(ctx, e, driver.String(schema.PropState, domain.AccountErasing))
}

// TouchAccount gives the row another version, so that a swap fails that is under way.
func (a Steps) TouchAccount(ctx context.Context, e Entry) error {
	//lab: Write the account's row, which gives it a new version.
	return a.users.Transact(ctx, e.row.Partition, driver.Merge(schema.SingleRow, driver.Match(e.row.ETag)))
}

func (a Steps) swap(ctx context.Context, e Entry, changes ...driver.Property) error {
	return optimistic.Again(a.users.Transact(ctx, e.row.Partition, driver.Merge(schema.SingleRow, driver.Match(e.row.ETag), changes...)))
}

// RemoveRows removes rows of a user's partition, all of them or none, each in the version that was
// read: so a delayed duplicate removes nothing of a later user of the name. If another request has removed
// one of them, the others stay for the next reader.
func (a Steps) RemoveRows(ctx context.Context, rows []driver.Entity) (removed int, err error) {
	operations := make([]driver.Operation, len(rows))
	for i, row := range rows {
		operations[i] = driver.Delete(row.Row, driver.Match(row.ETag))
	}
	//lab: Remove these rows of the user's.
	err = a.users.Transact(ctx, rows[0].Partition, operations...)
	if optimistic.Raced(err) {
		return 0, nil
	}
	return len(rows), err
}

// BuryAccount leaves the name and the epoch of an account, and nothing else, in the version that was
// read.
func (a Steps) BuryAccount(ctx context.Context, e Entry) error {
	//lab: Leave only the name of the account, and the number that ended its sessions.
	return optimistic.Again(a.users.Transact(ctx, e.row.Partition, driver.Replace(schema.SingleRow, driver.Match(e.row.ETag),
		driver.String(schema.PropState, domain.AccountGone),
		driver.String(schema.PropIncarnation, e.ID),
		driver.Int64(schema.PropEpoch, epochOf(e.row)),
		driver.Time(schema.PropCreatedOn, e.row.Properties.Time(schema.PropCreatedOn)),
		driver.Bool(schema.PropKeepPosts, e.KeepPosts),
		driver.Time(schema.PropFinishedOn, domain.Now()),
		driver.String(schema.PropPassword, ""), driver.String(schema.PropRevision, ""), driver.String(schema.PropRevisions, ""))))
}

// vacant reports whether another user can take the name of an account that is gone.
func vacant(row driver.Entity) bool {
	return DecodeErasure(row).State == domain.AccountGone && time.Since(row.Properties.Time(schema.PropFinishedOn)) > domain.NameKept
}
