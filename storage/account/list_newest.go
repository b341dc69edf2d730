package account

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

const (
	// maxNewest is how many accounts are sorted at most, and maxNewestReads how many reads of driver.MaxPage
	// rows find them.
	maxNewest      = 10_000
	maxNewestReads = 50
)

// ListNewest lists up to limit accounts whose names contain the text, the newest first, also those that are being
// deleted while that can be undone. It is for operators. No index has this order, so it reads and sorts all of them each
// time. If there are too many for that, it is an InvalidError on the field "contains". After is the Next of the page
// before, and empty for the first page. A cursor of another list is an InvalidError on the field "after".
func (a *Accounts) ListNewest(ctx context.Context, text, after string, limit int) (page driver.ListPage[domain.User], err error) {
	text = strings.ToLower(text)
	list := driver.List{Name: "newest/" + text, After: after, Limit: limit}
	from, err := list.Position()
	if err != nil {
		return page, err
	}
	found, err := a.containing(ctx, text)
	if err != nil {
		return page, err
	}
	position := func(u domain.User) string { return domain.RecentFirst(u.CreatedOn) + "!" + string(u.Name) }
	found = slices.DeleteFunc(found, func(u domain.User) bool { return position(u) <= from })
	slices.SortFunc(found, func(x, y domain.User) int { return strings.Compare(position(x), position(y)) })
	page.Items, page.Next = driver.Cut(list, found, position)
	return page, nil
}

// containing reads the accounts whose names contain the text. A read that ends within the rows of a user goes on at the
// next one, as in List.
func (a *Accounts) containing(ctx context.Context, text string) (found []domain.User, err error) {
	q := driver.Scan{Paging: driver.Paging{Limit: driver.MaxPage}}
	for range maxNewestReads {
		read, last := 0, ""
		for row, err := range a.users.All(ctx, q) {
			if err != nil {
				return nil, fmt.Errorf("listing accounts: %w", err)
			}
			if row.Row == schema.SingleRow && !isOver(row) && strings.Contains(row.Partition, text) {
				found = append(found, userOf(row))
			}
			last = row.Partition
			if read++; read == driver.MaxPage {
				break
			}
		}
		if read < driver.MaxPage && len(found) <= maxNewest {
			return found, nil
		}
		q.From = driver.Successor(last)
		if len(found) > maxNewest {
			break
		}
	}
	return nil, domain.Invalid("contains", "must be a longer part of the name: there are too many accounts to sort them all")
}
