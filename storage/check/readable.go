package check

import (
	"context"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/storage/channel"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// readable is the law that a row says what its kind must say (package schema). No operation
// writes a row that breaks it. So one that does was changed by hand or by another program, and
// it must not keep a check from the other rows.
const readable = "readable"

// leftUnknown is what a breach of it reports as Repaired if the row stays.
const leftUnknown = "left: nothing says what it was"

// judge counts a row, and tells its kind and whether it can be compared with others. It reports
// one that cannot be, and counts one of an earlier version as retired. A repair deletes a retired
// row, and one that no operation can ask for. It leaves the others: somebody may still know what
// they were.
func (c *Checker) judge(ctx context.Context, table *driver.Table, row driver.Entity) (kind *schema.Kind, sound bool, err error) {
	c.counts.Rows++
	kind = schema.Of(table.Name(), row.Partition, row.Row)
	if kind != nil && kind.Retired {
		c.counts.Retired++
		_, err := c.delete(ctx, table, row)
		return kind, false, err
	}
	flaw := unreadable(table.Name(), row)
	if flaw.why == "" {
		if table != c.store.blogs { // there, it may be of another incarnation
			c.fits(kind, table, row)
		}
		return kind, true, nil
	}
	breach := unfit(table, row, flaw.why)
	switch {
	case flaw.useless:
		breach.Repaired, err = c.delete(ctx, table, row)
	case c.Repair && table == c.store.channels:
		breach.Repaired = "left: its posts would be lost with it"
	case c.Repair:
		breach.Repaired = leftUnknown
	}
	if err == nil {
		c.Report(breach)
	}
	return kind, false, err
}

// fits reports a row of no kind, and one without a property that its kind has. It can still be
// compared with others.
func (c *Checker) fits(kind *schema.Kind, table *driver.Table, row driver.Entity) {
	why := misfit(kind, row.Properties)
	if why == "" {
		return
	}
	breach := unfit(table, row, why)
	if c.Repair {
		breach.Repaired = leftUnknown
	}
	c.Report(breach)
}

func unfit(table *driver.Table, row driver.Entity, why string) domain.Breach {
	return domain.Breach{Invariant: readable, Table: table.Name(), PartitionKey: row.Partition, RowKey: row.Row, Detail: why}
}

// A flaw is why a row cannot be read. Why is empty if it can.
type flaw struct {
	why string
	// useless says that no operation can ask for the row.
	useless bool
}

const noSuchKey = "has a key that no operation makes"

// unreadable tells what is wrong with a row by itself.
func unreadable(table string, row driver.Entity) flaw {
	if driver.CheckPartition(row.Partition) != nil || driver.CheckKey("row key", row.Row) != nil {
		return flaw{noSuchKey, table != schema.TableChannels}
	}
	user, subscribes := schema.SubscriberOf(row.Row)
	parsed, err := domain.ParseUserName(string(user))
	switch {
	case table == schema.TableChannels:
		return flaw{why: unreadableChannel(row)}
	case table == schema.TableBlogs && subscribes && (err != nil || parsed != user):
		return flaw{"names no user", true}
	case table == schema.TableSubscriptions || strings.HasPrefix(row.Partition, schema.OpenPrefix):
		if !schema.LeadsToChannel(schema.ParseRefRow(row.Row)) {
			return flaw{noSuchKey, true}
		}
	case row.Partition == schema.UnreadPartition:
		if _, _, err := deletion.UnreadText(row); err != nil {
			return flaw{"holds a text that is not quoted", true}
		}
	}
	return flaw{}
}

// misfit says which property a row should have and has not.
func misfit(kind *schema.Kind, properties driver.Properties) string {
	if kind == nil {
		return noSuchKey
	}
	var wrong []string
	for _, want := range kind.Properties {
		found := false
		for _, p := range properties {
			if p.Name != want.Name {
				continue
			}
			if found = true; p.Value.Kind() != want.Type {
				wrong = append(wrong, fmt.Sprintf("its %s is of another type", want.Name))
			}
		}
		if !found && !want.Optional {
			wrong = append(wrong, "it has no "+want.Name)
		}
	}
	return strings.Join(wrong, ", ")
}

// unreadableChannel says why a row of Channels leads to no channel.
func unreadableChannel(row driver.Entity) string {
	channel := channel.Decode(row).Channel
	_, err := domain.ParseIncarnation(string(channel.Incarnation))
	switch name := domain.ChannelName(row.Properties.String(schema.PropName)); {
	case name == "":
		return "has no name"
	case schema.ChannelPartition(name.Key()) != row.Partition:
		return fmt.Sprintf("has the name %q, which has another key", name)
	case err != nil:
		return fmt.Sprintf("has the incarnation %q", channel.Incarnation)
	case channel.State != domain.ChannelActive && channel.State != domain.ChannelDeleting:
		return fmt.Sprintf("is in the state %q", channel.State)
	}
	return ""
}
