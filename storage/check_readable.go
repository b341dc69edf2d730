package storage

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// readable is the law that a row says what its kind must say. No operation writes a row that
// breaks it. So one that does was changed by hand or by another program, and it must not keep a
// check from the other rows.
const readable = "readable"

// unreadableChannel says why a row of Channels cannot be read, or returns an empty reason.
func unreadableChannel(row driver.Entity) string {
	channel := decodeChannel(row).Channel
	_, err := domain.ParseIncarnation(string(channel.Incarnation))
	switch name := domain.ChannelName(row.Properties.String(propName)); {
	case unusableKey(row) || row.Row != singleRow:
		return noSuchKey
	case name == "":
		return "has no name"
	case partitionOf(name.Key()) != row.Partition:
		return fmt.Sprintf("has the name %q, which has another key", name)
	case err != nil:
		return fmt.Sprintf("has the incarnation %q", channel.Incarnation)
	case channel.State != domain.ChannelActive && channel.State != domain.ChannelDeleting:
		return fmt.Sprintf("is in the state %q", channel.State)
	}
	return ""
}

// unreadableRow is unreadableChannel for a row of Blogs.
func unreadableRow(row driver.Entity) string {
	user, namesUser := subscriberOf(row.Row)
	switch parsed, err := domain.ParseUserName(string(user)); {
	case unusableKey(row):
		return noSuchKey
	case namesUser && (err != nil || parsed != user):
		return "names no user"
	}
	return ""
}

// unreadableDeletion is unreadableChannel for a row of Deletions.
func unreadableDeletion(row driver.Entity) string {
	_, _, err := decodeUnread(row)
	switch {
	case unusableKey(row), isOpenPartition(row.Partition) && !leadsToChannel(parseOpenRow(row.Row)):
		return noSuchKey
	case row.Partition == unreadPartition && err != nil:
		return "holds a text that is not quoted"
	}
	return ""
}

const noSuchKey = "has a key that no operation makes"

// unusableKey tells whether a row has a key by which no operation can ask for it.
func unusableKey(row driver.Entity) bool {
	return driver.CheckPartition(row.Partition) != nil || driver.CheckKey("row key", row.Row) != nil
}

// leadsToChannel tells whether a channel can be asked for by this key.
func leadsToChannel(ref domain.ChannelRef) bool {
	return driver.CheckPartition(partitionOf(ref.Key)) == nil
}

// unread reports a row that cannot be read. A repair deletes it.
func (c *Checker) unread(ctx context.Context, table *driver.Table, row driver.Entity, why string) error {
	repaired, err := c.delete(ctx, table, row)
	if err != nil {
		return err
	}
	c.Report(domain.Breach{Invariant: readable, Table: table.Name(), PartitionKey: row.Partition, RowKey: row.Row, Detail: why, Repaired: repaired})
	return nil
}

// unreadChannel reports a row of Channels that cannot be read. A repair leaves it and all rows
// of its partition, because nothing says which of them are its own.
func (c *Checker) unreadChannel(row driver.Entity, why string) {
	breach := domain.Breach{Invariant: readable, Table: tableChannels, PartitionKey: row.Partition, RowKey: row.Row, Detail: why}
	if c.Repair {
		breach.Repaired = "left: its posts would be lost with it"
	}
	c.Report(breach)
}
