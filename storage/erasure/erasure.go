// Package erasure deletes an account and everything that its user has made.
//
// # The problem
//
// What a user has made is in as many partitions as they act in, and in four tables. Requests of
// theirs may be in flight when the account is deleted, and duplicates of them may arrive at any time.
// They must fail once the deletion has read the place where they would take effect.
//
// # The model
//
// Before a request changes another user's channel, it reads the row that its transaction will depend
// on (its dependency): the posting rule, for a post, a reply and a vote; the join! row, for a subscription; the
// reservation of a gate, for a channel. Then it adds an entry to a list in the user's own partition:
// for a post, a reply and a vote those of package blog, for a subscription Subscriptions. Then it checks that
// the account is active. Only then does it send the transaction.
//
//	request:   dependency   list   look              transaction, with the dependency
//	deletion:                            pivot   read the lists   replace each dependency
//
// If the look finds the account active, the deletion has not passed its pivot. So it will read the
// lists later, will find the entry, and will replace the row that the request depends on: the
// transaction either takes effect before that and is removed, or it fails. If the look comes after
// the pivot, the request gives up. Neither waits for the other.
//
// The account's own row says how far it has come (package account), as a channel's row does, and the
// message, the record and the index of open deletions are those of package deletion, under a key
// that no channel has.
//
// # What survives failure
//
// Each step may be repeated, by any number of workers. They first remove what an entry of a list
// names, and then the entry, in the version that they read. So a worker that starts again finds the
// rest. A delayed duplicate may leave an entry on the list of a user who is gone. It names nothing, and
// a repair removes it.
//
// The name stays with the account for domain.NameKept. It is a premise that no process stalls for so
// long within one request or one step. Delayed duplicates may arrive after it.
package erasure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/blog"
	"microblogging/storage/channel"
	"microblogging/storage/concurrent"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/reader"
	"microblogging/storage/schema"
)

// Accounts are the accounts with what deletes them. It is safe for concurrent use.
type Accounts struct {
	*account.Accounts

	reads     concurrent.Reads
	accounts  account.Steps
	deletions deletion.Steps
	channels  channel.Steps
	posts     blog.Steps
	readers   reader.Steps

	users, subscriptions *driver.Table

	leaving *fence.Leaving
	finding sync.Mutex // held while leaving is read, so that no earlier reading replaces a later one

	pause optimistic.Pause
	// undo is how long the deletion of an account can be undone.
	undo time.Duration
}

// Steps are the steps of a worker, and what the reconciling pass asks. No page has them.
type Steps struct{ *Accounts }

// New returns the accounts of a backend whose tables are there. For the time of undo, the deletion
// of an account can be undone.
func New(backend driver.Backend, reads concurrent.Reads, accounts account.Steps, deletions deletion.Steps, lists channel.Steps,
	posts blog.Steps, readers reader.Steps, leaves *fence.Leaving, pause optimistic.Pause, undo time.Duration,
) Steps {
	return Steps{&Accounts{
		Accounts: accounts.Accounts,
		reads:    reads,
		accounts: accounts, deletions: deletions, channels: lists, posts: posts, readers: readers,
		users:         driver.NewTable(backend, schema.TableUsers),
		subscriptions: driver.NewTable(backend, schema.TableSubscriptions),
		leaving:       leaves,
		pause:         pause, undo: undo,
	}}
}

// Delete accepts the deletion of an account, and returns it. From then on no session of the
// account works, and the deletion will end whatever crashes, unless it is undone. Called again while
// it can be undone, it returns the same. A wrong password is an InvalidError on the field
// "password", and too many of them are a *domain.ThrottledError.
//
// The order of writes is: the row on the index of open deletions, the account's row, the record. So
// no request that is not on the index signs a user out. The reconciling pass sends the message
// when the work is due, domain.ClockMargin after the time that the user was told. A request that
// cannot be undone is due now, and sends it itself.
func (s *Accounts) Delete(ctx context.Context, by account.Attempt, keepPosts bool) (domain.Erasure, error) {
	confirmed, err := s.accounts.Confirm(ctx, by)
	if err != nil {
		return domain.Erasure{}, err
	}
	now := domain.Now()
	return Steps{s}.accept(ctx, domain.Erasure{
		User: domain.UserName(by.Name), State: domain.AccountPending,
		RequestedOn: now, UndoableUntil: now.Add(s.undo), KeepPosts: keepPosts,
	}, confirmed.SamePassword)
}

// Close accepts the deletion of an account that an operator asks for, as Delete does. Its user cannot sign in to undo
// it. Called again while it can be undone, it returns the same, and so it does if the user has asked before: then the
// user can undo it. A user who is not there is domain.ErrNotFound. An actor who may not is domain.ErrForbidden.
func (s *Accounts) Close(ctx context.Context, user domain.UserName, by domain.Actor, keepPosts bool) (domain.Erasure, error) {
	operator := by.ByOperator(domain.DeleteAccount, domain.Object{Author: user})
	if operator == "" { // also a user who closes their own account, for which they need the password
		return domain.Erasure{}, fmt.Errorf("closing account %s: %w", user, domain.ErrForbidden)
	}
	now := domain.Now()
	return Steps{s}.accept(ctx, domain.Erasure{
		User: user, State: domain.AccountPending, ByOperator: operator,
		RequestedOn: now, UndoableUntil: now.Add(s.undo), KeepPosts: keepPosts,
	}, func(account.Entry) error { return nil })
}

// accept makes the writes of Delete, in their order, if the account as it is now may be closed.
func (s Steps) accept(ctx context.Context, asked domain.Erasure, may func(now account.Entry) error) (domain.Erasure, error) {
	err := s.pause.Retry(ctx, func() error {
		entry, err := s.accounts.Entry(ctx, asked.User)
		switch {
		case err != nil:
			return err
		case asked.ID != "" && entry.ID == asked.ID, entry.State == domain.AccountPending, entry.State == domain.AccountErasing:
			asked = entry.Erasure // our own earlier one, which may be undone since; or another request
			return nil
		case entry.State == domain.AccountGone:
			return fmt.Errorf("account %s: %w", asked.User, domain.ErrNotFound)
		}
		if err := may(entry); err != nil {
			return err
		}
		asked.ID = domain.NewIncarnation() // each sets an account pending at most once
		if err := s.deletions.RenewOpen(ctx, asked.Ref(), asked.Message().Due()); err != nil {
			return err
		}
		return s.accounts.CloseAccount(ctx, entry, asked)
	})
	if err != nil || asked.State != domain.AccountPending { // undone, or a worker has the message
		return asked, err
	}
	message := asked.Message()
	if message.UndoableUntil.IsZero() {
		if err := s.deletions.Enqueue(ctx, message); err != nil {
			return asked, fmt.Errorf("queueing: %w", err)
		}
	}
	return asked, s.deletions.RecordDeletion(ctx, message)
}

// maxLeaving is of how many accounts FindLeaving reads the state.
const maxLeaving = 1000

// FindLeaving reads whose accounts are being deleted. From then on this process shows nothing of them,
// until the next call finds that they are not. It scans the index of open deletions, and reads the row
// of each account on it, of maxLeaving at most: of more, some are shown until their pivot.
func (s *Accounts) FindLeaving(ctx context.Context) error {
	s.finding.Lock()
	defer s.finding.Unlock()
	open, err := s.deletions.OpenAccounts(ctx, maxLeaving)
	if err != nil {
		return err
	}
	found, err := concurrent.Gather(ctx, s.reads, open, func(ctx context.Context, user domain.UserName) (domain.Erasure, bool, error) {
		entry, err := s.accounts.Entry(ctx, user)
		if errors.Is(err, domain.ErrNotFound) {
			return domain.Erasure{}, false, nil
		}
		return entry.Erasure, entry.State == domain.AccountPending || entry.State == domain.AccountErasing, err
	})
	if err != nil {
		return err
	}
	users := make(map[domain.UserName]domain.Erasure, len(found))
	for _, erasure := range found {
		users[erasure.User] = erasure
	}
	s.leaving.Set(users)
	return nil
}

// Undo undoes the deletion of an account, and returns it; it is empty if there was nothing to
// undo. Nothing was touched. Past the pivot, it is domain.ErrTooLate. It is the same swap as the
// worker's, the other way. Only its user may, or an operator if one of them has asked for it: any other actor gets
// domain.ErrForbidden. The row that is swapped says who has.
func (s *Accounts) Undo(ctx context.Context, user domain.UserName, by domain.Actor) (undone domain.Erasure, err error) {
	err = s.pause.Retry(ctx, func() error {
		entry, err := s.accounts.Entry(ctx, user)
		switch {
		case err != nil:
			return err
		case !by.May(domain.DeleteAccount, domain.Object{Author: user}):
			return fmt.Errorf("undoing the deletion of account %s: %w", user, domain.ErrForbidden)
		case entry.State == domain.AccountActive && undone.ID == "": // it was undone before, or a request is under way, which fails now
			return optimistic.Again(s.accounts.TouchAccount(ctx, entry))
		case entry.State == domain.AccountActive, undone.ID != "" && entry.ID != undone.ID:
			return nil // this is a conflict with our own earlier swap
		case entry.State != domain.AccountPending:
			return domain.ErrTooLate
		case !entry.UndoableBy(by):
			return fmt.Errorf("undoing the deletion of account %s: %w", user, domain.ErrForbidden)
		}
		undone = entry.Erasure
		return s.accounts.ReopenAccount(ctx, entry)
	})
	if err != nil || undone.ID == "" {
		return domain.Erasure{}, err
	}
	return undone, Steps{s}.recordUndone(ctx, undone.Message())
}

func (s Steps) recordUndone(ctx context.Context, m domain.Message) error {
	err := s.deletions.RecordUndone(ctx, m)
	if errors.Is(err, domain.ErrNotFound) {
		return nil // the request died before its record
	}
	return err
}

// RepeatDeletions asks again for each deletion whose channel or account came back as it was before the request,
// and returns how many there were. That of a channel is listed for the user who asked for it, under the time of the
// first request. One that could be undone can be undone again, for as long as was promised, and no other can. It may
// be called again after an error, and while other operations run. First it undoes again what was undone: what came
// back pending would otherwise end.
func (s Steps) RepeatDeletions(ctx context.Context, records []domain.Deletion) (repeated int, err error) {
	for _, d := range records {
		if d.State != domain.DeletionUndone {
			continue
		}
		undo, m := s.deletions.RepeatUndo, d.Message()
		if m.Kind == domain.MessageAccount {
			undo = s.repeatUndo
		}
		if err := undo(ctx, m); err != nil {
			return 0, fmt.Errorf("repeating an undo: %w", err)
		}
	}
	for _, d := range records {
		if d.State == domain.DeletionUndone {
			continue
		}
		repeat, m := s.deletions.RepeatDeletion, d.Message()
		if m.Kind == domain.MessageAccount {
			repeat = s.repeatErasure
		}
		if d.State != domain.DeletionPending {
			m.UndoableUntil = time.Time{} // that time is over
		}
		asked, err := repeat(ctx, m)
		if err != nil {
			return repeated, fmt.Errorf("repeating a deletion: %w", err)
		}
		if asked {
			repeated++
		}
	}
	return repeated, nil
}

// repeatUndo undoes the deletion of an account again that came back as it was before the undo: of this request, or of
// an earlier one, which was undone before this one was made. One that is past the pivot goes on.
func (s Steps) repeatUndo(ctx context.Context, m domain.Message) error {
	var entry account.Entry
	err := s.pause.Retry(ctx, func() (err error) {
		entry, err = s.accounts.Entry(ctx, m.RequestedBy)
		another := entry.ID != m.Incarnation && !entry.RequestedOn.Before(m.RequestedOn)
		if err != nil || another || entry.State != domain.AccountPending {
			return err
		}
		m = entry.Message()
		return s.accounts.ReopenAccount(ctx, entry)
	})
	switch {
	case errors.Is(err, domain.ErrNotFound), err == nil && entry.State == domain.AccountErasing:
		return nil
	case err != nil:
		return err
	}
	return s.recordUndone(ctx, m)
}

// repeatErasure asks again for the deletion of an account, with its own time to undo, if the account is there and
// came back from before the request; or past the pivot, if it came back pending and no time to undo is left. It reports
// whether it has asked. What came back of an earlier request it undoes first: that would end the account before the
// time of this one.
func (s Steps) repeatErasure(ctx context.Context, m domain.Message) (asked bool, err error) {
	entry, err := s.accounts.Entry(ctx, m.RequestedBy)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case entry.State == domain.AccountErasing, entry.State == domain.AccountGone, domain.OfFormerAccount(m.RequestedOn, entry.CreatedOn()):
		return false, nil
	case entry.State == domain.AccountPending && entry.ID == m.Incarnation && m.UndoableUntil.IsZero():
		return s.BeginErasure(ctx, m)
	case !entry.RequestedOn.Before(m.RequestedOn): // the row decides whether this request was undone
		return false, nil
	case entry.State == domain.AccountPending:
		if err := s.repeatUndo(ctx, m); err != nil {
			return false, err
		}
	}
	again := domain.Erasure{User: m.RequestedBy, State: domain.AccountPending, RequestedOn: domain.Now(), KeepPosts: m.KeepPosts, ByOperator: m.ByOperator}
	if again.UndoableUntil = again.RequestedOn; m.Due().After(again.RequestedOn) { // it was promised, by a clock that may differ
		again.UndoableUntil = slices.MaxFunc([]time.Time{m.UndoableUntil, again.RequestedOn.Add(domain.Tick)}, time.Time.Compare)
	}
	again, err = s.accept(ctx, again, func(account.Entry) error { return nil })
	if err == nil && m.UndoableUntil.IsZero() {
		_, err = s.BeginErasure(ctx, again.Message())
	}
	return err == nil, err
}
