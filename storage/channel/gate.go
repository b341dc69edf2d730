package channel

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// The gate is the fence of one incarnation: a row in the channel's Blogs
// partition, so that the store checks it in the same transaction as the write
// that depends on it. A post holds the open gate, that is, merges it in its own
// transaction. A sweep holds the shut gate. Neither has to know how late it is.
//
// The gate and the channel's row are in two tables. They change in this order:
//
//	             gate of i                     channel's row
//
//	             absent                        absent
//	reserve         │                             │
//	             reserved                         │
//	open *          │                             │
//	              open                            │
//	insert          │                          active, of i
//	                │                             │             posts of i
//	mark            │                          pending          nobody reads; an undo makes it active
//	pivot           │                          deleting         nothing can be undone
//	shut *          │                             │
//	              shut                            │             rows of i are swept
//	disarm *        │                             │
//	              gone                            │
//	release                                    absent           the name is free
//
// The transitions marked * happen at most once in all time, whatever is sent
// again and however late it arrives:
//
//   - open deletes the reservation in the version that was read, and an ETag
//     never repeats (see below);
//   - shut deletes the open gate, which was put up once;
//   - disarm deletes the shut gate, which was put up once.
//
// The others can happen again. (A late copy is a copy of a request that the client library sent
// again, or that the network held back, and that arrives when nobody waits for it.) A late copy of
// reserve leaves a reservation that nobody will ever open. A late copy of insert leaves an active
// row behind no gate, which accepts no post; Reclaim deletes it. Mark, pivot, undo and release write
// the row in the version in which they read incarnation i, so a late copy of them fails.
//
// That an ETag never repeats is a premise, since Azure and Azurite make it from
// the time of the write. A repeat would have to be of the same row key. That key
// holds a random incarnation, and only ReserveGate inserts it, once. So a repeat
// needs a late copy of that insert, which lands after the reservation was deleted
// and is dated with the same tick of the server's clock as the first; and then a
// late copy of OpenGate. A random revision in the row would not tell the copy
// from the first: a copy carries the same revision. The ETag ablation of package
// lab shows what such a repeat does.
//
// Short cuts end a creation that failed: a repair deletes a reservation, or a gate whose channel is
// not there (strayGate in package check), and its creator withdraws an open gate (WithdrawGate). A
// store that lost an open gate is damaged, and nobody puts it up again.

// ReserveGate inserts the reservation of a gate and returns its version. The open
// gate will take its place. It must be called once for each incarnation, and never
// after OpenGate was sent: a second reservation would have a version that opens the
// gate again.
//
// If the process dies after this, the reservation stays until a repair deletes
// it. If a repair deletes it before OpenGate is sent, the incarnation is lost:
// optimistic.ErrAgain.
func (s *Lifecycle) ReserveGate(ctx context.Context, ref domain.ChannelRef) (driver.ETag, error) {
	partition, row := schema.ChannelPartition(ref.Key), schema.ReservedGateRow(ref.Incarnation)
	//lab: Insert the reservation of a gate.
	err := s.blogs.Transact(ctx, partition, driver.Insert(row, driver.String(schema.PropIncarnation, ref.Incarnation)))
	if err != nil && !errors.Is(err, domain.ErrExists) { // the echo of this insert: the incarnation is new
		return "", err
	}
	//lab: Read the version of the reservation.
	reservation, err := s.blogs.Get(ctx, partition, row)
	if errors.Is(err, domain.ErrNotFound) {
		return "", optimistic.ErrAgain
	}
	return reservation.ETag, err
}

// OpenGate puts the open gate in the place of its reservation. An open gate that
// came back later would let in a post that stalled; or a worker that slept would shut
// it, and sweep the next incarnation. So the transaction depends on the version of the
// reservation, which it deletes.
func (s *Lifecycle) OpenGate(ctx context.Context, ref domain.ChannelRef, reservation driver.ETag) error {
	partition := schema.ChannelPartition(ref.Key)
	//lab: Put up the open gate.
	err := s.blogs.Transact(ctx, partition,
		driver.Delete(schema.ReservedGateRow(ref.Incarnation), driver.Match(reservation)),
		driver.Insert(schema.OpenGateRow(ref.Incarnation), driver.String(schema.PropIncarnation, ref.Incarnation)))
	if !optimistic.Raced(err) {
		return err
	}
	// Either this is the echo of this transaction, or a repair deleted the
	// reservation first. The gate tells which.
	//lab: Look whether our gate is open.
	_, err = s.blogs.Get(ctx, partition, schema.OpenGateRow(ref.Incarnation))
	if errors.Is(err, domain.ErrNotFound) {
		return optimistic.ErrAgain
	}
	return err
}

// ErrGateGone tells that a transaction failed because the gate that it holds is not there. It
// wraps nothing, so that it is no row's domain.ErrNotFound. Whoever holds a gate says what it
// means to their caller.
var ErrGateGone = errors.New("the gate is gone")

// Behind sends a transaction that merges the open gate, which gives it a new version. A merge of a
// row that is not there fails, and with it the whole transaction: that is the fence. The merge is
// operation 0, so that its failure is told apart: ErrGateGone. Any other failure is of the caller's
// operations, counted from 1.
//
// This is the list of who holds the gate: whatever changes what a channel's pages show (a post, a
// subscription and its end, an edit, a vote, the deletion of a post, and each repair of those),
// unless it writes the channel's row.
// The fence needs it for posts and subscriptions alone, since the others depend on a version of a
// row that the sweep deletes. But the gate's version tells whether a page that was read before is
// still right (package fresh).
func (s *Lifecycle) Behind(ctx context.Context, ref domain.ChannelRef, operations ...driver.Operation) error {
	return s.holding(ctx, ref, driver.Merge(schema.OpenGateRow(ref.Incarnation), driver.Exists), operations)
}

// GateVersion reads the version of the open gate. If that is not there, it is ErrGateGone.
func (s *Lifecycle) GateVersion(ctx context.Context, ref domain.ChannelRef) (driver.ETag, error) {
	//lab: Read the version of the gate.
	gate, err := s.blogs.Get(ctx, schema.ChannelPartition(ref.Key), schema.OpenGateRow(ref.Incarnation))
	if errors.Is(err, domain.ErrNotFound) {
		return "", ErrGateGone
	}
	return gate.ETag, err
}

// BehindVersion is Behind in the version of the gate that was read. It gives the gate another, so
// it takes effect once in all time. In any other version it is domain.ErrConflict.
func (s *Lifecycle) BehindVersion(ctx context.Context, ref domain.ChannelRef, version driver.ETag, operations ...driver.Operation) error {
	return s.holding(ctx, ref, driver.Merge(schema.OpenGateRow(ref.Incarnation), driver.Match(version)), operations)
}

// behindShut is Behind for a sweep, which depends on the shut gate.
func (s *Lifecycle) behindShut(ctx context.Context, ref domain.ChannelRef, operations ...driver.Operation) error {
	return s.holding(ctx, ref, driver.Merge(schema.ShutGateRow(ref.Incarnation), driver.Exists), operations)
}

func (s *Lifecycle) holding(ctx context.Context, ref domain.ChannelRef, gate driver.Operation, operations []driver.Operation) error {
	err := s.blogs.Transact(ctx, schema.ChannelPartition(ref.Key), append([]driver.Operation{gate}, operations...)...)
	if refusedByGate(err) {
		return ErrGateGone
	}
	return err
}

func refusedByGate(err error) bool { return optimistic.FailedAt(err, 0, domain.ErrNotFound) }

// GateStands reports whether the open gate is there.
func (s *Lifecycle) GateStands(ctx context.Context, ref domain.ChannelRef) (bool, error) {
	//lab: Look whether the gate is open.
	return s.HasRow(ctx, ref.Key, schema.OpenGateRow(ref.Incarnation))
}

// WithdrawGate deletes the open gate of a creation that its creator gives up, in
// the version that was read before the channel's row was read. If somebody has
// posted since then, the version has changed, and it returns optimistic.ErrAgain.
func (s *Lifecycle) WithdrawGate(ctx context.Context, gate driver.Entity) error {
	//lab: Take our gate away.
	return optimistic.Again(s.blogs.Transact(ctx, gate.Partition, driver.Delete(gate.Row, driver.Match(gate.ETag))))
}

// GatesOf reads the reservations and the open gates under a key, of whatever incarnation.
func (s *Lifecycle) GatesOf(ctx context.Context, key domain.ChannelKey) (gates []driver.Entity, err error) {
	from, to := schema.GatePrefix, schema.PrefixEnd(schema.GatePrefix)
	//lab: Read the gates of those who create a channel of the name.
	for row, err := range s.blogs.Within(ctx, driver.Range{Partition: schema.ChannelPartition(key), From: from, To: to}) {
		if err != nil {
			return nil, err
		}
		if !schema.ShutGate.Has(row.Row) {
			gates = append(gates, row)
		}
	}
	return gates, nil
}

// ShutGate puts the shut gate in the place of the open one, and reports whether the
// shut gate is there. If both gates are gone, nothing is left to sweep: a sweep has ended,
// or the row landed late and never had a gate.
func (s *Lifecycle) ShutGate(ctx context.Context, ref domain.ChannelRef) (shut bool, err error) {
	//lab: Put up the shut gate.
	err = s.blogs.Transact(ctx, schema.ChannelPartition(ref.Key),
		driver.Delete(schema.OpenGateRow(ref.Incarnation), driver.Exists),
		driver.Insert(schema.ShutGateRow(ref.Incarnation), driver.String(schema.PropIncarnation, ref.Incarnation)))
	if err == nil {
		return true, nil
	}
	if !optimistic.Raced(err) {
		return false, fmt.Errorf("shutting the gate of channel %s: %w", ref.Key, err)
	}
	//lab: Look whether the gate is shut.
	if shut, err = s.HasRow(ctx, ref.Key, schema.ShutGateRow(ref.Incarnation)); err != nil {
		return false, fmt.Errorf("reading the shut gate of channel %s: %w", ref.Key, err)
	}
	return shut, nil
}

// DisarmGate deletes the shut gate. After that, no sweep of this incarnation can
// remove anything. A whole pass, which began
// after the gate was shut, must have found nothing but gates: then nothing can come after it.
func (s *Lifecycle) DisarmGate(ctx context.Context, ref domain.ChannelRef) error {
	//lab: Remove the shut gate.
	err := s.blogs.Transact(ctx, schema.ChannelPartition(ref.Key), driver.Delete(schema.ShutGateRow(ref.Incarnation), driver.Exists))
	if err == nil || errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return fmt.Errorf("disarming the gate of channel %s: %w", ref.Key, err)
}

// WhyGateGone says what a missing gate means to a caller that wanted to hold it:
// domain.ErrNotFound, domain.ErrGone, or a *domain.ReplacedError if another incarnation
// has the name. It never returns nil.
func (s *Lifecycle) WhyGateGone(ctx context.Context, ref domain.ChannelRef) error {
	if _, err := s.ChannelAt(ctx, ref.Address()); err != nil {
		return err
	}
	return fmt.Errorf("channel %s: %w", ref.Key, domain.ErrGone)
}

// HasRow tells whether a channel's Blogs partition has a row.
func (s *Lifecycle) HasRow(ctx context.Context, key domain.ChannelKey, row string) (bool, error) {
	_, err := s.blogs.Get(ctx, schema.ChannelPartition(key), row)
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
