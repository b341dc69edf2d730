package storage

import (
	"context"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// ChannelPage is part of a list of channels.
type ChannelPage struct {
	Items []domain.Channel
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// Channels lists up to limit active channels whose names start with the prefix, in
// the order of their keys. After is the Next of the page before, and empty for the
// first page. A cursor of another list is an InvalidError on the field "after".
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
		return page, nil // no key starts with this, and a backend may refuse it
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
