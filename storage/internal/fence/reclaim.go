package fence

import (
	"context"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Reclaim deletes a channel's row if the incarnation has no open gate, no shut gate and no other
// rows, and reports whether that was the case. The row must not be past the pivot. Such a row comes from
// a delayed insert, which took effect after the channel was deleted or after its creator gave up. If the
// incarnation has rows but no gate, the store has lost the gate, and Reclaim leaves everything as it is.
//
// It reads the gates in the order in which they change. If it read the shut gate first, a deletion could
// shut the gate between the two reads, and both would seem to be gone.
func (s *Fence) Reclaim(ctx context.Context, row Row) (ungated bool, err error) {
	if open, err := s.GateIsOpen(ctx, row.Ref()); err != nil || open {
		return false, err
	}
	if lost, err := s.HasRowsBehind(ctx, row.Ref()); err != nil || lost {
		return false, err
	}
	return s.DeleteUngated(ctx, row)
}

// reclaimOr returns optimistic.ErrAgain if Reclaim has deleted the row, and otherwise the given error.
func (s *Fence) reclaimOr(ctx context.Context, row Row, otherwise error) error {
	ungated, err := s.Reclaim(ctx, row)
	switch {
	case err != nil:
		return err
	case ungated:
		return optimistic.ErrAgain
	}
	return otherwise
}

// HasRowsBehind reports whether the partition has a row of the incarnation that is not a gate.
func (s *Fence) HasRowsBehind(ctx context.Context, ref domain.ChannelRef) (bool, error) {
	//lab: Read whether the channel has any row behind its gate.
	for row, err := range s.blogs.Within(ctx, driver.Range{Partition: schema.ChannelPartition(ref.Key)}) {
		if err != nil {
			return false, err
		}
		if row.Properties.String(schema.PropIncarnation) == string(ref.Incarnation) && !schema.IsGate(row.Row) {
			return true, nil
		}
	}
	return false, nil
}

// DeleteUngated deletes a channel's row that was read without its open gate, in the version
// that was read, and reports whether the row had no gate. If the shut gate exists, a deletion
// is under way: then it deletes nothing and reports false. A worker sets the row deleting before it
// shuts the gate. So if a deletion has passed the pivot since the row was read, the row's version has
// changed and the delete fails. Then DeleteUngated reports true although it deleted nothing, so that the
// caller reads the row again.
func (s *Fence) DeleteUngated(ctx context.Context, row Row) (ungated bool, err error) {
	ref := row.Ref()
	//lab: Read whether the gate of the channel is shut.
	if shut, err := s.HasRow(ctx, ref.Key, schema.ShutGateRow(ref.Incarnation)); err != nil || shut {
		return false, err
	}
	//lab: Delete a channel's row that has no gate.
	err = s.channels.Transact(ctx, schema.ChannelPartition(ref.Key), driver.Delete(schema.SingleRow, driver.Match(row.ETag)))
	return true, optimistic.UnlessRaced(err) // it is gone, or a deletion has changed it and will remove it
}
