package account

import (
	"context"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// maxListReads is how many reads of driver.MaxPage rows a page of the list of users takes at most.
const maxListReads = 5

// List lists up to limit users whose names contain the text, in the order of their names. A page that
// ends because it has read much may hold fewer, or none, and have a Next. After is the Next of the
// page before, and empty for the first page. A cursor of another list is an InvalidError on the field
// "after". An account comes before all other rows of its user. So a read that ends within these
// goes on at the next user, and one who has made very much costs one read.
func (a *Accounts) List(ctx context.Context, text, after string, limit int) (found driver.ListPage[domain.UserName], err error) {
	text = strings.ToLower(text)
	list := driver.List{Name: "users/" + text, After: after, Limit: limit}
	q := driver.Scan{Paging: driver.Paging{Limit: driver.MaxPage, Select: []string{schema.PropState}}}
	if q.From, err = list.From(""); err != nil {
		return found, err
	}
	last := ""
	for range maxListReads {
		read := 0
		for row, err := range a.users.All(ctx, q) {
			if err != nil {
				return driver.ListPage[domain.UserName]{}, fmt.Errorf("listing users: %w", err)
			}
			if row.Row == schema.SingleRow && DecodeErasure(row).State == domain.AccountActive && strings.Contains(row.Partition, text) {
				if len(found.Items) == limit {
					found.Next = list.Next(last)
					return found, nil
				}
				found.Items = append(found.Items, domain.UserName(row.Partition))
			}
			last = row.Partition
			if read++; read == driver.MaxPage {
				break
			}
		}
		if read < driver.MaxPage {
			return found, nil
		}
		q.From = driver.Successor(last)
	}
	found.Next = list.Next(last)
	return found, nil
}
