package channel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/schema"
)

// A RowsQuery asks for the rows behind the name of a channel, as they are in the store.
type RowsQuery struct {
	Key domain.ChannelKey
	// By is who asks. Everybody says that they may see the rows of any channel.
	By        domain.UserName
	Everybody bool
	// After is the cursor of the page before.
	After string
	Limit int

	// made is when the account of By was made.
	made time.Time
}

// ChannelRows are the rows behind the name of a channel. The parts are read one after
// another, and are no snapshot together.
type ChannelRows struct {
	// Channel is the channel that has the name, in any state. It is zero if none has.
	Channel domain.Channel
	// Channels is the row of the channel, if there is one.
	Channels []driver.Entity
	// Deletions are the rows of the channel's deletion; if none has the name, of each that had it. They are at
	// most MaxShownDeletions.
	Deletions []driver.Entity
	// Deletion is the first of Deletions. It is zero if there is none.
	Deletion domain.Deletion
	// Gates are all gate rows of the partition.
	Gates []driver.Entity
	// Rows is the page of the partition, in key order.
	Rows []driver.Entity
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
	// Messages are those about the channel among the messages that a peek shows. A
	// message under a lease is not among them.
	Messages []QueuedMessage
}

// A QueuedMessage is a message that is visible on the queue.
type QueuedMessage struct {
	ID, Text   string
	Deliveries int64
	domain.Message
}

const (
	// MaxShownDeletions bounds the rows of Deletions, of which a name that was deleted
	// often has many.
	MaxShownDeletions = 20
	// maxShownGates bounds the gates: one, and reservations of creations that died.
	maxShownGates = 20
)

// Rows reads the rows behind the name of a channel. It makes six requests, however many
// rows there are: first for the channel and the account, and then the others concurrently. Only the owner may see
// the rows of a channel, except those that name a user whose account is being deleted. If no channel has the
// name, the user who asked for a deletion may see what is left of it. Any other user is domain.ErrForbidden, or
// domain.ErrNotFound if there is no channel. A cursor of another list is an InvalidError.
func (s *Channels) Rows(ctx context.Context, q RowsQuery) (rows ChannelRows, err error) {
	defer func() {
		if err != nil {
			rows, err = ChannelRows{}, fmt.Errorf("rows of channel %s: %w", q.Key, err)
		}
	}()
	list := driver.List{Name: "rows " + string(q.Key), After: q.After, Limit: q.Limit}
	from, err := list.From("")
	if err != nil {
		return rows, err
	}
	var row driver.Entity
	err = s.fence.Concurrently(ctx, func(ctx context.Context) (err error) {
		row, err = s.channels.Find(ctx, schema.ChannelPartition(q.Key), schema.SingleRow)
		return err
	}, func(ctx context.Context) (err error) {
		if q.By != "" {
			q.made, err = s.fence.AccountSince(ctx, q.By)
		}
		return err
	})
	switch {
	case err != nil:
		return rows, err
	case row.Found():
		rows.Channel = fence.Decode(row).Channel
		rows.Channels = []driver.Entity{row}
	}
	owns := q.Everybody || q.is(rows.Channel.Owner, rows.Channel.CreatedOn)
	if !owns && row.Found() { // it is another's
		return rows, domain.ErrForbidden
	}
	var gates, found []driver.Entity
	read := func(into *[]driver.Entity, table *driver.Table, n int, from, to string) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			*into, err = table.First(ctx, n, driver.Range{Partition: schema.ChannelPartition(q.Key), From: from, To: to})
			return err
		}
	}
	of := string(rows.Channel.Incarnation)
	var messages []driver.Message
	err = s.fence.Concurrently(ctx,
		read(&rows.Deletions, s.records, MaxShownDeletions, of, schema.PrefixEnd(of)),
		read(&gates, s.blogs, maxShownGates, schema.GatePrefix, schema.PrefixEnd(schema.GatePrefix)),
		read(&found, s.blogs, q.Limit+1, from, ""),
		func(ctx context.Context) (err error) {
			messages, err = s.queue.Peek(ctx, driver.MaxReceive)
			return err
		})
	if err != nil {
		return rows, err
	}
	if !owns {
		if rows.Deletions = q.askedFor(rows.Deletions); len(rows.Deletions) == 0 {
			return rows, domain.ErrNotFound
		}
	}
	if len(rows.Deletions) > 0 {
		rows.Deletion = deletion.Decode(rows.Deletions[0])
	}
	rows.Gates = s.visible(q, &rows, gates)
	found, rows.Next = driver.Cut(list, found, driver.RowKey)
	rows.Rows = s.visible(q, &rows, found)
	rows.Messages = s.visibleMessages(q, &rows, messages)
	if len(rows.Channels)+len(rows.Deletions)+len(rows.Gates)+len(rows.Rows)+len(rows.Messages) == 0 {
		return rows, domain.ErrNotFound
	}
	return rows, nil
}

// is reports whether the account that asks is the one that had the name at that time.
func (q RowsQuery) is(user domain.UserName, on time.Time) bool {
	return q.By != "" && user == q.By && !domain.OfFormerAccount(on, q.made)
}

// askedFor keeps the rows of the channels whose deletion the user asked for.
func (q RowsQuery) askedFor(rows []driver.Entity) []driver.Entity {
	return slices.DeleteFunc(rows, func(row driver.Entity) bool {
		d := deletion.Decode(row)
		return !q.is(d.RequestedBy, d.RequestedOn)
	})
}

// visible keeps the rows that may be shown: those of the channel as it was read, or, if it
// is gone, as it was. By now another user may have created a channel of its name.
func (s *Channels) visible(q RowsQuery, rows *ChannelRows, found []driver.Entity) []driver.Entity {
	if q.Everybody {
		return found
	}
	of := cmp.Or(rows.Channel.Incarnation, rows.Deletion.Channel.Incarnation)
	return slices.DeleteFunc(found, func(row driver.Entity) bool {
		return row.Properties.String(schema.PropIncarnation) != string(of) || s.namesLeaving(row)
	})
}

// namesLeaving reports whether a row names a user whose account is being deleted. A post has its author as a
// property; the key of a vote and of a subscriber ends in the user.
func (s *Channels) namesLeaving(row driver.Entity) bool {
	last := row.Row[strings.LastIndexByte(row.Row, '!')+1:]
	return s.fence.Leaving.Has(domain.UserName(last)) || s.fence.Leaving.Has(domain.UserName(row.Properties.String(schema.PropUserID)))
}

// visibleMessages are those about the channel that may be shown: to its owner those about this
// incarnation, and to a user those that they have sent.
func (s *Channels) visibleMessages(q RowsQuery, rows *ChannelRows, messages []driver.Message) (visible []QueuedMessage) {
	for _, m := range messages {
		decoded, err := domain.DecodeMessage(m.Text)
		if err != nil || decoded.Channel != q.Key {
			continue // a message that cannot be read is of no channel
		}
		// To a user who is not the owner, rows.Channel is the zero channel.
		mine := q.is(decoded.RequestedBy, decoded.RequestedOn)
		if !q.Everybody && !mine && (decoded.Incarnation != rows.Channel.Incarnation || s.fence.Leaving.Has(decoded.RequestedBy)) {
			continue
		}
		visible = append(visible, QueuedMessage{ID: m.ID, Text: m.Text, Deliveries: m.Deliveries, Message: decoded})
	}
	return visible
}
