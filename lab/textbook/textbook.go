// Package textbook is the naive version of the cascade, which package lab explores
// to show what goes wrong in it. A worker marks the channel, deletes its posts,
// deletes the channel, deletes the message and returns. A web role marks the channel
// before it queues the message. There are no incarnations and no gates, and nothing
// is read twice.
//
// It is no part of the product. The model checker must find its four anomalies, which
// the protocol of package domain prevents: A1 orphan post, A2 resurrection damage,
// A3 stuck intent, A4 self-conflict.
package textbook

import (
	"context"
	"errors"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
)

const (
	channels = "Channels"
	blogs    = "Blogs"
	news     = "news"

	active   = "active"
	deleting = "deleting"

	created  lab.Kind = "created"
	taken    lab.Kind = "the name is taken"
	posted   lab.Kind = "posted"
	asking   lab.Kind = "(asking)"
	accepted lab.Kind = "deletion accepted"
)

// backend is the store that the textbook version works on.
type backend struct{ driver.Backend }

func of(c *lab.Client) backend { return backend{c.Backend} }

func (b backend) table(name string) *driver.Table { return driver.NewTable(b, name) }

func (b backend) queue() *driver.Queue { return driver.NewQueue(b, domain.QueueName) }

func (b backend) write(ctx context.Context, table string, op driver.Operation) error {
	return b.table(table).Transact(ctx, news, op)
}

// create is a request to the web role: insert the row.
func (b backend) create(ctx context.Context) error {
	//lab: Insert the channel under its name.
	return b.write(ctx, channels, driver.Insert("", driver.String("State", active)))
}

// post is a request to the web role: read whether the channel is active, insert the
// post.
func (b backend) post(ctx context.Context, id domain.BlogID) error {
	//lab: Look whether the channel is there.
	row, err := b.table(channels).Get(ctx, news, "")
	if err != nil {
		return err
	}
	if row.Properties.String("State") != active {
		return domain.ErrGone
	}
	//lab: Insert the post, and ask for nothing else.
	return b.write(ctx, blogs, driver.Insert("blog!"+string(id)))
}

// ask is a request to the web role: mark, queue.
func (b backend) ask(ctx context.Context) error {
	if err := b.mark(ctx); err != nil {
		return err
	}
	//lab: Send a message to the workers.
	return b.queue().Send(ctx, news)
}

func (b backend) mark(ctx context.Context) error {
	//lab: Mark the channel that has the name, whichever it is, as being deleted.
	return b.write(ctx, channels, driver.Merge("", driver.Exists, driver.String("State", deleting)))
}

// work is the five steps of the worker.
func (b backend) work(ctx context.Context, m driver.Message) error {
	if err := b.mark(ctx); err != nil {
		return err
	}
	//lab: List the posts to delete, as they are at this moment.
	page, err := b.table(blogs).Range(ctx, driver.Range{Partition: news, Paging: driver.Paging{Limit: driver.MaxPage}})
	if err != nil {
		return err
	}
	for _, row := range page.Rows {
		//lab: Delete a post.
		if err := b.write(ctx, blogs, driver.Delete(row.Row, driver.Exists)); err != nil {
			return err
		}
	}
	//lab: Delete the channel that has the name, whichever it is.
	if err := b.write(ctx, channels, driver.Delete("", driver.Exists)); err != nil {
		return err
	}
	//lab: Take the message off the queue.
	return b.queue().Delete(ctx, m)
}

// The actors.

func fact(kind lab.Kind) lab.Fact { return lab.Fact{Kind: kind, Channel: domain.ChannelRef{Key: news}} }

func creator(ctx context.Context, c *lab.Client) {
	switch err := of(c).create(ctx); {
	case err == nil:
		c.Tell(fact(created))
	case errors.Is(err, domain.ErrExists):
		c.Tell(fact(taken))
	}
}

func poster(ctx context.Context, c *lab.Client) { post(ctx, c) }

// post reports whether the post was acknowledged.
func post(ctx context.Context, c *lab.Client) bool {
	id := domain.NewBlogID(time.Date(2001, time.January, 1, 0, 0, 0, 0, time.UTC))
	err := of(c).post(ctx, id)
	if err == nil {
		told := fact(posted)
		told.Blog = id
		c.Tell(told)
	}
	return err == nil
}

func asker(ctx context.Context, c *lab.Client) {
	c.Tell(fact(asking))
	if err := of(c).ask(ctx); err == nil {
		c.Tell(fact(accepted))
	}
}

func worker(ctx context.Context, c *lab.Client) {
	//lab: Take a message from the queue, if there is one.
	messages, err := of(c).queue().Receive(ctx, 1, time.Second)
	for _, m := range messages {
		err = errors.Join(err, of(c).work(ctx, m))
	}
	_ = err // the message shows up again
}
