// Package channel implements what users do with channels, and the lists of channels: of all, and of
// an owner's. No transaction spans a list and what it names, so code that reads a list trusts only the
// channels' own rows. The steps of the protocol are in package fence.
package channel

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Channels holds the operations on channels. It is safe for concurrent use.
type Channels struct {
	fence     *fence.Fence
	deletions deletion.Steps

	channels, users, blogs, records *driver.Table
	queue                           *driver.Queue

	pause optimistic.Pause
}

// Steps are what creations, deletions of accounts and repairs do with the list of an owner. No page
// has them.
type Steps struct{ *Channels }

// New returns the channels of a backend whose tables are there.
func New(backend driver.Backend, gates *fence.Fence, deletions deletion.Steps, pause optimistic.Pause) Steps {
	s := Steps{&Channels{
		fence:     gates,
		deletions: deletions,
		channels:  driver.NewTable(backend, schema.TableChannels),
		users:     driver.NewTable(backend, schema.TableUsers),
		blogs:     driver.NewTable(backend, schema.TableBlogs),
		records:   driver.NewTable(backend, schema.TableDeletions),
		queue:     driver.NewQueue(backend, domain.QueueName),
		pause:     pause,
	}}
	gates.OnReservation(s.ListChannel)
	deletions.OnPrune(s.removeOutlived)
	return s
}

// Get reads the active channel at an address.
//
//   - There is none: domain.ErrNotFound.
//   - It is being deleted: domain.ErrGone.
//   - Its incarnation is not one that the sender accepts: a *domain.ReplacedError.
//
// It is safe to post or subscribe to the channel that Get returns at any later time: the gate that
// such a request holds is of this incarnation.
func (s *Channels) Get(ctx context.Context, at domain.ChannelAddress) (domain.Channel, error) {
	row, err := s.fence.ReadActive(ctx, at)
	return row.Channel, err
}

// Update changes what is said about a channel, and returns the channel as it is then.
// Only its owner may. The fields that change leaves alone stay as they are, also if another request writes
// them meanwhile. If it leaves them all alone, nothing is written.
//
//   - A word breaks a rule: an InvalidError. An error of change is returned as it is.
//   - The channel is not there, or is being deleted: domain.ErrNotFound or ErrGone.
//   - Another incarnation has the name now: a *domain.ReplacedError.
//   - The user is not the owner: domain.ErrForbidden.
func (s *Channels) Update(ctx context.Context, ref domain.ChannelRef, by domain.UserName, change func(*domain.About) error) (shown domain.Channel, err error) {
	err = s.pause.Retry(ctx, func() error {
		row, err := s.fence.ReadActive(ctx, ref.Address())
		switch {
		case err != nil:
			return err
		case row.Owner != by:
			return fmt.Errorf("describing channel %s: %w", ref.Key, domain.ErrForbidden)
		}
		shown = row.Channel
		if err := change(&shown.About); err != nil {
			return err
		}
		if shown.About, err = domain.ParseAbout(shown.About); err != nil {
			return err
		}
		if shown.About == row.About {
			return nil
		}
		// A self-conflict of this write needs no recognising: to write the same words again
		// changes nothing.
		return optimistic.Again(s.channels.Transact(ctx, schema.ChannelPartition(ref.Key),
			driver.Merge(schema.SingleRow, driver.Match(row.ETag), schema.EncodeFields(shown.Fields())...)))
	})
	return shown, err
}
