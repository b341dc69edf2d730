package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// strayGate handles an open gate that is not the channel's. Its creation died or is
// under way. The gate is harmless and no breach. A repair deletes it. That is safe,
// since the gate was read before the row is read here: if the row is not of that
// incarnation, the creation has died, or will see that its gate is gone and start
// over.
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

// checkGates is I9: it reports a channel whose gates do not fit its state.
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
	// A deletion marks the channel, then shuts the gate, then disarms it. The three
	// are read in the opposite order, so that a deletion that goes on meanwhile
	// cannot make them look wrong.
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

// repairUngated deletes a row without gates, if the checker repairs. It returns
// what the breach reports as Repaired.
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
