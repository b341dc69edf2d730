package check

import (
	"context"
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/schema"
)

// readable is the invariant that a row says what its kind must say (package schema). No operation
// writes a row that breaks it. So one that does was changed by hand or by another program, and
// it must not keep a check from the other rows.
const readable = "readable"

// judge counts a row, and tells its kind and whether it can be compared with others. It reports
// one that cannot be. A repair deletes it, unless nothing says what it was, or it is a channel's:
// posts would be lost with that.
func (c *Checker) judge(ctx context.Context, table *driver.Table, row driver.Entity) (kind *schema.Kind, sound bool, err error) {
	c.counts.Rows++
	kind = schema.Of(table.Name(), row.Partition, row.Row)
	if kind == schema.Blog {
		c.counts.Blogs++
	}
	if why := unreadable(table.Name(), kind, row); why != "" {
		mend := deletes(ctx, table, row)
		if kind == nil || kind == schema.Channel || kind == schema.Account {
			mend = leave(leftUnknown)
		}
		return kind, false, c.violation(readable, table, row, why, mend)
	}
	if table == c.store.blogs {
		return kind, true, nil // it may be of another incarnation
	}
	return kind, true, c.fits(kind, table, row)
}

// unreadable tells why a row cannot be compared with others. It is empty if the row can be. One
// of no kind in Blogs can be: it belongs to an incarnation all the same.
func unreadable(table string, kind *schema.Kind, row driver.Entity) string {
	unusable := driver.CheckPartition(row.Partition) != nil || driver.CheckKey("row key", row.Row) != nil
	switch {
	case unusable, kind == nil && table != schema.TableBlogs:
		return schema.NoKind
	case kind == schema.Channel:
		return unreadableChannel(row)
	case kind == schema.Account:
		of := account.DecodeErasure(row)
		if _, err := domain.ParseIncarnation(string(of.ID)); err != nil && of.State != domain.AccountActive {
			return fmt.Sprintf("is being deleted by the request %q", of.ID)
		}
	case kind == schema.Sub, kind == schema.Join:
		user, _ := schema.SubscriberOf(row.Row)
		if parsed, err := domain.ParseUserName(string(user)); err != nil || parsed != user {
			return "names no user"
		}
	case kind == schema.Poison:
		if _, err := deletion.PoisonText(row); err != nil {
			return "holds a text that is not quoted"
		}
	}
	return ""
}

// fits reports a row of no kind, and one without a property that its kind has.
func (c *Checker) fits(kind *schema.Kind, table *driver.Table, row driver.Entity) error {
	if why := kind.Misfit(row.Properties); why != "" {
		return c.violation(readable, table, row, why, leave(leftUnknown))
	}
	return nil
}

// unreadableChannel says why a row of Channels leads to no channel.
func unreadableChannel(row driver.Entity) string {
	channel := fence.Decode(row).Channel
	_, err := domain.ParseIncarnation(string(channel.Incarnation))
	switch name := domain.ChannelName(row.Properties.String(schema.PropName)); {
	case schema.ChannelPartition(name.Key()) != row.Partition:
		return fmt.Sprintf("has the name %q, which has another key", name)
	case err != nil:
		return fmt.Sprintf("has the incarnation %q", channel.Incarnation)
	case !slices.Contains(schema.Channel.Words[schema.PropState], string(channel.State)):
		return fmt.Sprintf("is in the state %q", channel.State)
	}
	return ""
}
