package fence

import (
	"context"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A Row is a channel as it was read, with the version for a conditional write.
type Row struct {
	domain.Channel
	// once is the hash of the idempotency key that made the channel, or empty.
	once string
	ETag driver.ETag
}

// ReadActive reads the active channel at an address. For a channel that is being deleted, or whose
// owner's account is being deleted, it returns domain.ErrGone: a *domain.PendingError while the
// deletion of the channel may be undone. A name without a channel is domain.ErrNotFound. If its
// incarnation is not one that the sender accepts, it returns a *domain.ReplacedError.
func (s *Fence) ReadActive(ctx context.Context, at domain.ChannelAddress) (Row, error) {
	//lab: Read the channel's row: which incarnation has the name?
	row, err := s.ReadChannel(ctx, at.Key)
	switch {
	case err != nil:
		return Row{}, err
	case row.State == domain.ChannelPending:
		return Row{}, fmt.Errorf("channel %s: %w", at.Key, &domain.PendingError{Channel: row.Channel})
	case !s.Leaving.Readable(row.Channel):
		return Row{}, fmt.Errorf("channel %s: %w", at.Key, domain.ErrGone)
	case !at.Expected.Holds(row.Incarnation):
		return Row{}, fmt.Errorf("channel %s: %w", at.Key, &domain.ReplacedError{Current: row.Channel})
	}
	return row, nil
}

// ReadChannel reads a channel in any state.
func (s *Fence) ReadChannel(ctx context.Context, key domain.ChannelKey) (Row, error) {
	row, err := s.channels.Get(ctx, schema.ChannelPartition(key), schema.SingleRow)
	if err != nil {
		return Row{}, fmt.Errorf("channel %s: %w", key, err)
	}
	return Decode(row), nil
}

// ReadIncarnation reads a channel in any state, but only if it is still of the given
// incarnation. Otherwise it returns domain.ErrNotFound.
func (s *Fence) ReadIncarnation(ctx context.Context, ref domain.ChannelRef) (Row, error) {
	//lab: Read the channel's row: is it still the incarnation that is meant?
	row, err := s.ReadChannel(ctx, ref.Key)
	if err == nil && row.Incarnation != ref.Incarnation {
		err = fmt.Errorf("incarnation %s of channel %s: %w", ref.Incarnation, ref.Key, domain.ErrNotFound)
	}
	return row, err
}

// encodeChannel returns the properties of a channel's row. once is the hash of the idempotency key, or
// empty.
func encodeChannel(c domain.Channel, once string) driver.Properties {
	p := append(schema.EncodeFields(c.Fields()),
		driver.String(schema.PropName, c.Name),
		driver.String(schema.PropOwner, c.Owner),
		driver.Time(schema.PropCreatedOn, c.CreatedOn),
		driver.String(schema.PropIncarnation, c.Incarnation),
		driver.String(schema.PropState, c.State))
	if once != "" {
		p = append(p, driver.String(schema.PropOnce, once))
	}
	return p
}

// Decode decodes a row of Channels. If its name is missing or does not fit its key, the name
// is made from the key, so that the channel can be shown and deleted.
func Decode(row driver.Entity) Row {
	p := row.Properties
	name, key := domain.ChannelName(p.String(schema.PropName)), domain.ChannelKey(row.Partition)
	if !strings.EqualFold(string(name), string(key)) && name.Key() != key { // most names are plain
		name = key.Name()
	}
	r := Row{
		Channel: domain.Channel{
			Name:        name,
			Owner:       domain.UserName(p.String(schema.PropOwner)),
			CreatedOn:   p.Time(schema.PropCreatedOn),
			Incarnation: domain.Incarnation(p.String(schema.PropIncarnation)),
			State:       domain.ChannelState(p.String(schema.PropState)),
			UndoCount:   p.Int64(schema.PropUndoCount),
		},
		once: p.String(schema.PropOnce),
		ETag: row.ETag,
	}
	if r.State == domain.ChannelPending {
		r.UndoableUntil = p.Time(schema.PropUndoableUntil)
	}
	schema.DecodeFields(p, r.Fields())
	return r
}
