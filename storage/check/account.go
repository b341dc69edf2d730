package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/blog"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/reader"
	"microblogging/storage/schema"
)

// checkUsers reads Users and Subscriptions side by side, both in the order of users. So it meets
// what a user has together with the account, whose row comes first.
func (c *Checker) checkUsers(ctx context.Context) error {
	var of domain.Erasure
	err := sideBySide(ctx, c.store.users, c.store.subscriptions, func(table *driver.Table, row driver.Entity) error {
		kind, sound, err := c.judge(ctx, table, row)
		switch {
		case err != nil || !sound:
			return err
		case kind == schema.Account:
			of = account.DecodeErasure(row)
			return c.checkErasure(ctx, row)
		case of.State == domain.AccountGone && string(of.User) == row.Partition:
			return c.outlived(ctx, table, kind, row)
		case kind == schema.Subscription:
			return c.repairSubscription(ctx, row)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("checking the users: %w", err)
	}
	return nil
}

// outlived handles a row of a user whose account is gone. If what the row names is there, that is
// I12, and the row stays, since it leads there. Otherwise a delayed duplicate of a request has left the row:
// it is no violation, and a repair deletes it.
//
// The account is read again after what the row names, because another user may have the name by now.
func (c *Checker) outlived(ctx context.Context, table *driver.Table, kind *schema.Kind, row driver.Entity) error {
	in, named, err := c.named(ctx, kind, row)
	if err != nil {
		return err
	}
	of, err := c.erasureOf(ctx, domain.UserName(row.Partition))
	switch {
	case err != nil || of.State != domain.AccountGone:
		return err
	case named.Row == "":
		return c.drop(ctx, table, row)
	}
	now, err := c.store.ReadIncarnation(ctx, in)
	if err != nil || now.State != domain.ChannelActive {
		return unlessAbsent(err) // a sweep removes it
	}
	return c.ofNobody(ctx, in, named, of)
}

// named reads what a row of a user's names in a channel, if it is theirs: a post, a reply, a vote or a
// subscriber, or the open gate of a channel. Otherwise it returns an empty row.
func (c *Checker) named(ctx context.Context, kind *schema.Kind, row driver.Entity) (in domain.ChannelRef, named driver.Entity, err error) {
	user, at := domain.UserName(row.Partition), ""
	switch kind {
	case schema.Wrote:
		ref, id, _ := reader.Listed(kind, row)
		in, at = ref, schema.BlogRow(id)
	case schema.Replied:
		ref, key, _ := reader.Listed(kind, row)
		in, at = ref, schema.ReplyRow(schema.ParseReply(string(key)))
	case schema.Voted:
		ref, id, _ := reader.Listed(kind, row)
		in, at = ref, schema.VoteRow(id, user)
	case schema.Subscription:
		in, at = schema.ParseRefRow(row.Row), schema.SubRow(user)
	case schema.Owned:
		//lab: Read whose channel has the name.
		channel, err := c.store.ReadChannel(ctx, schema.OwnedKey(row.Row))
		if err != nil || channel.Owner != user {
			return in, named, unlessAbsent(err)
		}
		in, at = channel.Ref(), schema.OpenGateRow(channel.Incarnation)
	default:
		return in, named, nil
	}
	//lab: Read what a row of the user's names in a channel.
	named, err = c.store.blogs.Get(ctx, schema.ChannelPartition(in.Key), at)
	p := named.Properties // none, if the row cannot be read
	if p.String(schema.PropIncarnation) != string(in.Incarnation) || (kind == schema.Wrote || kind == schema.Replied) && p.String(schema.PropUserID) != string(user) {
		named = driver.Entity{}
	}
	return in, named, unlessAbsent(err)
}

// unlessAbsent is no error if a row is not there, or if no operation can name it.
func unlessAbsent(err error) error {
	if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrLimit) {
		return nil
	}
	return err
}

// ofNobody is I12: it reports a row of an active channel that is of a user whose account is gone. Of a
// channel of theirs, the row is the open gate. A repair removes it as the deletion of the account
// would have.
func (c *Checker) ofNobody(ctx context.Context, in domain.ChannelRef, row driver.Entity, of domain.Erasure) error {
	if schema.OpenGate.Has(row.Row) {
		channels := driver.Entity{Partition: row.Partition, Row: schema.SingleRow}
		return c.violation("I12", c.store.channels, channels, "its owner’s account is gone", func() (string, error) {
			return "queued", c.store.EraseChannel(ctx, in.Key, of.User)
		})
	}
	return c.violation("I12", c.store.blogs, row, "of a user whose account is gone", func() (_ string, err error) {
		switch {
		case schema.Vote.Has(row.Row):
			err = c.store.Unvote(ctx, in, schema.VotedOn(row.Row), of.User)
		case schema.Reply.Has(row.Row):
			reply := blog.DecodeReply(row)
			err = c.store.EraseReply(ctx, in, reply.Post, reply.ID, of.User, of.KeepPosts)
		case schema.Sub.Has(row.Row):
			err = c.store.Subscriptions.Delete(ctx, in, of.User)
		default:
			err = c.store.EraseBlog(ctx, in, schema.BlogIDOf(row.Row), of.User, of.KeepPosts, func(int) {})
		}
		if err != nil {
			return "", err
		}
		if still, err := optimistic.Unchanged(ctx, c.store.blogs, row); err != nil || still {
			return "", errors.Join(err, fence.ErrGateGone) // which leaves it to a sweep
		}
		return "deleted", nil
	})
}

// checkErasure is I5: the deletion of an account is recorded, or it can be undone and is on the index of open
// deletions, from which a pass records it.
//
// The index is read before the record, and the account again after both. A pass takes the deletion off
// the index only once the record says that it is over or poisoned, and the record says that it is over
// only once the account's row has changed.
func (c *Checker) checkErasure(ctx context.Context, row driver.Entity) error {
	of := account.DecodeErasure(row)
	if of.State != domain.AccountPending && of.State != domain.AccountErasing {
		return nil
	}
	//lab: Read whether the deletion of the account is on the index.
	index, err := c.store.deletions.Find(ctx, schema.OpenPartition(of.Ref().Key), schema.RefRow(of.Ref()))
	if err != nil {
		return err
	}
	//lab: Read whether the deletion of the account is recorded.
	record, err := c.store.deletions.Find(ctx, schema.ChannelPartition(of.Ref().Key), schema.DeletionRow(of.ID))
	if err != nil || record.Found() && !deletion.Decode(record).Over() || of.State == domain.AccountPending && !record.Found() && index.Found() {
		return err
	}
	if still, err := optimistic.Unchanged(ctx, c.store.users, row); err != nil || !still {
		return err
	}
	return c.violation("I5", c.store.users, row, "being deleted, and no deletion is recorded", func() (string, error) {
		message := of.Message()
		if of.State == domain.AccountPending && message.Due().After(time.Now()) {
			return "indexed", c.store.RenewOpen(ctx, of.Ref(), message.Due())
		}
		err := c.store.RecordDeletion(ctx, message)
		if err == nil {
			err = c.store.Enqueue(ctx, message)
		}
		return "queued", err
	})
}

// erasureOf is what the row of an account says about its deletion.
func (c *Checker) erasureOf(ctx context.Context, user domain.UserName) (domain.Erasure, error) {
	row, err := c.account(ctx, user)
	return account.DecodeErasure(row), err
}

// account reads the row of an account. It is empty if there is none.
func (c *Checker) account(ctx context.Context, user domain.UserName) (driver.Entity, error) {
	//lab: Read the state of the account.
	row, err := c.store.users.Get(ctx, schema.UserPartition(user), schema.SingleRow)
	return row, unlessAbsent(err)
}
