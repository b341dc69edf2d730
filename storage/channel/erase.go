package channel

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/schema"
)

// EraseChannel asks for the deletion of the channel that has a key, if it belongs to this user, whose
// account is being deleted. That deletion cannot be undone, even if one was requested that can. Every
// creation of a channel under the key that is under way begins again or, if it is this user's, finds
// that the account is being deleted.
func (s Steps) EraseChannel(ctx context.Context, key domain.ChannelKey, of domain.UserName) error {
	return s.pause.Retry(ctx, func() error {
		row, err := s.withdrawCreations(ctx, key)
		if err != nil || row.Owner != of || row.State == domain.ChannelDeleting {
			return err
		}
		return s.deletions.DeleteImmediately(ctx, row)
	})
}

// withdrawCreations deletes the reservations and the open gates of all creations under a key, and
// returns the channel that has the key; the zero Row if there is none. A creation whose gate is gone
// begins again: it lists its channel and checks its owner's account once more. The gates are read
// before the channel's row, as in strayGate of package check, so the gate of a channel that was
// created meanwhile stays, or its creation is not acknowledged. A gate that has changed since is
// optimistic.ErrAgain.
func (s *Channels) withdrawCreations(ctx context.Context, key domain.ChannelKey) (fence.Row, error) {
	all := driver.Range{Partition: schema.ChannelPartition(key), From: schema.GatePrefix, To: schema.PrefixEnd(schema.GatePrefix)}
	var gates []driver.Entity
	//lab: Read the gates of creations of the name.
	for gate, err := range s.blogs.Within(ctx, all) {
		switch {
		case errors.Is(err, domain.ErrLimit):
			return fence.Row{}, nil // no channel can have this key
		case err != nil:
			return fence.Row{}, err
		case !schema.ShutGate.Has(gate.Row):
			gates = append(gates, gate)
		}
	}
	//lab: Read whose channel has the name.
	row, err := s.fence.ReadChannel(ctx, key)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return fence.Row{}, err
	}
	for _, gate := range gates {
		if gate.Row != schema.OpenGateRow(row.Incarnation) {
			if err := s.fence.WithdrawGate(ctx, gate); err != nil {
				return fence.Row{}, err
			}
		}
	}
	return row, nil
}
