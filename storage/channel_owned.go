package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// The channels of an owner are in as many partitions. Their names are in the owner's own
// partition, so that nobody has to scan a table for them:
//
//   - owns!, the claims to the channels that count against a limit (channel_claim.go);
//   - listed!, the names of the channels that do not count: those of an import and of the
//     sample, and all where there is no limit. The row is inserted once the channel is
//     there, and is never changed or deleted. So a late copy of the insert changes
//     nothing. If the process dies before it, the channel is on no list until the request
//     or the import is sent again.
//
// Both may outlive their channel, or name a channel that somebody else has now. So
// whoever reads them reads the channel too, and believes its row.

// ListChannel puts a channel on its owner's list although it does not count against a
// limit. It may be called again.
func (s *Store) ListChannel(ctx context.Context, channel domain.Channel) error {
	err := s.users.Transact(ctx, userPartition(channel.Owner), driver.Insert(listedRow(channel.Key())))
	if err != nil && !errors.Is(err, domain.ErrExists) {
		return fmt.Errorf("listing channel %s: %w", channel.Key(), err)
	}
	return nil
}

// ChannelsOf lists active channels of an owner, in the order of their keys. It looks at
// up to limit names; a page has fewer channels, or none, if some of them are gone. After
// is the Next of the page before, and empty for the first page. A cursor of another list
// is an InvalidError on the field "after".
func (s *Store) ChannelsOf(ctx context.Context, owner domain.UserName, after string, limit int) (ChannelPage, error) {
	list, position := "channels of "+string(owner), ""
	if after != "" {
		var err error
		if position, err = decodeCursor(list, after); err != nil {
			return ChannelPage{}, err
		}
	}
	names, more, err := s.namesOf(ctx, owner, position, limit)
	if err != nil {
		return ChannelPage{}, fmt.Errorf("channels of %s: %w", owner, err)
	}
	var page ChannelPage
	if more {
		page.Next = encodeCursor(list, string(names[len(names)-1]))
	}
	page.Items, err = s.ownedOf(ctx, owner, names)
	return page, err
}

// namesOf returns up to limit names on an owner's list, from behind the position on, in
// order. More says that others follow.
func (s *Store) namesOf(ctx context.Context, owner domain.UserName, position string, limit int) (names []domain.ChannelKey, more bool, err error) {
	claims, listed := successor(prefixClaim), prefixListed // not the tally
	if position != "" {
		claims, listed = prefixEnd(prefixClaim+position+"!"), successor(prefixListed+position)
	}
	// A name can have several claims, of which few are left standing.
	n := 2*limit + 1
	read := func(rows *[]driver.Entity, q driver.Range) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			q.Partition, q.KeysOnly = userPartition(owner), true
			*rows, err = s.users.First(ctx, n, q)
			return err
		}
	}
	var found [2][]driver.Entity
	err = s.AtOnce(ctx,
		read(&found[0], driver.Range{From: claims, To: prefixEnd(prefixClaim)}),
		read(&found[1], driver.Range{From: listed, To: prefixEnd(prefixListed)}))
	if err != nil {
		return nil, false, err
	}
	end := domain.ChannelKey("")
	for _, rows := range found {
		for _, row := range rows {
			names = append(names, nameOnList(row.Row))
		}
		if len(rows) == n { // names behind the last may be missing
			if last := nameOnList(rows[n-1].Row); end == "" || last < end {
				end = last
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if end != "" {
		names, more = names[:sortedUpTo(names, end)], true
	}
	if len(names) > limit {
		names, more = names[:limit], true
	}
	return names, more, nil
}

// sortedUpTo counts the names that are not behind the end.
func sortedUpTo(names []domain.ChannelKey, end domain.ChannelKey) int {
	n, found := slices.BinarySearch(names, end)
	if found {
		n++
	}
	return n
}

// ownedOf reads the channels of these names, and returns those that the owner has now and
// that can be read.
func (s *Store) ownedOf(ctx context.Context, owner domain.UserName, names []domain.ChannelKey) ([]domain.Channel, error) {
	found := make([]domain.Channel, len(names))
	group, ctx := newFlight(ctx, pointFlight)
	for i, name := range names {
		group.Go(func() error {
			row, err := s.readChannel(ctx, name)
			if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrLimit) {
				return nil // no channel can have a name that leads nowhere
			}
			found[i] = row.Channel
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(c domain.Channel) bool {
		return c.Owner != owner || c.State != domain.ChannelActive
	}), nil
}
