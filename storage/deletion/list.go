package deletion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/optimistic"
	"microblogging/storage/page"
	"microblogging/storage/schema"
)

// Each deletion has a row in a partition of its channel. So that a user finds their
// deletions without a scan, an asked! row in the user's own partition of Users names each
// of them, with the time in its key, the newest first. It is inserted before the message is
// sent, and never changed. So no deletion that was accepted is missing from the list; but a
// row is left if the process dies right after it, or if two requests ask at once. Such a
// row names no deletion, or not by the time at which that was asked for. Whoever reads it
// leaves it out. They delete it once no request can be under way any more, unless the channel
// is still there: a message about it may wait for a worker.

// askedLifetime is how long a row that names no deletion is left alone.
const askedLifetime = time.Hour

// listDeletion puts the deletion that a message asks for on the list of whoever asked.
func (s *Deletions) listDeletion(ctx context.Context, m domain.Message) error {
	//lab: Put the deletion on the list of whoever asked.
	err := s.users.Transact(ctx, schema.UserPartition(m.By), driver.Insert(schema.AskedRow(m.AskedOn, m.Ref())))
	if err != nil && !errors.Is(err, domain.ErrExists) {
		return fmt.Errorf("listing the deletion of channel %s: %w", m.Channel, err)
	}
	return nil
}

// DeletionsOf lists the deletions that a user asked for, the newest first. It reads up to
// limit rows of the list; a page has fewer deletions if some rows name none. A cursor of
// another list is an InvalidError on the field "after".
func (s *Deletions) DeletionsOf(ctx context.Context, user domain.UserName, after string, limit int) (asked page.Of[domain.Deletion], err error) {
	list := page.List{Name: "deletions of " + string(user), After: after, Limit: limit}
	from, to := schema.Asked.Range()
	position, err := list.Position()
	if err != nil {
		return asked, err
	}
	if position != "" {
		from = max(from, schema.Successor(position))
	}
	rows, err := s.users.First(ctx, limit+1, driver.Range{Partition: schema.UserPartition(user), From: from, To: to})
	if err != nil {
		return asked, fmt.Errorf("deletions of %s: %w", user, err)
	}
	rows, asked.Next = page.Cut(list, rows, func(row driver.Entity) string { return row.Row })
	found := make([]domain.Deletion, len(rows))
	group, ctx := s.Group(ctx, flight.Points)
	for i, row := range rows {
		group.Go(func() (err error) {
			found[i], err = s.listedDeletion(ctx, row, user)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return page.Of[domain.Deletion]{}, err
	}
	asked.Items = slices.DeleteFunc(found, func(d domain.Deletion) bool { return d.Channel.Key == "" })
	return asked, nil
}

// listedDeletion returns the deletion that a row of a list names. It is zero if there is
// none.
func (s *Deletions) listedDeletion(ctx context.Context, row driver.Entity, user domain.UserName) (domain.Deletion, error) {
	on, ref, err := schema.ParseAskedRow(row.Row)
	if err != nil || !schema.LeadsToChannel(ref) {
		return domain.Deletion{}, nil // a later program may have other rows here
	}
	d, err := s.askedOn(ctx, ref, user, on)
	if err != nil || d.Channel.Key != "" || time.Since(on) < askedLifetime {
		return d, err
	}
	if _, err := s.ReadIncarnation(ctx, ref); !errors.Is(err, domain.ErrNotFound) {
		return domain.Deletion{}, err
	}
	// A deletion is recorded before its channel goes: now it is certain that there is none.
	if d, err = s.askedOn(ctx, ref, user, on); err != nil || d.Channel.Key != "" {
		return d, err
	}
	err = s.users.Transact(ctx, row.Partition, driver.Delete(row.Row, driver.Match(row.ETag)))
	if err != nil && !optimistic.Raced(err) {
		return domain.Deletion{}, fmt.Errorf("deletions of %s: %w", user, err)
	}
	return domain.Deletion{}, nil
}

// askedOn returns the deletion of a channel that a user asked for at that time. It is zero if
// there is none.
func (s *Deletions) askedOn(ctx context.Context, ref domain.ChannelRef, user domain.UserName, on time.Time) (domain.Deletion, error) {
	d, err := s.Deletion(ctx, ref, user)
	if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrForbidden) || err == nil && !d.RequestedOn.Equal(on) {
		return domain.Deletion{}, nil
	}
	return d, err
}
