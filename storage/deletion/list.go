package deletion

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Each deletion has a row in a partition of its channel. So that a user finds their deletions
// without a scan, a requested! row in the user's own partition of Users names each of them, with the
// time in its key, the newest first. It is inserted before the message is sent, never changed, and
// deleted only with the account, or after the record (prune.go). So no deletion on record is missing
// from the list; but a row is left over if the process dies right after it, or if two requests ask
// concurrently. Such a row names no deletion, or one that was requested at another time, and a page
// leaves it out. There are few of them, they cost a read each, and they go once the channel is gone.

// ListDeletion puts the deletion that a message asks for on the list of the user who asked. It may be
// called again.
func (s Steps) ListDeletion(ctx context.Context, m domain.Message) error {
	//lab: Put the deletion on the list of the user who asked.
	err := s.users.Transact(ctx, schema.UserPartition(m.RequestedBy), driver.Insert(schema.RequestedRow(m.RequestedOn, m.Ref())))
	if err != nil && !errors.Is(err, domain.ErrExists) {
		return fmt.Errorf("listing the deletion of channel %s: %w", m.Channel, err)
	}
	return nil
}

// List lists the deletions that a user asked for, the newest first. It reads up to
// limit rows of the list; a page has fewer deletions if some rows name none. A cursor of
// another list is an InvalidError on the field "after".
func (s *Deletions) List(ctx context.Context, user domain.UserName, after string, limit int) (asked driver.ListPage[domain.Deletion], err error) {
	list := driver.List{Name: "deletions of " + string(user), After: after, Limit: limit}
	var rows []driver.Entity
	var made time.Time
	err = s.fence.Concurrently(ctx, func(ctx context.Context) (err error) {
		rows, asked.Next, err = list.Read(ctx, s.users, schema.Requested.In(schema.UserPartition(user)))
		return err
	}, func(ctx context.Context) (err error) { made, err = s.fence.AccountSince(ctx, user); return err })
	if err != nil {
		return asked, err
	}
	asked.Items, err = concurrent.Gather(ctx, s.fence.Reads, rows, func(ctx context.Context, row driver.Entity) (domain.Deletion, bool, error) {
		d, named, err := s.listedDeletion(ctx, row)
		return d, named && askedBy(d, user, made), err
	})
	return asked, err
}

// listedDeletion returns the deletion that a row of a list names, and reports whether it does.
func (s *Deletions) listedDeletion(ctx context.Context, row driver.Entity) (d domain.Deletion, named bool, err error) {
	on, ref, err := schema.ParseRequestedRow(row.Row)
	if err != nil || !schema.LeadsToChannel(ref) {
		return domain.Deletion{}, false, nil // a later program may have other rows here
	}
	d, err = s.record(ctx, ref)
	if errors.Is(err, domain.ErrNotFound) {
		return domain.Deletion{}, false, nil
	}
	return d, d.RequestedOn.Equal(on), err
}
