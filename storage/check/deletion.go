package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// deletionsCheck compares the rows of Deletions with the channels.
type deletionsCheck struct {
	*Checker
	// since is the time after which a deletion has made progress if it is not stalled. It is the zero
	// time while there are messages on the queue: one of them may be of any deletion.
	since time.Time
	// channel is the last that was met.
	channel domain.Channel
}

// checkDeletions reads Channels and Deletions side by side, both in key order. So it meets the
// deletions of a name together with the channel that has the name.
func (c *Checker) checkDeletions(ctx context.Context) error {
	//lab: Count the messages.
	waiting, err := c.store.Messages().Length(ctx)
	if err != nil {
		return fmt.Errorf("counting the messages on the queue: %w", err)
	}
	d := &deletionsCheck{Checker: c}
	if waiting == 0 {
		d.since = time.Now().Add(-c.Patience)
	}
	err = sideBySide(ctx, c.store.channels, c.store.deletions, func(table *driver.Table, row driver.Entity) error {
		if table == c.store.channels {
			d.channel = fence.Decode(row).Channel
			return nil
		}
		kind, sound, err := c.judge(ctx, table, row)
		if err != nil || !sound {
			return err
		}
		return d.row(ctx, kind, row)
	})
	if err != nil {
		return fmt.Errorf("checking the deletions: %w", err)
	}
	return nil
}

// row checks one row that can be read.
func (c *deletionsCheck) row(ctx context.Context, kind *schema.Kind, row driver.Entity) error {
	switch kind {
	case schema.Poison:
		c.counts.Poisoned++
		if c.Poisoned != nil {
			c.Poisoned(deletion.DecodePoison(row))
		}
	case schema.Deletion:
		d := deletion.Decode(row)
		return errors.Join(c.checkProgress(ctx, row, d), c.checkPoisoned(ctx, row, d), c.checkEnd(ctx, row, d), c.checkListed(ctx, row, d))
	}
	return nil
}

// checkProgress is the part of I5 about progress: it reports a deletion that is stalled. That of an
// account has no message until a pass finds that its work is due, which waits for as long itself, and
// comes from time to time.
func (c *deletionsCheck) checkProgress(ctx context.Context, row driver.Entity, d domain.Deletion) error {
	since := c.since
	if d.Channel.Key.AccountOf() != "" {
		since = since.Add(-c.Patience)
	}
	if !deletion.Stalled(d, since) {
		return nil
	}
	if still, err := optimistic.Unchanged(ctx, c.store.deletions, row); err != nil || !still {
		return err
	}
	detail := fmt.Sprintf("%s since %s without progress", d.State, d.UpdatedOn.Format(time.RFC3339))
	return c.violation("I5", c.store.deletions, row, detail, func() (string, error) {
		requeued, err := c.store.RequeueDeletion(ctx, d.Message(), since)
		if !requeued {
			return leftChanged, err
		}
		return "queued again", err
	})
}

// checkPoisoned is the part of I5 about operators: the message of a deletion that is poisoned waits for one.
// While the record stays as it is, so does the row of the message (poison.go in package deletion).
func (c *deletionsCheck) checkPoisoned(ctx context.Context, row driver.Entity, d domain.Deletion) error {
	if d.State != domain.DeletionPoisoned {
		return nil
	}
	for m, err := range c.store.PoisonMessages(ctx) {
		if err != nil || m.Kind != domain.MessageBlog && m.Ref() == d.Channel && m.UndoCount == d.UndoCount {
			return err
		}
	}
	if still, err := optimistic.Unchanged(ctx, c.store.deletions, row); err != nil || !still {
		return err
	}
	return c.violation("I5", c.store.deletions, row, "poisoned, and no message of it waits for an operator", func() (string, error) {
		return "recorded again, for requeue", c.store.RecordPoison(ctx, d.Message())
	})
}

// checkEnd is the part of I5 about deletions that are over: a channel whose deletion is done has no
// gate and no row, and one whose deletion was undone is active. A channel's row that landed late has
// no gate.
//
// The record is read again after the channel. Before a channel is set pending again, its record says so,
// and a record that says done stays.
func (c *deletionsCheck) checkEnd(ctx context.Context, row driver.Entity, d domain.Deletion) error {
	there, undone := c.channel.Ref() == d.Channel, d.State == domain.DeletionUndone
	if !d.Over() || d.Channel.Key.AccountOf() != "" || there == undone && (!there || c.channel.State == domain.ChannelActive) {
		return nil
	}
	gated, err := c.gated(ctx, d.Channel)
	if err != nil {
		return err
	}
	now, err := c.store.ReadIncarnation(ctx, d.Channel)
	if unlessAbsent(err) != nil {
		return err
	}
	there = err == nil
	record := func(state domain.DeletionState, dated string) error {
		//lab: Record how far the deletion is.
		return c.store.deletions.Transact(ctx, row.Partition, driver.Merge(row.Row, driver.Match(row.ETag),
			driver.String(schema.PropState, state), driver.Time(dated, domain.Now())))
	}
	detail, mend := "done, and its channel is there", leave("left: its owner can delete the channel")
	switch {
	case undone && !there:
		detail = "undone, and its channel is not there"
		mend = func() (string, error) { return "recorded as done", record(domain.DeletionDone, schema.PropFinishedOn) }
	case undone && now.State == domain.ChannelDeleting:
		detail = "undone, and its channel is being deleted" // past the pivot, where no user can ask again or undo
		mend = func() (string, error) {
			err := record(domain.DeletionQueued, schema.PropUpdatedOn)
			if err == nil {
				err = c.store.Enqueue(ctx, d.Message())
			}
			return "queued", err
		}
	case undone && now.State != domain.ChannelActive:
		detail = "undone, and its channel is to be deleted"
	case undone || !there || !gated:
		return nil
	}
	if still, err := optimistic.Unchanged(ctx, c.store.deletions, row); err != nil || !still {
		return err
	}
	return c.violation("I5", c.store.deletions, row, detail, mend)
}

// gated reports whether a channel has a gate.
func (c *Checker) gated(ctx context.Context, ref domain.ChannelRef) (bool, error) {
	//lab: Read whether the gate is open.
	open, err := c.store.HasRow(ctx, ref.Key, schema.OpenGateRow(ref.Incarnation))
	if err != nil || open {
		return open, err
	}
	//lab: Read whether the gate is shut.
	return c.store.HasRow(ctx, ref.Key, schema.ShutGateRow(ref.Incarnation))
}

// checkListed is I8 of deletions: that of a channel is on the list of the user who asked, and
// was there before it was recorded. The deletion of the account takes it off, once the account is past
// the pivot. So the account is read after the list. One that was made since has another list. A pass takes
// it off after it has removed the record (Prune), so the record is read again.
func (c *deletionsCheck) checkListed(ctx context.Context, row driver.Entity, d domain.Deletion) error {
	if d.Channel.Key.AccountOf() != "" {
		return nil
	}
	//lab: Read whether the deletion is on the list of the user who asked.
	_, err := c.store.users.Get(ctx, schema.UserPartition(d.RequestedBy), schema.RequestedRow(d.RequestedOn, d.Channel))
	if err == nil || unlessAbsent(err) != nil {
		return err
	}
	user, err := c.account(ctx, d.RequestedBy)
	of := account.DecodeErasure(user)
	switch {
	case err != nil:
		return err
	case of.State == domain.AccountErasing, of.State == domain.AccountGone, user.Properties.Time(schema.PropCreatedOn).After(d.RequestedOn):
		return nil
	}
	if still, err := optimistic.Unchanged(ctx, c.store.deletions, row); err != nil || !still {
		return err // a pass has removed both
	}
	return c.violation("I8", c.store.deletions, row, "not on the list of the user who asked for it", func() (string, error) {
		return "listed", c.store.ListDeletion(ctx, d.Message())
	})
}
