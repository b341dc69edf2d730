package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// raiseGate puts up the open gate, which happens at most once in all time,
// however late the network delivers copies of what is sent here: an open gate that
// came back would let in a post that stalled, or a worker that slept, which would
// then sweep the next incarnation. So the gate takes the place of a seed, in one
// transaction, in the version of the seed that was read. An ETag never repeats; a
// late copy of the seed's insert leaves another version, which nobody will ever
// ask for. Therefore the seed is read once, and never again once the swap was sent.
//
// Died before the swap: a seed remains, which only a repair removes. Removed under
// a creation's hands, it costs that creation its incarnation: errTryAgain.
func (s *Store) raiseGate(ctx context.Context, ref domain.ChannelRef) error {
	partition, incarnation := partitionOf(ref.Key), driver.String(propIncarnation, ref.Incarnation)
	err := s.blogs.Transact(ctx, partition, driver.Insert(gateSeed(ref.Incarnation), incarnation))
	if err != nil && !errors.Is(err, domain.ErrExists) { // the echo of this very insert: the incarnation is new
		return err
	}
	seed, err := s.blogs.Get(ctx, partition, gateSeed(ref.Incarnation))
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return errTryAgain
	case err != nil:
		return err
	}
	err = s.blogs.Transact(ctx, partition,
		driver.Delete(seed.Row, driver.Match(seed.ETag)),
		driver.Insert(openGate(ref.Incarnation), incarnation))
	if !raced(err) {
		return err
	}
	// The echo of this very swap, or a repair was faster: the gate tells.
	_, err = s.blogs.Get(ctx, partition, openGate(ref.Incarnation))
	if errors.Is(err, domain.ErrNotFound) {
		return errTryAgain
	}
	return err
}

// ShutGate swaps the open gate for the shut one, which can succeed once ever.
// It reports true if the rows behind the gate must still be swept, and false if
// both gates are gone: then the sweep was finished before.
func (s *Store) ShutGate(ctx context.Context, ref domain.ChannelRef) (sweep bool, err error) {
	err = s.blogs.Transact(ctx, partitionOf(ref.Key),
		driver.Delete(openGate(ref.Incarnation), driver.Exists),
		driver.Insert(shutGate(ref.Incarnation), driver.String(propIncarnation, ref.Incarnation)))
	switch {
	case err == nil:
		return true, nil
	case !raced(err):
		return false, fmt.Errorf("shutting the gate of channel %s: %w", ref.Key, err)
	}
	_, err = s.blogs.Get(ctx, partitionOf(ref.Key), shutGate(ref.Incarnation))
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// DisarmGate deletes the shut gate, after which no sweep of this incarnation
// can remove anything. The caller has just seen the partition empty.
func (s *Store) DisarmGate(ctx context.Context, ref domain.ChannelRef) error {
	err := s.blogs.Transact(ctx, partitionOf(ref.Key), driver.Delete(shutGate(ref.Incarnation), driver.Exists))
	if err == nil || errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return fmt.Errorf("disarming the gate of channel %s: %w", ref.Key, err)
}

// whyGateGone says what a missing gate means to whoever wanted to post. Its
// answer is never nil.
func (s *Store) whyGateGone(ctx context.Context, ref domain.ChannelRef) error {
	if _, err := s.readIncarnation(ctx, ref); err != nil {
		return err
	}
	return fmt.Errorf("channel %s: %w", ref.Key, domain.ErrGone)
}
