package erasure

import (
	"cmp"
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/reader"
	"microblogging/storage/schema"
)

// The steps of a worker, in their order.

// flightOfStep is how many things of a list a step works on concurrently.
const flightOfStep = 8

// A Removed is told how many rows were removed. Its error ends the step.
type Removed func(rows int) error

// BeginErasure takes an account past the pivot. It reports whether this request is still to be
// carried out. No clock is asked: the message was sent once the work was due.
func (s Steps) BeginErasure(ctx context.Context, m domain.Message) (present bool, err error) {
	var entry account.Entry
	err = s.pause.Retry(ctx, func() (err error) {
		entry, err = s.accounts.Entry(ctx, m.RequestedBy)
		present = err == nil && entry.Leaves(m.Incarnation)
		switch {
		case err != nil && !errors.Is(err, domain.ErrNotFound):
			return err
		case !present || entry.State == domain.AccountErasing:
			return nil
		}
		return s.accounts.PivotAccount(ctx, entry)
	})
	if buried := entry.State == domain.AccountGone && entry.ID == m.Incarnation; err == nil && !present && !buried {
		err = s.recordUndone(ctx, m)
	}
	return present, err
}

// EraseChannels asks for the deletion of each channel of a user, and takes the gates away of those
// that are being created: a delayed row is behind none.
func (s Steps) EraseChannels(ctx context.Context, m domain.Message, removed Removed) error {
	return s.each(ctx, schema.Owned, m.RequestedBy, removed, func(ctx context.Context, row driver.Entity) error {
		return s.channels.EraseChannel(ctx, schema.OwnedKey(row.Row), m.RequestedBy)
	})
}

// EraseFence replaces the posting rule of each channel that is on a list of the user. After
// that, none of their posts, replies and votes lands any more that is not there. No row tells where it has
// replaced the rule, so it tries the other channels again itself, while there are fewer each time.
func (s Steps) EraseFence(ctx context.Context, m domain.Message, removed Removed) error {
	refs, err := s.readers.ActedIn(ctx, m.RequestedBy)
	if err != nil {
		return err
	}
	for {
		done, failed, err := together(ctx, s.reads, refs, func(ctx context.Context, ref domain.ChannelRef) error {
			if err := removed(0); err != nil {
				return err
			}
			return s.posts.ReplacePostingRule(ctx, ref, m.RequestedBy)
		})
		if len(done) == 0 { // also if none is left
			return err
		}
		refs = failed
	}
}

// ErasePosts removes the posts and replies of a user, or their name from them.
func (s Steps) ErasePosts(ctx context.Context, m domain.Message, removed Removed) error {
	err := s.eachListed(ctx, schema.Replied, m.RequestedBy, removed, func(ctx context.Context, ref domain.ChannelRef, key domain.BlogID) error {
		post, id := schema.ParseReply(string(key))
		return s.posts.EraseReply(ctx, ref, post, id, m.RequestedBy, m.KeepPosts)
	})
	if err != nil {
		return err
	}
	return s.eachListed(ctx, schema.Wrote, m.RequestedBy, removed, func(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) error {
		return s.posts.EraseBlog(ctx, ref, id, m.RequestedBy, m.KeepPosts, func(rows int) { _ = removed(rows) }) // the list is asked
	})
}

// EraseVotes removes the votes of a user.
func (s Steps) EraseVotes(ctx context.Context, m domain.Message, removed Removed) error {
	return s.eachListed(ctx, schema.Voted, m.RequestedBy, removed, func(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) error {
		return s.posts.EraseVote(ctx, ref, id, m.RequestedBy)
	})
}

// eachListed works on the posts on a list of a user's, and takes them off it.
func (s Steps) eachListed(ctx context.Context, kind *schema.Kind, user domain.UserName, removed Removed,
	do func(context.Context, domain.ChannelRef, domain.BlogID) error,
) error {
	return s.each(ctx, kind, user, removed, func(ctx context.Context, row driver.Entity) error {
		ref, id, leads := reader.Listed(kind, row)
		if !leads {
			return nil // no operation writes that; it names nothing, and goes
		}
		return do(ctx, ref, id)
	})
}

// EraseSubscriptions ends the subscriptions of a user.
func (s Steps) EraseSubscriptions(ctx context.Context, m domain.Message, removed Removed) error {
	//lab: Read the subscriptions of the user.
	for row, err := range s.subscriptions.Within(ctx, driver.Range{Partition: schema.UserPartition(m.RequestedBy)}) {
		if err == nil {
			err = s.readers.Delete(ctx, schema.ParseRefRow(row.Row), m.RequestedBy)
		}
		if err == nil {
			err = removed(1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EraseAccount removes what lies next to the account's row, and leaves the name and the epoch.
func (s Steps) EraseAccount(ctx context.Context, m domain.Message, removed Removed) error {
	return s.pause.Retry(ctx, func() error {
		entry, err := s.accounts.Entry(ctx, m.RequestedBy)
		if err == nil && !entry.Leaves(m.Incarnation) {
			return nil // another worker was faster
		}
		if err == nil {
			besides := driver.Range{Partition: schema.UserPartition(m.RequestedBy), From: driver.Successor(schema.SingleRow)}
			err = s.empty(ctx, besides, removed, func(context.Context, driver.Entity) error { return nil })
		}
		if err != nil {
			return err
		}
		return s.accounts.BuryAccount(ctx, entry)
	})
}

// each works on what a list of a user's names, and then takes it off the list.
func (s Steps) each(ctx context.Context, kind *schema.Kind, user domain.UserName, removed Removed,
	do func(context.Context, driver.Entity) error,
) error {
	return s.empty(ctx, kind.In(schema.UserPartition(user)), removed, do)
}

// empty works on the rows of a user in a range, and then removes them. It ends with an error once a
// part of the list has none that can be removed.
func (s Steps) empty(ctx context.Context, list driver.Range, removed Removed, do func(context.Context, driver.Entity) error) error {
	for {
		//lab: Read a part of the list.
		rows, err := s.users.First(ctx, driver.MaxOperations, list)
		if err != nil {
			return err
		}
		done, _, err := together(ctx, s.reads, rows, do)
		if len(done) == 0 { // also if none is left
			return err
		}
		gone, err := s.accounts.RemoveRows(ctx, done)
		if err == nil {
			err = removed(gone)
		}
		if err != nil {
			return err
		}
	}
}

// together does something for each of these, several at the same time. If it fails for some, it
// succeeds for the others all the same; the error is that of the first that failed.
func together[T any](ctx context.Context, r concurrent.Reads, things []T, do func(context.Context, T) error) (done, failed []T, err error) {
	errs := make([]error, len(things))
	group, ctx := r.Group(ctx, flightOfStep)
	for i, thing := range things {
		group.Go(func() error {
			errs[i] = do(ctx, thing)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	for i, thing := range things {
		if errs[i] == nil {
			done = append(done, thing)
		} else {
			failed = append(failed, thing)
		}
	}
	return done, failed, cmp.Or(errs...)
}
