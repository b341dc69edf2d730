package storage

import (
	"context"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// maxChannelRows is how many rows a page of the list of channels reads at most. The order
// of names does not help to find a part of one, so that a text which few names contain
// would read the whole table for each page.
const maxChannelRows = 5 * driver.MaxPage

// ChannelPage is part of a list of channels.
type ChannelPage struct {
	Items []domain.Channel
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// Channels lists up to limit active channels whose names contain the text, case folded, in
// the order of their keys. A page that ends because it has read many rows may hold fewer
// channels, or none, and have a Next. After is the Next of the page before, and empty for
// the first page. A cursor of another list is an InvalidError on the field "after".
func (s *Store) Channels(ctx context.Context, text, after string, limit int) (ChannelPage, error) {
	text = domain.Fold(text)
	list := "channels/" + text
	q := driver.Scan{Paging: driver.Paging{Limit: limit + 1}}
	if text != "" {
		q.Limit = driver.MaxPage
	}
	position := ""
	if after != "" {
		var err error
		if position, err = decodeCursor(list, after); err != nil {
			return ChannelPage{}, err
		}
		q.From = schema.Successor(position)
	}
	var page ChannelPage
	read := 0
	for row, err := range s.channels.All(ctx, q) {
		if err != nil {
			return ChannelPage{}, err
		}
		channel := decodeChannel(row).Channel
		found := channel.State == domain.ChannelActive && strings.Contains(domain.Fold(string(channel.Name)), text)
		read++
		if read == maxChannelRows || found && len(page.Items) == limit {
			page.Next = encodeCursor(list, position)
			break
		}
		if found {
			page.Items = append(page.Items, channel)
		}
		position = row.Partition
	}
	return page, nil
}
