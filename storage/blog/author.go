package blog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// An author's posts are in the partitions of all channels that they post to. So each has a row in the
// author's own partition of Users, wrote!, which names it and its channel. The row is written
// before the post, because no transaction spans both: so no post is without its row. A row without
// its post is dangling. It is not shown, because code that shows the list reads each channel and post
// first.
//
// A dangling row may be of a post whose request is still in flight, however old the row is: nothing
// bounds how late a transaction takes effect behind an open gate. So it is removed only once its post
// can never appear again, and then by any process, at any time:
//
//   - The incarnation is being swept, so its gate is shut: the sweep removes the rows of its posts and
//     votes, and the next reader of the list those that it missed.
//   - Another post has the idempotency key: that row stays until the gate is gone.
//   - The post was there, and was deleted: the row of its key stays as well.
//   - Its author is refused: what the request has sent depends on a rule that was replaced (permit.go).
//
// Other dangling rows are of requests that died or failed before they posted. They are removed once the
// channel is gone: by the next reader of the list, or once a day (Prune of package deletion).
//
// The same holds for replies: replied! is written before the reply, which can never appear once its post is gone.
// And for votes: voted! is written before the vote, and stays when the user withdraws the vote. No
// vote lands on a post that is gone, so what removes a vote on it then removes that vote's row too.

// Lists are the lists of what users have written and voted on. They are safe for concurrent use.
type Lists struct {
	reads concurrent.Reads
	users *driver.Table
}

// ListPosts puts posts on the list of their author. It may be called again.
func (l *Lists) ListPosts(ctx context.Context, author domain.UserName, posts ...domain.Blog) error {
	rows := make([]driver.Operation, len(posts))
	for i, post := range posts {
		rows[i] = listing(schema.WroteRow(post.ID), post.Channel)
	}
	//lab: Put the posts on their author's list.
	return l.onList(ctx, author, rows)
}

// ListVote puts a post on the list of what a user votes on. It may be called again.
func (l *Lists) ListVote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error {
	//lab: Put the post on the list of what the user votes on.
	return l.onList(ctx, by, []driver.Operation{listing(schema.VotedRow(id), ref)})
}

// ListReply puts a reply on the list of its author. It may be called again.
func (l *Lists) ListReply(ctx context.Context, reply domain.Reply) error {
	//lab: Put the reply on its author's list.
	return l.onList(ctx, reply.UserID, []driver.Operation{listing(schema.RepliedRow(reply.Post, reply.ID), reply.Channel)})
}

func listing(row string, ref domain.ChannelRef) driver.Operation {
	return driver.Merge(row, driver.Upsert, driver.String(schema.PropChannel, ref.Key), driver.String(schema.PropIncarnation, ref.Incarnation))
}

// UnlistPosts takes posts of which none can land any more off the list of their author.
func (l *Lists) UnlistPosts(ctx context.Context, author domain.UserName, posts ...domain.Blog) error {
	rows := make([]string, len(posts))
	for i, post := range posts {
		rows[i] = schema.WroteRow(post.ID)
	}
	return l.Unlist(ctx, author, rows)
}

// Unlist takes rows off a user's lists. If another request has taken some of them off, the
// others may stay until the list is read again.
func (l *Lists) Unlist(ctx context.Context, user domain.UserName, rows []string) error {
	operations := make([]driver.Operation, len(rows))
	for i, row := range rows {
		operations[i] = driver.Delete(row, driver.Exists)
	}
	//lab: Take rows off the user's list.
	err := l.onList(ctx, user, operations)
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}

// unlistSwept takes the posts, replies and votes that a sweep is about to remove off the lists of their users. It
// may run late, when the name belongs to another channel, whose rows it leaves alone.
func (l *Lists) unlistSwept(ctx context.Context, ref domain.ChannelRef, rows []driver.Entity) error {
	return l.unlistAll(ctx, slices.DeleteFunc(slices.Clone(rows), func(row driver.Entity) bool {
		return row.Properties.String(schema.PropIncarnation) != string(ref.Incarnation)
	}))
}

// unlistAll takes posts, replies and votes off the lists of their users.
func (l *Lists) unlistAll(ctx context.Context, rows []driver.Entity) error {
	entries := map[domain.UserName][]string{}
	var users []domain.UserName
	for _, row := range rows {
		user, entry := ListedAs(row)
		if entry == "" {
			continue
		}
		if entries[user] == nil {
			users = append(users, user)
		}
		entries[user] = append(entries[user], entry)
	}
	group, ctx := l.reads.Group(ctx, concurrent.Points)
	for _, user := range users {
		group.Go(func() error {
			err := l.Unlist(ctx, user, entries[user])
			if errors.Is(err, domain.ErrLimit) {
				return nil // no user can have that name
			}
			return err
		})
	}
	return group.Wait()
}

// ListedAs returns the user on whose list a post, a reply or a vote is, and its row there. The row is empty if
// it is on none.
func ListedAs(row driver.Entity) (user domain.UserName, entry string) {
	switch {
	case schema.Vote.Has(row.Row):
		id := schema.VotedOn(row.Row)
		return domain.UserName(strings.TrimPrefix(row.Row, schema.VotesOf(id))), schema.VotedRow(id)
	case schema.Blog.Has(row.Row):
		user, entry = domain.UserName(row.Properties.String(schema.PropUserID)), schema.WroteRow(schema.BlogIDOf(row.Row))
	case schema.Reply.Has(row.Row):
		user, entry = domain.UserName(row.Properties.String(schema.PropUserID)), schema.Replied.Prefix()+strings.TrimPrefix(row.Row, schema.Reply.Prefix())
	}
	if user == domain.DeletedUser {
		entry = ""
	}
	return user, entry
}

// onList changes rows of a user's lists, up to 100 in a transaction.
func (l *Lists) onList(ctx context.Context, user domain.UserName, rows []driver.Operation) error {
	for some := range slices.Chunk(rows, driver.MaxOperations) {
		if err := l.users.Transact(ctx, schema.UserPartition(user), some...); err != nil {
			return fmt.Errorf("the lists of %s: %w", user, err)
		}
	}
	return nil
}
