package storage

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Properties of a Channels row, beside the revision.
const (
	propName        = "Name"
	propOwner       = "Owner"
	propDescription = "Description"
	propCreatedOn   = "CreatedOn"
	propIncarnation = "Incarnation"
	propState       = "State"
)

// channelRow is a channel as it was read, with what a conditional write needs.
type channelRow struct {
	domain.Channel
	etag driver.ETag
}

// Channel reads an active channel. While it is being deleted the answer is
// domain.ErrGone, and afterwards domain.ErrNotFound.
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

// readChannel reads a channel in whatever state.
func (s *Store) readChannel(ctx context.Context, key domain.ChannelKey) (channelRow, error) {
	row, err := s.channels.Get(ctx, partitionOf(key), only)
	if err != nil {
		return channelRow{}, fmt.Errorf("channel %s: %w", key, err)
	}
	return decodeChannel(row), nil
}

// readIncarnation reads the channel if it still lives the given life. Otherwise
// the answer is domain.ErrNotFound.
func (s *Store) readIncarnation(ctx context.Context, ref domain.ChannelRef) (channelRow, error) {
	row, err := s.readChannel(ctx, ref.Key)
	if err == nil && row.Incarnation != ref.Incarnation {
		err = fmt.Errorf("incarnation %s of channel %s: %w", ref.Incarnation, ref.Key, domain.ErrNotFound)
	}
	return row, err
}

// ChannelPage is part of a list of channels.
type ChannelPage struct {
	Items []domain.Channel
	// Next continues the list; it is empty on the last page.
	Next string
}

// Channels lists up to limit active channels by name: those whose names start
// with the prefix, after the given cursor, which may be empty. A cursor that is
// not of this list is an InvalidError.
func (s *Store) Channels(ctx context.Context, prefix, after string, limit int) (ChannelPage, error) {
	from := domain.ChannelKeyPrefix(prefix)
	list := "channels/" + from
	q := driver.Scan{From: from, To: prefixEnd(from), Paging: driver.Paging{Limit: limit + 1}}
	if after != "" {
		position, err := decodeCursor(list, after)
		if err != nil {
			return ChannelPage{}, err
		}
		q.From = max(from, successor(position))
	}
	var page ChannelPage
	if driver.CheckKey("prefix", from) != nil {
		return page, nil // no key starts so, and a backend need not take it
	}
	for row, err := range s.channels.All(ctx, q) {
		if err != nil {
			return ChannelPage{}, err
		}
		channel := decodeChannel(row).Channel
		if channel.State != domain.ChannelActive {
			continue
		}
		if len(page.Items) == limit {
			page.Next = encodeCursor(list, string(page.Items[limit-1].Key()))
			break
		}
		page.Items = append(page.Items, channel)
	}
	return page, nil
}

// Describe replaces a channel's description. Only its owner may.
func (s *Store) Describe(ctx context.Context, ref domain.ChannelRef, by domain.UserName, description string) (domain.Channel, error) {
	description, err := domain.ParseDescription(description)
	if err != nil {
		return domain.Channel{}, err
	}
	var channel domain.Channel
	err = s.contend(ctx, func() error {
		row, err := s.readIncarnation(ctx, ref)
		switch {
		case err != nil:
			return err
		case row.State != domain.ChannelActive:
			return fmt.Errorf("channel %s: %w", ref.Key, domain.ErrGone)
		case row.Owner != by:
			return fmt.Errorf("describing channel %s: %w", ref.Key, domain.ErrForbidden)
		}
		channel = row.Channel
		channel.Description = description
		// The value is all that the caller asked for, so that an echo of this
		// write needs no telling apart: writing it again is the same.
		err = s.channels.Transact(ctx, partitionOf(ref.Key),
			driver.Merge(only, driver.Match(row.etag), driver.String(propDescription, description)))
		if raced(err) {
			return errTryAgain
		}
		return err
	})
	return channel, err
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
		etag: row.ETag,
	}
}
