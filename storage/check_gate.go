package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// strayGate is the open gate of a creation that died or is under way. It is
// harmless and no breach; repairing removes it. The gate was read first: if its
// channel's row is absent now, the creation has either died or will see that its
// gate is gone and start over.
func (p *partitionCheck) strayGate(ctx context.Context, gate driver.Entity) error {
	if !p.Repair {
		return nil
	}
	now, err := p.store.readChannel(ctx, domain.ChannelKey(p.key))
	switch {
	case err != nil && !errors.Is(err, domain.ErrNotFound):
		return err
	case err == nil && gate.Row == openGateRow(now.Incarnation):
		return nil
	}
	_, err = p.delete(ctx, p.store.blogs, gate)
	return err
}

// strayReservation handles a reservation. Its creation died, is under way, or
// ended long before a copy of the insert arrived. It is harmless and no breach. A
// repair deletes it, which is safe at any time: a creation under way will see that
// its reservation is gone, and starts over as another incarnation.
func (p *partitionCheck) strayReservation(ctx context.Context, reservation driver.Entity) error {
	_, err := p.delete(ctx, p.store.blogs, reservation)
	return err
}

// checkGates is I9.
func (p *partitionCheck) checkGates(ctx context.Context) error {
	active := p.channel.State == domain.ChannelActive
	if active && p.open && !p.shut || !active && !(p.open && p.shut) {
		return nil
	}
	shut, err := p.has(ctx, shutGateRow(p.channel.Incarnation))
	if err != nil {
		return err
	}
	open, err := p.has(ctx, openGateRow(p.channel.Incarnation))
	if err != nil {
		return err
	}
	// A deletion marks the channel, shuts the gate and then removes it. Read in the
	// opposite order, the three cannot look wrong because it goes on meanwhile.
	now, err := p.store.readIncarnation(ctx, p.channel.Ref())
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	breach := domain.Breach{Invariant: "I9", Table: tableChannels, PartitionKey: p.key, RowKey: singleRow}
	switch active := now.State == domain.ChannelActive; {
	case open && shut:
		breach.Detail = "has both its gates"
	case active && shut:
		breach.Detail = "active behind a shut gate"
	case active && !open:
		breach.Detail = "active without a gate"
		if breach.Repaired, err = p.repairUngated(ctx, now); err != nil {
			return err
		}
	default:
		return nil
	}
	p.Report(breach)
	return nil
}

// repairUngated removes a row without gates, if repairing, and says so.
func (p *partitionCheck) repairUngated(ctx context.Context, row channelRow) (string, error) {
	if !p.Repair {
		return "", nil
	}
	switch ungated, err := p.store.deleteUngated(ctx, row); {
	case err != nil:
		return "", fmt.Errorf("repairing: %w", err)
	case !ungated:
		return "left: it changed in between", nil
	default:
		return "deleted", nil
	}
}
