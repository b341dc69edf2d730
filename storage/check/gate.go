package check

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/schema"
)

// strayGate handles a reservation, or an open gate that is not the channel's. Its creation
// died, is under way, or ended long before a copy of the insert arrived. It is harmless and no
// violation. A repair deletes it.
//
// That is safe for a reservation at any time: a creation under way will see that it is gone, and
// starts over as another incarnation. It is safe for a gate since that was read before the
// channel's row is read here: if the row is not of that incarnation, the creation has died, or
// will see that its gate is gone and start over.
func (p *partitionCheck) strayGate(ctx context.Context, kind *schema.Kind, gate driver.Entity) error {
	if p.Repair && kind == schema.OpenGate {
		//lab: Read the channel: is the gate that of its incarnation?
		now, err := p.store.ReadChannel(ctx, domain.ChannelKey(p.key))
		if err == nil && gate.Row == schema.OpenGateRow(now.Incarnation) {
			return nil
		}
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			return err
		}
	}
	return p.drop(ctx, p.store.blogs, gate)
}

// checkGates is I9: it reports a channel whose gates do not fit its state.
func (p *partitionCheck) checkGates(ctx context.Context) error {
	active := p.channel.State != domain.ChannelDeleting // or pending
	if active && p.open && !p.shut || !active && !(p.open && p.shut) {
		return nil
	}
	//lab: Read whether the gate is shut.
	shut, err := p.has(ctx, schema.ShutGateRow(p.channel.Incarnation))
	if err != nil {
		return err
	}
	//lab: Read whether the gate is open.
	open, err := p.has(ctx, schema.OpenGateRow(p.channel.Incarnation))
	if err != nil {
		return err
	}
	// A deletion sets the channel deleting, then shuts the gate, then removes it. The three
	// are read in the opposite order, so that a deletion that goes on meanwhile
	// cannot make them look wrong.
	now, err := p.store.ReadIncarnation(ctx, p.channel.Ref())
	active = now.State != domain.ChannelDeleting
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return nil
	case err != nil:
		return err
	case open && shut:
		return p.channelViolation("I9", "has both its gates", leave("left: nothing says which is right"))
	case active && shut:
		return p.channelViolation("I9", "active behind a shut gate",
			leave("left: rows may have been swept; its owner can delete the rest"))
	case active && !open:
		return p.channelViolation("I9", "active without a gate", func() (string, error) { return p.repairUngated(ctx, now) })
	}
	return nil
}

// repairUngated repairs an active row that was read after both its gates were seen to be
// gone. A row behind which nothing lies is of a creation that was given up, or landed after the
// deletion: it is deleted. Behind any other something was written, and whatever removes the gate
// would have removed that, too: so the store lost the gate. No operation does that, and a gate
// that is put up again could let posts into a channel that is being deleted.
func (p *partitionCheck) repairUngated(ctx context.Context, row fence.Row) (string, error) {
	lost, err := p.store.HasRowsBehind(ctx, row.Ref())
	if err != nil {
		return "", err
	}
	if lost {
		return "left: the store lost its gate; its owner can delete it, and a repair then what is behind it", nil
	}
	ungated, err := p.store.DeleteUngated(ctx, row)
	if !ungated {
		return leftChanged, err
	}
	return "deleted", err
}
