package deletion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A deletion leaves its record, and its row on the list of the user who asked. The lists of users may
// also keep entries about the channel that its sweep did not find: of a vote that was withdrawn, or of
// a post that never landed. No operation needs any of them once the channel is gone. Prune removes them,
// so that they do not accumulate: the records only after some time, because users read them.
//
// Prune removes nothing about a channel that is there. Once the channel of an incarnation is gone, it
// never comes back. (A delayed insert may bring back its row, but not its gate.) The same holds for the
// account that a request deletes. So what comes later about a deletion without a record does no harm:
//
//   - A message: a worker finds neither the record nor the channel, and takes the message off the queue
//     (RecordReceived). Otherwise it would write a record that is on no list and no index, and that says
//     running without end if the worker dies.
//   - A delayed duplicate of the insert of the record: it has the time of the request, so the next Prune
//     removes it.
//   - A worker that stalled while it handled a message: it finds no record to write, and goes on without.
//     (It is a premise that none stalls for the time keep just before it inserts the record. That would be
//     on no list until it is old again.)

// pruneFlight is the largest number of records that Prune looks at concurrently.
const pruneFlight = 8

// Prune removes the records that have not changed for the time keep and whose channel or account is
// gone. Then it removes the entries of users' lists that lead to channels that are gone, except that of
// a deletion with a record, and what names no channel on the lists of owners. It returns how many rows it removed; the next call removes what a failure has
// left. It reads Deletions and Users whole, and each channel to which a list leads, so a worker calls it
// once a day. Several may run concurrently.
//
// A restore cannot repeat a deletion without a record (repeat.go). So keep must be longer than the age of
// each backup that may be restored.
func (s Steps) Prune(ctx context.Context, keep time.Duration) (removed int, err error) {
	before := time.Now().Add(-keep)
	records, err := s.pruneRecords(ctx, before)
	entries, failed := s.pruneLists(ctx, before)
	if err = errors.Join(err, failed); err != nil {
		err = fmt.Errorf("removing what deletions have left: %w", err)
	}
	return records + entries, err
}

// pruneRecords removes the records that were last written before then, and whose channel or account is
// gone.
func (s Steps) pruneRecords(ctx context.Context, then time.Time) (int, error) {
	var removed atomic.Int64
	group := s.fence.Unbroken(pruneFlight)
	//lab: Read the records of all deletions.
	for row, err := range s.deletions.All(ctx, driver.Scan{}) {
		if err != nil {
			return int(removed.Load()), errors.Join(err, group.WaitAll())
		}
		isRecord := schema.Of(schema.TableDeletions, row.Partition, row.Row) == schema.Deletion && nameable(row)
		if !isRecord || row.Properties.Time(schema.PropUpdatedOn).After(then) {
			continue
		}
		group.Go(func() error {
			gone, err := s.gone(ctx, Decode(row).Channel)
			if err != nil || !gone {
				return err
			}
			//lab: Remove the record of the deletion.
			err = s.deletions.Transact(ctx, row.Partition, driver.Delete(row.Row, driver.Match(row.ETag)))
			if err == nil {
				removed.Add(1)
			}
			return optimistic.UnlessRaced(err)
		})
	}
	err := group.WaitAll()
	return int(removed.Load()), err
}

// gone reports whether there is no channel of this incarnation, in any state, or no account that this
// request deletes. Once an operation has named it, there will never be one again.
func (s Steps) gone(ctx context.Context, ref domain.ChannelRef) (bool, error) {
	var there bool
	var err error
	if user := ref.Key.AccountOf(); user == "" {
		_, err = s.fence.ReadIncarnation(ctx, ref)
		there = err == nil
	} else {
		entry, unread := s.accounts.Entry(ctx, user)
		err, there = unread, entry.Leaves(ref.Incarnation)
	}
	if errors.Is(err, domain.ErrNotFound) {
		err = nil
	}
	return !there, err
}

// pruneLists removes the entries of users' lists that lead to channels that are gone. One of a
// deletion that was requested after then stays, and so does one whose deletion has a record.
func (s Steps) pruneLists(ctx context.Context, then time.Time) (removed int, err error) {
	var owned []driver.Entity // of one user, and so are the entries
	var entries []listEntry   // at most as many as a transaction can remove
	prune := func() {
		n, failed := s.pruneEntries(ctx, entries)
		removed, err, entries = removed+n, errors.Join(err, failed), nil
		if len(owned) > 0 {
			n, failed = s.pruneOwned(ctx, domain.UserName(owned[0].Partition), owned)
			removed, err, owned = removed+n, errors.Join(err, failed), nil
		}
	}
	user := ""
	//lab: Read the lists of all users.
	for row, unread := range s.users.All(ctx, driver.Scan{}) {
		if unread != nil {
			return removed, errors.Join(err, unread)
		}
		if len(entries)+len(owned) == driver.MaxOperations || row.Partition != user {
			prune()
			user = row.Partition
		}
		switch e, leads := decodeListEntry(row); {
		case leads && !e.requestedOn.After(then):
			entries = append(entries, e)
		case schema.Owned.Has(row.Row) && nameable(row):
			owned = append(owned, row)
		}
	}
	prune()
	return removed, err
}

// A listEntry is a row of a user's list that leads to a channel. requestedOn is zero unless the list is that
// of deletions.
type listEntry struct {
	driver.Entity
	channel     domain.ChannelRef
	requestedOn time.Time
}

// decodeListEntry reports whether a row of Users is an entry that leads to an incarnation of a channel.
func decodeListEntry(row driver.Entity) (e listEntry, leads bool) {
	e.Entity = row
	switch schema.Of(schema.TableUsers, row.Partition, row.Row) {
	case schema.Requested:
		var err error
		if e.requestedOn, e.channel, err = schema.ParseRequestedRow(row.Row); err != nil {
			return e, false
		}
	case schema.Wrote, schema.Replied, schema.Voted:
		p := row.Properties
		e.channel = domain.ChannelRef{Key: domain.ChannelKey(p.String(schema.PropChannel)), Incarnation: domain.Incarnation(p.String(schema.PropIncarnation))}
	default:
		return e, false
	}
	return e, nameable(row) && schema.LeadsToChannel(e.channel)
}

// nameable reports whether an operation can name a row. No operation writes another, and a check reports it.
func nameable(row driver.Entity) bool {
	return cmp.Or(driver.CheckPartition(row.Partition), driver.CheckKey("row key", row.Row)) == nil
}

// pruneEntries removes those entries of one user that lead to no channel and to no record, and returns how
// many.
func (s Steps) pruneEntries(ctx context.Context, entries []listEntry) (removed int, err error) {
	var channels []domain.ChannelRef
	for _, e := range entries {
		if !slices.Contains(channels, e.channel) {
			channels = append(channels, e.channel)
		}
	}
	gone, err := concurrent.Gather(ctx, s.fence.Reads, channels, func(ctx context.Context, ref domain.ChannelRef) (domain.ChannelRef, bool, error) {
		gone, err := s.gone(ctx, ref)
		return ref, gone, err
	})
	if err != nil {
		return 0, err
	}
	dangling, err := concurrent.Gather(ctx, s.fence.Reads, entries, func(ctx context.Context, e listEntry) (driver.Entity, bool, error) {
		if !slices.Contains(gone, e.channel) {
			return e.Entity, false, nil
		}
		if e.requestedOn.IsZero() {
			return e.Entity, true, nil
		}
		//lab: Read whether the deletion on the list has a record.
		_, recorded, err := s.listedDeletion(ctx, e.Entity)
		return e.Entity, !recorded, err
	})
	if err != nil || len(dangling) == 0 {
		return 0, err
	}
	return s.accounts.RemoveRows(ctx, dangling)
}
