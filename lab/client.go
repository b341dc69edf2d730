package lab

import (
	"context"
	"errors"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/worker"
)

// A Client is what an actor's code calls. Each call waits at the turnstile until
// the scheduler answers it.
type Client struct {
	// Tables and Queues are the backend; Store has the real operations on it.
	Tables driver.Tables
	Queues driver.Queues
	Store  *storage.Store
	// Given are the facts that the set-up of the scenario told.
	Given []Fact

	session *session
	// links and tokens are the sign-in links and the sessions that the actor has.
	links, tokens []string
}

// Tell records what the actor was told, or is about to do.
func (c *Client) Tell(f Fact) { c.session.tell(f) }

// The requests of clients, each as package web carries it out, and the worker. All
// are about one channel; one is enough, because a name has one channel at a time.
const (
	channelName domain.ChannelName = "News"
	channelKey  domain.ChannelKey  = "news"
	// aside is a channel that no actor touches. Its key starts with the key of the
	// other channel.
	aside domain.ChannelName = "News2"

	owner   domain.UserName = "olga"
	author  domain.UserName = "ann"
	visitor domain.UserName = "vera"
)

type body = func(ctx context.Context, c *Client)

// onChannel reads the channel, and goes on only if it can be read.
func onChannel(do func(ctx context.Context, c *Client, channel domain.Channel)) body {
	return func(ctx context.Context, c *Client) {
		if channel, err := c.Store.Channel(ctx, channelKey); err == nil {
			do(ctx, c, channel)
		}
	}
}

// create creates the channel.
func create(name domain.ChannelName, by domain.UserName) body {
	return func(ctx context.Context, c *Client) { c.create(ctx, name, by) }
}

func (c *Client) create(ctx context.Context, name domain.ChannelName, by domain.UserName) (domain.Channel, bool) {
	channel, err := domain.NewChannel(string(name), "", by)
	if err == nil {
		channel, err = c.Store.CreateChannel(ctx, channel)
	}
	switch {
	case err == nil:
		c.Tell(Fact{Kind: Created, Channel: channel.Ref()})
	case errors.Is(err, domain.ErrExists) && !errors.Is(err, domain.ErrStillDeleting):
		c.Tell(Fact{Kind: Taken, Channel: domain.ChannelRef{Key: channel.Key()}})
	}
	return channel, err == nil
}

// createOnce creates the channel with an idempotency key.
func createOnce(by domain.UserName, key string) body {
	return func(ctx context.Context, c *Client) {
		c.Tell(Fact{Kind: Creating, User: by, Key: key})
		channel, err := domain.NewChannel(string(channelName), "", by)
		if err == nil {
			channel, _, err = c.Store.CreateChannelOnce(ctx, channel, key, 0)
		}
		switch {
		case err == nil:
			c.Tell(Fact{Kind: Created, Channel: channel.Ref(), User: by, Key: key})
		case errors.Is(err, domain.ErrExists) && !errors.Is(err, domain.ErrStillDeleting):
			c.Tell(Fact{Kind: Taken, Channel: domain.ChannelRef{Key: channelKey}, User: by, Key: key})
		}
	}
}

// post posts to the channel. The idempotency key is also the text.
func post(by domain.UserName, key string) body {
	return onChannel(func(ctx context.Context, c *Client, channel domain.Channel) { c.post(ctx, channel, by, key) })
}

func (c *Client) post(ctx context.Context, channel domain.Channel, by domain.UserName, key string) {
	blog, made, err := c.Store.Post(ctx, storage.Posting{
		Channel: channel.Ref(), By: by, Key: key, Draft: domain.Draft{Text: key},
		CreatedOn: instant().Add(time.Duration(len(c.session.facts)) * time.Second),
	})
	c.answered(channel, by, key, storage.PostResult{Blog: blog, Made: made, Err: err})
}

// postAll posts to the channel several times with one request. Each idempotency key is
// also the text.
func postAll(by domain.UserName, keys ...string) body {
	return onChannel(func(ctx context.Context, c *Client, channel domain.Channel) {
		postings := make([]storage.Posting, len(keys))
		for i, key := range keys {
			postings[i] = storage.Posting{
				By: by, Key: key, Draft: domain.Draft{Text: key},
				CreatedOn: instant().Add(time.Duration(len(c.session.facts)+i) * time.Second),
			}
		}
		for i, r := range c.Store.PostAll(ctx, channel.Ref(), postings) {
			c.answered(channel, by, keys[i], r)
		}
	})
}

// answered tells what became of a posting.
func (c *Client) answered(channel domain.Channel, by domain.UserName, key string, r storage.PostResult) {
	switch {
	case r.Err == nil:
		c.Tell(Fact{Kind: Posted, Channel: channel.Ref(), Blog: r.Blog.ID, User: by, Key: key})
	case errors.Is(r.Err, domain.ErrPostGone):
	case errors.Is(r.Err, domain.ErrGone), errors.Is(r.Err, domain.ErrNotFound):
		c.Tell(Fact{Kind: Refused, Channel: channel.Ref()})
	}
}

// createAndPost creates the channel and posts to it at once.
func createAndPost(by domain.UserName, key string) body {
	return func(ctx context.Context, c *Client) {
		if channel, ok := c.create(ctx, channelName, by); ok {
			c.post(ctx, channel, by, key)
		}
	}
}

// given is the fact that the set-up told about a post.
func (c *Client) given(key string) Fact {
	at := slices.IndexFunc(c.Given, func(f Fact) bool { return f.Kind == Posted && f.Key == key })
	return c.Given[at]
}

// ask asks for the deletion of the channel, whichever incarnation it has.
func ask(ctx context.Context, c *Client) {
	c.Tell(Fact{Kind: Asking, Channel: domain.ChannelRef{Key: channelKey}})
	channel, err := c.Store.AskDeletion(ctx, channelKey, owner, domain.Any[domain.Incarnation]())
	if err == nil {
		c.Tell(Fact{Kind: Accepted, Channel: channel.Ref()})
	}
}

// repeat asks for the deletion of the channel again, as restore does with what a later
// record says. The record is of the channel that the actor reads first.
func repeat() body {
	return onChannel(func(ctx context.Context, c *Client, channel domain.Channel) {
		c.Tell(Fact{Kind: Asking, Channel: channel.Ref()})
		found, err := c.Store.RepeatDeletion(ctx, domain.Deletion{
			Channel: channel.Ref(), Name: channelName, RequestedBy: owner, RequestedOn: instant(),
		}.Message())
		if found && err == nil {
			c.Tell(Fact{Kind: Accepted, Channel: channel.Ref()})
		}
	})
}

// removePost deletes a post of the set-up.
func removePost(key string, by domain.UserName) body {
	return onChannel(func(ctx context.Context, c *Client, channel domain.Channel) {
		c.removePost(ctx, channel, c.given(key).Blog, by)
	})
}

func (c *Client) removePost(ctx context.Context, channel domain.Channel, id domain.BlogID, by domain.UserName) {
	if err := c.Store.DeleteBlog(ctx, channel, id, by, domain.Any[domain.Revision]()); err == nil {
		c.Tell(Fact{Kind: Removed, Channel: channel.Ref(), Blog: id})
	}
}

// removeNewest deletes the newest post, whoever wrote it.
func removeNewest(ctx context.Context, c *Client) {
	channel, err := c.Store.Channel(ctx, channelKey)
	if err != nil {
		return
	}
	page, err := c.Store.Blogs(ctx, channel.Ref(), storage.BlogQuery{Limit: 1})
	if err == nil && len(page.Items) > 0 {
		c.removePost(ctx, channel, page.Items[0].ID, owner)
	}
}

// edit replaces the text of a post of the set-up.
func edit(key, text string) body {
	return func(ctx context.Context, c *Client) {
		target := c.given(key)
		c.Tell(Fact{Kind: Editing, Blog: target.Blog})
		channel, err := c.Store.Channel(ctx, channelKey)
		if err != nil {
			return
		}
		_, err = c.Store.Edit(ctx, channel.Ref(), target.Blog, author, domain.Any[domain.Revision](), domain.Draft{Text: text})
		if err == nil {
			c.Tell(Fact{Kind: Edited, Channel: channel.Ref(), Blog: target.Blog, Key: text})
		}
	}
}

// vote votes on a post of the set-up.
func vote(key string, by domain.UserName) body {
	return func(ctx context.Context, c *Client) {
		target := c.given(key)
		c.Tell(Fact{Kind: Voting, Channel: target.Channel, Blog: target.Blog, User: by})
		if err := c.Store.Vote(ctx, target.Channel, target.Blog, by); err == nil {
			c.Tell(Fact{Kind: Voted, Channel: target.Channel, Blog: target.Blog, User: by})
		}
	}
}

// voteNewest is a vote of a set-up on the post that it just made. The facts that
// the set-up told have canonical names, which its own code does not know, so it
// reads the post.
func (c *Client) voteNewest(ctx context.Context, by domain.UserName) {
	channel, err := c.Store.Channel(ctx, channelKey)
	if err != nil {
		return // does not happen: nothing befalls a set-up
	}
	page, err := c.Store.Blogs(ctx, channel.Ref(), storage.BlogQuery{Limit: 1})
	if err == nil && len(page.Items) > 0 {
		_ = c.Store.Vote(ctx, channel.Ref(), page.Items[0].ID, by) // nothing befalls a set-up
	}
}

// unvote removes a vote.
func unvote(key string, by domain.UserName) body {
	return func(ctx context.Context, c *Client) {
		target := c.given(key)
		c.Tell(Fact{Kind: Unvoting, Channel: target.Channel, Blog: target.Blog, User: by})
		if err := c.Store.Unvote(ctx, target.Channel, target.Blog, by); err == nil {
			c.Tell(Fact{Kind: Unvoted, Channel: target.Channel, Blog: target.Blog, User: by})
		}
	}
}

// subscribe subscribes to the channel.
func subscribe(by domain.UserName) body {
	return onChannel(func(ctx context.Context, c *Client, channel domain.Channel) {
		c.Tell(Fact{Kind: Joining, Channel: channel.Ref(), User: by})
		if err := c.Store.Subscribe(ctx, channel, by); err == nil {
			c.Tell(Fact{Kind: Subscribed, Channel: channel.Ref(), User: by})
		}
	})
}

// unsubscribe ends a subscription.
func unsubscribe(by domain.UserName) body {
	return onChannel(func(ctx context.Context, c *Client, channel domain.Channel) {
		c.Tell(Fact{Kind: Leaving, Channel: channel.Ref(), User: by})
		if err := c.Store.Unsubscribe(ctx, channel.Ref(), by); err == nil {
			c.Tell(Fact{Kind: Left, Channel: channel.Ref(), User: by})
		}
	})
}

// accepting says which incarnations a request accepts from a user who has read this one.
type accepting func(read domain.ChannelRef) domain.ChannelAddress

// whatWasRead accepts the incarnation that was read and no other. Page forms do so.
func whatWasRead(read domain.ChannelRef) domain.ChannelAddress { return read.Address() }

// whateverIsThere accepts any incarnation.
func whateverIsThere(read domain.ChannelRef) domain.ChannelAddress {
	return domain.ChannelAddress{Key: read.Key, Expected: domain.Any[domain.Incarnation]()}
}

// stale reads the channel, and later sends a request that was made for what was read. It
// tells what the request was answered as an answer about that.
func stale(by domain.UserName, accept accepting, done Kind,
	send func(ctx context.Context, c *Client, now domain.Channel) (domain.BlogID, error),
) body {
	return onChannel(func(ctx context.Context, c *Client, read domain.Channel) {
		c.Tell(Fact{Kind: Read, Channel: read.Ref(), User: by})
		now, err := c.Store.ChannelAt(ctx, accept(read.Ref()))
		var id domain.BlogID
		if err == nil {
			id, err = send(ctx, c, now)
		}
		switch {
		case err == nil:
			c.Tell(Fact{Kind: done, Channel: read.Ref(), Blog: id, User: by})
		case errors.Is(err, domain.ErrGone), errors.Is(err, domain.ErrNotFound):
			c.Tell(Fact{Kind: Refused, Channel: read.Ref()})
		}
	})
}

// stalePost posts to the channel that was read before.
func stalePost(by domain.UserName, accept accepting) body {
	return stale(by, accept, Posted, func(ctx context.Context, c *Client, now domain.Channel) (domain.BlogID, error) {
		blog, _, err := c.Store.Post(ctx, storage.Posting{
			Channel: now.Ref(), By: by, Key: "stale", Draft: domain.Draft{Text: "stale"}, CreatedOn: instant()})
		return blog.ID, err
	})
}

// staleSubscribe subscribes to the channel that was read before.
func staleSubscribe(by domain.UserName, accept accepting) body {
	return stale(by, accept, Subscribed, func(ctx context.Context, c *Client, now domain.Channel) (domain.BlogID, error) {
		return "", c.Store.Subscribe(ctx, now, by)
	})
}

// inTurn runs bodies one after the other.
func inTurn(bodies ...body) body {
	return func(ctx context.Context, c *Client) {
		for _, do := range bodies {
			do(ctx, c)
		}
	}
}

// feed reads the subscriptions of a user, which removes those left half done.
func feed(by domain.UserName) body {
	return func(ctx context.Context, c *Client) {
		_, _ = c.Store.Subscriptions(ctx, by) // the laws look at what it leaves
	}
}

// work handles the message that the scheduler delivers.
func work(ctx context.Context, c *Client) {
	messages, err := c.Store.Messages().Receive(ctx, 1, WorkerOptions().Lease)
	if err != nil {
		return
	}
	for _, m := range messages {
		if asked, err := domain.DecodeMessage(m.Text); err == nil {
			c.Tell(Fact{Kind: Handling, Channel: asked.Ref()})
		}
		// Its outcome is in the store.
		err := worker.New(c.Store, WorkerOptions()).Handle(ctx, m)
		if asked, decodeErr := domain.DecodeMessage(m.Text); err == nil && decodeErr == nil && asked.Kind == domain.MessageBlog {
			c.Tell(Fact{Kind: Handled, Channel: asked.Ref(), Blog: asked.Blog})
		}
	}
}

// reconcile is one reconciling pass that takes every deletion for stalled.
func reconcile(ctx context.Context, c *Client) {
	_, _ = c.Store.Reconcile(ctx, 0, time.Now()) // its outcome is in the store
}
