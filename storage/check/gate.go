package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/channel"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// strayGate handles a reservation, or an open gate that is not the channel's. Its creation
// died, is under way, or ended long before a copy of the insert arrived. It is harmless and no
// breach. A repair deletes it.
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
	active := p.channel.State == domain.ChannelActive
	if active && p.open && !p.shut || !active && !(p.open && p.shut) {
		return nil
	}
	shut, err := p.has(ctx, schema.ShutGateRow(p.channel.Incarnation))
	if err != nil {
		return err
	}
	open, err := p.has(ctx, schema.OpenGateRow(p.channel.Incarnation))
	if err != nil {
		return err
	}
	// A deletion marks the channel, then shuts the gate, then disarms it. The three
	// are read in the opposite order, so that a deletion that goes on meanwhile
	// cannot make them look wrong.
	now, err := p.store.ReadIncarnation(ctx, p.channel.Ref())
	active = now.State == domain.ChannelActive
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return nil
	case err != nil:
		return err
	case open && shut:
		return p.channelBreach("I9", "has both its gates", leave("left: nothing says which is right"))
	case active && shut:
		return p.channelBreach("I9", "active behind a shut gate",
			leave("left: rows may have been swept; its owner can delete the rest"))
	case active && !open:
		return p.channelBreach("I9", "active without a gate", func() (string, error) { return p.repairUngated(ctx, now) })
	}
	return nil
}

// repairUngated repairs an active row that was read after both its gates were seen to be
// gone. A row behind which nothing lies is of a creation that was given up, or landed after the
// deletion: it is deleted. Behind any other something was written, and whatever removes the gate
// would have removed that, too: so the store lost the gate.
func (p *partitionCheck) repairUngated(ctx context.Context, row channel.Row) (string, error) {
	lost, err := p.store.HasRowsBehind(ctx, row.Ref())
	if err != nil {
		return "", err
	}
	if lost {
		return "put up its gate again", p.restoreGate(ctx, row.Ref())
	}
	ungated, err := p.store.DeleteUngated(ctx, row)
	if !ungated {
		return leftChanged, err
	}
	return "deleted", err
}

// restoreGate puts up the gate of a channel that lost it. It must not do so for a channel
// that is deleted, or else a late post would land behind the gate, and a worker that slept
// would shut it and sweep the next channel of that name. It relies on three things:
//
//   - A deletion is recorded before its channel is marked, and the record stays. So the
//     deletion of a channel without a record has not come to its mark. In particular the
//     row was not brought back by a late copy of its insert.
//   - The row is written last, in a version of a channel whose deletion nobody had asked for.
//     If that succeeds, no deletion had marked the channel, and nobody had taken the row for
//     one that nobody needs, by the time that the gate stood. A mark that was under way fails,
//     and its deletion begins again. So whoever shuts the gate later finds it. If it fails,
//     its owner or another repair may have written the row: it is read again.
//   - The gate takes the place of a new reservation, as at a creation. So a late copy of
//     a call here puts up nothing.
//
// If the deletion was asked for meanwhile, the gate is withdrawn, although the deletion may
// still have found it. That leaves rows without a channel at worst, which the next check
// reports. If the process dies before that, the gate of a dead incarnation is left until the
// next repair (strayGate). It does harm only if, moreover, a second worker marked the channel
// before the gate stood, and sleeps until the name is taken again.
//
// A creation cannot be under way. It writes behind the gate only after its row is there,
// and reads that; if it finds the gate gone, it wants to delete the row, in a version
// that is gone now, and then takes another incarnation.
func (p *partitionCheck) restoreGate(ctx context.Context, ref domain.ChannelRef) error {
	row, err := p.unasked(ctx, ref)
	if err != nil {
		return err
	}
	reservation, err := p.store.ReserveGate(ctx, ref)
	if err == nil {
		err = p.store.OpenGate(ctx, ref, reservation)
	}
	if err == nil {
		// If another repair was faster, the reservation is still there.
		err = p.drop(ctx, p.store.blogs, driver.Entity{Partition: p.key, Row: schema.ReservedGateRow(ref.Incarnation), ETag: reservation})
	}
	for err == nil {
		err = p.store.channels.Transact(ctx, p.key, driver.Merge(schema.SingleRow, driver.Match(row.ETag)))
		if !optimistic.Raced(err) {
			return err
		}
		row, err = p.unasked(ctx, ref)
		if errors.Is(err, domain.ErrGone) || errors.Is(err, domain.ErrNotFound) {
			return cmp.Or(p.withdrawAgain(ctx, ref), err)
		}
	}
	return err
}

// withdrawAgain deletes the gate that restoreGate has put up in vain. If the deletion has shut
// it, or somebody posts behind it, that is left.
func (p *partitionCheck) withdrawAgain(ctx context.Context, ref domain.ChannelRef) error {
	gate, err := p.store.blogs.Get(ctx, p.key, schema.OpenGateRow(ref.Incarnation))
	if err == nil {
		err = p.store.WithdrawGate(ctx, gate)
	}
	if errors.Is(err, domain.ErrNotFound) || errors.Is(err, optimistic.ErrAgain) {
		err = nil
	}
	return err
}

// unasked reads the row of an incarnation whose deletion nobody has asked for. If somebody has,
// it returns domain.ErrGone.
func (p *partitionCheck) unasked(ctx context.Context, ref domain.ChannelRef) (channel.Row, error) {
	row, err := p.store.ReadIncarnation(ctx, ref)
	if err != nil {
		return channel.Row{}, err
	}
	_, err = p.store.deletions.Get(ctx, p.key, schema.DeletionRow(ref.Incarnation))
	switch {
	case err == nil, row.State != domain.ChannelActive:
		return channel.Row{}, fmt.Errorf("channel %s: %w", ref.Key, domain.ErrGone)
	case !errors.Is(err, domain.ErrNotFound):
		return channel.Row{}, err
	}
	return row, nil
}
