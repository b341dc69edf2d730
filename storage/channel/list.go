package channel

import (
	"context"
	"strings"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
)

// maxChannelRows is how many rows a page of the list of channels reads at most. The order
// of names does not help to find a part of one, so that a text which few names contain
// would read the whole table for each page.
const maxChannelRows = 5 * driver.MaxPage

// List lists up to limit active channels whose names contain the text, case folded, in
// the order of their keys. A page that ends because it has read many rows may hold fewer
// channels, or none, and have a Next. After is the Next of the page before, and empty for
// the first page. A cursor of another list is an InvalidError on the field "after". A row without its
// open gate is left out (the comment of Version says why), so a page may hold fewer channels.
func (s *Channels) List(ctx context.Context, text, after string, limit int) (found driver.ListPage[domain.Channel], err error) {
	text = domain.Fold(text)
	list := driver.List{Name: "channels/" + text, After: after, Limit: limit}
	q := driver.Scan{Paging: driver.Paging{Limit: limit + 1}}
	if text != "" {
		q.Limit = driver.MaxPage
	}
	if q.From, err = list.From(""); err != nil {
		return found, err
	}
	read, last := 0, ""
	for row, err := range s.channels.All(ctx, q) {
		if err != nil {
			return driver.ListPage[domain.Channel]{}, err
		}
		of := fence.Decode(row).Channel
		matches := s.fence.Leaving.Readable(of) && strings.Contains(domain.Fold(string(of.Name)), text)
		read++
		if read == maxChannelRows || matches && len(found.Items) == limit {
			found.Next = driver.Cursor(list.Name, last)
			break
		}
		if matches {
			found.Items = append(found.Items, of)
		}
		last = row.Partition
	}
	found.Items, err = concurrent.Gather(ctx, s.fence.Reads, found.Items, func(ctx context.Context, of domain.Channel) (domain.Channel, bool, error) {
		open, err := s.fence.GateIsOpen(ctx, of.Ref())
		return of, open, err
	})
	return found, err
}
