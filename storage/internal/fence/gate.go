package fence

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// ReserveGate inserts the reservation of a gate, which OpenGate replaces, and returns
// its version. Call it once for each incarnation, and never after OpenGate was sent:
// the version of a second reservation would open the gate again. If another process has deleted the
// reservation, the incarnation is lost: optimistic.ErrAgain.
func (s *Fence) ReserveGate(ctx context.Context, ref domain.ChannelRef) (driver.ETag, error) {
	partition, row := schema.ChannelPartition(ref.Key), schema.ReservedGateRow(ref.Incarnation)
	//lab: Insert the reservation of a gate.
	err := s.blogs.Transact(ctx, partition, driver.Insert(row, driver.String(schema.PropIncarnation, ref.Incarnation)))
	if err != nil && !errors.Is(err, domain.ErrExists) { // a self-conflict: the incarnation is new
		return "", err
	}
	//lab: Read the version of the reservation.
	reservation, err := s.blogs.Find(ctx, partition, row)
	if err == nil && !reservation.Found() {
		err = optimistic.ErrAgain
	}
	return reservation.ETag, err
}

// OpenGate replaces the reservation with the open gate, at most once. If the open gate
// could come back after the deletion, the store would accept a stalled post; or a stalled
// worker would shut the gate again and sweep the rows of the next incarnation.
//
// The gate says who may post, until a row does (package blog). A rule that was written later would let in a
// user whom the owner does not want; one that was inserted with the gate would stay if the creation fails.
func (s *Fence) OpenGate(ctx context.Context, ref domain.ChannelRef, reservation driver.ETag, posters domain.Posters) error {
	gate := driver.Insert(schema.OpenGateRow(ref.Incarnation), driver.String(schema.PropIncarnation, ref.Incarnation))
	if posters != domain.PostersOpen {
		gate.Properties = append(gate.Properties, driver.String(schema.PropPosting, posters))
	}
	partition := schema.ChannelPartition(ref.Key)
	//lab: Put up the open gate.
	err := s.blogs.Transact(ctx, partition,
		driver.Delete(schema.ReservedGateRow(ref.Incarnation), driver.Match(reservation)),
		gate)
	if !optimistic.Raced(err) {
		return err
	}
	// Either this transaction has committed before and its response was lost, or another process
	// deleted the reservation first. The gate exists only in the first case.
	//lab: Read whether this gate is open.
	open, err := s.HasRow(ctx, ref.Key, schema.OpenGateRow(ref.Incarnation))
	if err == nil && !open {
		err = optimistic.ErrAgain
	}
	return err
}

// ErrGateGone is returned when a transaction fails because the gate that it holds does not exist.
var ErrGateGone = errors.New("the gate is gone")

// A GateGone is the ErrGateGone of the open gate. It is also the reason, which a user may be told.
type GateGone struct {
	// Why is what WhyGateGone returns.
	Why error
}

func (g *GateGone) Error() string { return g.Why.Error() }

// Unwrap makes a GateGone an ErrGateGone, and what its reason is.
func (g *GateGone) Unwrap() []error { return []error{ErrGateGone, g.Why} }

// TransactIfOpen sends a transaction that merges the open gate, which gives the gate a new version. If the
// gate is gone, TransactIfOpen returns a *GateGone. Any other failure is of the caller's operations, which
// count from 1, because the merge is operation 0.
//
// Every change of what a channel's pages show merges the gate, unless it writes the channel's row. If it
// only inserts rows, such as an owner's post, only the gate stops it. Any other also depends on a row that
// the sweep deletes, and merges the gate because by its version a page that was read before is known to
// be still right (package channel).
//
// A post is a gate as well, of its replies: a reply merges this gate and the post (reply.go in package blog).
func (s *Fence) TransactIfOpen(ctx context.Context, ref domain.ChannelRef, operations ...driver.Operation) error {
	return s.explain(ctx, ref, s.holding(ctx, ref, driver.Merge(schema.OpenGateRow(ref.Incarnation), driver.Exists), operations))
}

// FirstPosters is who may post while no row says it, by the open gate.
func FirstPosters(gate driver.Entity) domain.Posters {
	return cmp.Or(domain.Posters(gate.Properties.String(schema.PropPosting)), domain.PostersOpen)
}

// GateVersion returns the version of the open gate, and who may post while no row says it. If there is no open
// gate, it returns a *GateGone.
func (s *Fence) GateVersion(ctx context.Context, ref domain.ChannelRef) (driver.ETag, domain.Posters, error) {
	//lab: Read the version of the gate.
	gate, err := s.blogs.Find(ctx, schema.ChannelPartition(ref.Key), schema.OpenGateRow(ref.Incarnation))
	if err == nil && !gate.Found() {
		err = s.explain(ctx, ref, ErrGateGone)
	}
	return gate.ETag, FirstPosters(gate), err
}

// TransactIfVersion is TransactIfOpen for one version of the gate. It gives the gate another version, so it
// takes effect at most once. If the gate has another version, it returns domain.ErrConflict.
func (s *Fence) TransactIfVersion(ctx context.Context, ref domain.ChannelRef, version driver.ETag, operations ...driver.Operation) error {
	return s.explain(ctx, ref, s.holding(ctx, ref, driver.Merge(schema.OpenGateRow(ref.Incarnation), driver.Match(version)), operations))
}

// transactIfShut is TransactIfOpen for a sweep, which depends on the shut gate. If that is gone, it returns
// a bare ErrGateGone: no user waits for the reason.
func (s *Fence) transactIfShut(ctx context.Context, ref domain.ChannelRef, operations ...driver.Operation) error {
	return s.holding(ctx, ref, driver.Merge(schema.ShutGateRow(ref.Incarnation), driver.Exists), operations)
}

// holding sends a transaction that begins with a condition on a gate. If the gate is gone, it returns
// ErrGateGone, which is no domain.ErrNotFound, so that callers cannot mistake the gate for a row of their own.
func (s *Fence) holding(ctx context.Context, ref domain.ChannelRef, gate driver.Operation, operations []driver.Operation) error {
	err := s.blogs.Transact(ctx, schema.ChannelPartition(ref.Key), append([]driver.Operation{gate}, operations...)...)
	if optimistic.FailedAt(err, 0, domain.ErrNotFound) {
		return ErrGateGone
	}
	return err
}

// explain makes a *GateGone of an ErrGateGone.
func (s *Fence) explain(ctx context.Context, ref domain.ChannelRef, err error) error {
	if errors.Is(err, ErrGateGone) {
		return &GateGone{s.WhyGateGone(ctx, ref)}
	}
	return err
}

// GateIsOpen reports whether the open gate exists.
func (s *Fence) GateIsOpen(ctx context.Context, ref domain.ChannelRef) (bool, error) {
	//lab: Read whether the gate is open.
	return s.HasRow(ctx, ref.Key, schema.OpenGateRow(ref.Incarnation))
}

// WithdrawGate deletes a reservation, or the open gate of a creation that did not make the channel, in
// the version that was read before the channel's row was read. If a post has used the
// gate since then, the version has changed, and it returns optimistic.ErrAgain.
func (s *Fence) WithdrawGate(ctx context.Context, gate driver.Entity) error {
	//lab: Delete a gate or reservation that made no channel.
	return optimistic.Again(s.blogs.Transact(ctx, gate.Partition, driver.Delete(gate.Row, driver.Match(gate.ETag))))
}

// ShutGate replaces the open gate with the shut one, and reports whether the shut gate
// exists. If both gates are gone, nothing is left to sweep: another worker has removed the shut gate,
// or the channel's row is of a delayed insert. (Or the store has lost the gate. Then rows are left,
// which a repair removes.)
func (s *Fence) ShutGate(ctx context.Context, ref domain.ChannelRef) (shut bool, err error) {
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
	//lab: Read whether the gate is shut.
	if shut, err = s.HasRow(ctx, ref.Key, schema.ShutGateRow(ref.Incarnation)); err != nil {
		return false, fmt.Errorf("reading the shut gate of channel %s: %w", ref.Key, err)
	}
	return shut, nil
}

// RemoveGate deletes the shut gate. After that, no sweep of this incarnation can remove
// anything. Call it only after a whole pass, begun after the gate was shut, has found
// nothing but gates.
func (s *Fence) RemoveGate(ctx context.Context, ref domain.ChannelRef) error {
	//lab: Remove the shut gate.
	err := s.blogs.Transact(ctx, schema.ChannelPartition(ref.Key), driver.Delete(schema.ShutGateRow(ref.Incarnation), driver.Exists))
	if err == nil || errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return fmt.Errorf("removing the gate of channel %s: %w", ref.Key, err)
}

// WhyGateGone returns what a missing gate means to a caller that wanted to hold it:
// domain.ErrNotFound, domain.ErrGone, or a *domain.ReplacedError if another incarnation
// has the name. It never returns nil.
func (s *Fence) WhyGateGone(ctx context.Context, ref domain.ChannelRef) error {
	if _, err := s.ReadActive(ctx, ref.Address()); err != nil {
		return err
	}
	return fmt.Errorf("channel %s: %w", ref.Key, domain.ErrGone)
}

// HasRow reports whether a channel's Blogs partition has a row.
func (s *Fence) HasRow(ctx context.Context, key domain.ChannelKey, row string) (bool, error) {
	found, err := s.blogs.Find(ctx, schema.ChannelPartition(key), row)
	return found.Found(), err
}
