package storage

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Properties of a Channels row.
const (
	propName        = "Name"
	propOwner       = "Owner"
	propDescription = "Description"
	propCreatedOn   = "CreatedOn"
	propIncarnation = "Incarnation"
	propState       = "State"
	// propOnce is the hash of the idempotency key that made the row. It is absent if the
	// request had no key.
	propOnce = "Once"
)

// channelRow is a channel as it was read, with the version that a conditional write
// needs.
type channelRow struct {
	domain.Channel
	// once is the hash of the idempotency key that made the channel, or empty.
	once string
	etag driver.ETag
}

// Channel reads an active channel. A channel that is being deleted is
// domain.ErrGone. A name without a channel is domain.ErrNotFound.
func (s *Store) Channel(ctx context.Context, key domain.ChannelKey) (domain.Channel, error) {
	row, err := s.readChannel(ctx, key)
	if err != nil {
		return domain.Channel{}, err
	}
	if row.State != domain.ChannelActive {
		return domain.Channel{}, fmt.Errorf("channel %s: %w", key, domain.ErrGone)
	}
	return row.Channel, nil
}

// readChannel reads a channel in any state.
func (s *Store) readChannel(ctx context.Context, key domain.ChannelKey) (channelRow, error) {
	row, err := s.channels.Get(ctx, partitionOf(key), singleRow)
	if err != nil {
		return channelRow{}, fmt.Errorf("channel %s: %w", key, err)
	}
	return decodeChannel(row), nil
}

// readIncarnation reads a channel in any state, but only if it is still of the given
// incarnation. Otherwise it returns domain.ErrNotFound.
func (s *Store) readIncarnation(ctx context.Context, ref domain.ChannelRef) (channelRow, error) {
	row, err := s.readChannel(ctx, ref.Key)
	if err == nil && row.Incarnation != ref.Incarnation {
		err = fmt.Errorf("incarnation %s of channel %s: %w", ref.Incarnation, ref.Key, domain.ErrNotFound)
	}
	return row, err
}

func encodeChannel(c domain.Channel) driver.Properties {
	return driver.Properties{
		driver.String(propName, c.Name),
		driver.String(propOwner, c.Owner),
		driver.String(propDescription, c.Description),
		driver.Time(propCreatedOn, c.CreatedOn),
		driver.String(propIncarnation, c.Incarnation),
		driver.String(propState, c.State),
	}
}

func decodeChannel(row driver.Entity) channelRow {
	p := row.Properties
	return channelRow{
		Channel: domain.Channel{
			Name:        domain.ChannelName(p.String(propName)),
			Owner:       domain.UserName(p.String(propOwner)),
			Description: p.String(propDescription),
			CreatedOn:   p.Time(propCreatedOn),
			Incarnation: domain.Incarnation(p.String(propIncarnation)),
			State:       domain.ChannelState(p.String(propState)),
		},
		once: p.String(propOnce),
		etag: row.ETag,
	}
}
