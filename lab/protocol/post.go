package protocol

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The posts of a channel: made, edited, deleted.

const (
	// factPosted: the post is there.
	factPosted lab.Kind = "posted"
	// factRemoved: the post is gone.
	factRemoved lab.Kind = "post deleted"
	// factEdited: the text of the post is Key, unless another actor edits it.
	factEdited lab.Kind = "edited"
	// factEditing: the actor edits a post.
	factEditing lab.Kind = "(editing)"
)

// post posts to the channel. The idempotency key is also the text.
func post(by domain.UserName, key string) body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) { makePost(ctx, c, channel, by, key) })
}

func makePost(ctx context.Context, c *lab.Client, channel domain.Channel, by domain.UserName, key string) {
	blog, made, err := c.Store.Posts.Create(ctx, storage.NewPost{
		Channel: channel, By: by, Key: key, Draft: domain.Draft{Text: key},
		CreatedOn: c.Now(),
	})
	answered(c, channel, by, key, storage.PostResult{Blog: blog, Made: made, Err: err})
}

// postAll posts to the channel several times with one request. Each idempotency key is
// also the text.
func postAll(by domain.UserName, keys ...string) body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		posts := make([]storage.NewPost, len(keys))
		for i, key := range keys {
			posts[i] = storage.NewPost{
				By: by, Key: key, Draft: domain.Draft{Text: key},
				CreatedOn: c.Now().Add(time.Duration(i) * time.Second),
			}
		}
		for i, r := range c.Store.Posts.CreateAll(ctx, channel, posts) {
			answered(c, channel, by, keys[i], r)
		}
	})
}

// answered tells what became of a request to post.
func answered(c *lab.Client, channel domain.Channel, by domain.UserName, key string, r storage.PostResult) {
	switch {
	case r.Err == nil:
		c.Tell(lab.Fact{Kind: factPosted, Channel: channel.Ref(), Blog: r.Blog.ID, User: by, Key: key})
	case errors.Is(r.Err, domain.ErrForbidden):
		c.Tell(lab.Fact{Kind: factForbidden, Channel: channel.Ref(), User: by, Key: key})
	case errors.Is(r.Err, domain.ErrPostGone):
	case errors.Is(r.Err, domain.ErrGone), errors.Is(r.Err, domain.ErrNotFound):
		c.Tell(lab.Fact{Kind: factRefused, Channel: channel.Ref()})
	}
}

// given is the fact that the set-up told about a post.
func given(c *lab.Client, key string) lab.Fact {
	at := slices.IndexFunc(c.Given, func(f lab.Fact) bool { return f.Kind == factPosted && f.Key == key })
	return c.Given[at]
}

// removePost deletes a post of the set-up.
func removePost(key string, by domain.UserName) body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		deletePost(ctx, c, channel, given(c, key).Blog, by)
	})
}

func deletePost(ctx context.Context, c *lab.Client, channel domain.Channel, id domain.BlogID, by domain.UserName) {
	err := c.Store.Posts.Delete(ctx, channel, id, domain.By(by), domain.Any[domain.Revision]())
	acknowledged(c, err, lab.Fact{Kind: factRemoved, Channel: channel.Ref(), Blog: id})
}

// removeNewest deletes the newest post, of any author.
func removeNewest(ctx context.Context, c *lab.Client) {
	onNewest(func(ctx context.Context, c *lab.Client, channel domain.Channel, post domain.Blog) {
		deletePost(ctx, c, channel, post.ID, owner)
	})(ctx, c)
}

// onNewest reads the channel and its newest post, and goes on only if both can be read.
func onNewest(do func(ctx context.Context, c *lab.Client, channel domain.Channel, post domain.Blog)) body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		page, err := c.Store.Posts.List(ctx, channel.Ref(), storage.BlogQuery{Limit: 1})
		if err == nil && len(page.Items) > 0 {
			do(ctx, c, channel, page.Items[0])
		}
	})
}

// edit replaces the text of a post of the set-up.
func edit(key, text string) body {
	return func(ctx context.Context, c *lab.Client) {
		target := given(c, key)
		c.Tell(lab.Fact{Kind: factEditing, Blog: target.Blog})
		channel, err := c.Store.Channels.Get(ctx, channelKey.Address())
		if err != nil {
			return
		}
		_, err = c.Store.Posts.Update(ctx, channel, target.Blog, author, domain.Any[domain.Revision](), domain.Draft{Text: text})
		acknowledged(c, err, lab.Fact{Kind: factEdited, Channel: channel.Ref(), Blog: target.Blog, Key: text})
	}
}

// postStays: an acknowledged post can be read until a user asks for its deletion.
func postStays(v lab.View, k lab.Known, violation violating) {
	if askedBlog(v, k.Blog) || doomed(v, k.Channel) {
		return
	}
	_, there := blogRow(v.DB, k.Channel, k.Blog)
	violation.when(!there || !asked(v, k.Channel) && !live(v.DB, k.Channel), "I3", "an acknowledged post is gone, and no user asked for that")
}

func postIsGone(v lab.View, k lab.Known, violation violating) {
	if _, there := blogRow(v.DB, k.Channel, k.Blog); there {
		violation("I3", "a post can be read, and its deletion was acknowledged")
	}
}

func editStays(v lab.View, k lab.Known, violation violating) {
	row, there := blogRow(v.DB, k.Channel, k.Blog)
	if there && row.String("Text") != k.Key && editors(v, k.Blog) == 1 {
		violation("I3", "an acknowledged edit is lost: the post reads %q", row.String("Text"))
	}
}

// postedOnce is I7. In the lab, requests with the same key have the same text,
// and no others do.
func postedOnce(_ context.Context, _ Shipped, _ *crew, v lab.View, violation violating) {
	answeredTwice(v, factPosted, "posts", violation, func(f lab.Fact) (request, answer string) {
		return string(f.Channel.Incarnation) + "!" + string(f.User) + "!" + f.Key, string(f.Blog)
	})
	texts := map[string]bool{}
	for row := range v.DB.Rows(schema.TableBlogs) {
		if !strings.HasPrefix(row.Row, "blog!") {
			continue
		}
		key := row.Partition + "!" + row.Properties.String("UserId") + "!" + row.Properties.String("Text")
		violation.when(texts[key], "I7", "one idempotency key made two posts")
		texts[key] = true
	}
}

func editors(v lab.View, id domain.BlogID) int {
	return v.Count(factEditing, func(k lab.Known) bool { return k.Blog == id })
}

func blogRow(db mem.Snapshot, ref domain.ChannelRef, id domain.BlogID) (driver.Properties, bool) {
	row, err := db.Get(schema.TableBlogs, string(ref.Key), "blog!"+string(id))
	return row.Properties, err == nil && row.Properties.String("Incarnation") == string(ref.Incarnation)
}

// posts are made, edited and deleted.
func posts() subject {
	// Both rows that a post of another user requires: the gate, and the rule that allows it. Either is enough against a
	// sweep that has ended.
	unfenced := leavingOut(driver.ActionMerge, "gate!open!", "posting!")
	withoutOnce := leavingOut(driver.ActionInsert, "once!")
	return subject{
		scenarios: []lab.Scenario{
			{Name: "post", About: "a user posts while the channel is being deleted",
				Faults: 2, Setup: news("old"), Actors: []lab.Actor{{Name: "ann", Run: post(author, "new")}, {Name: "olga", Run: ask}, worker1()}},
			{Name: "post-own", About: "an owner posts on one device while they delete the channel on another",
				Faults: 2, DelayedCalls: anything, Preemptions: 2, Setup: queued("old"),
				Actors: []lab.Actor{{Name: "olga", Run: post(owner, "new")}, worker1()}},
			{Name: "batch-sweep", About: "two posts are made with one request, one of them not for the first time, while the channel is being deleted",
				Faults: 2, Setup: queued("old"), Actors: []lab.Actor{{Name: "ann", Run: postAll(author, "old", "new")}, worker1()}},
			{Name: "edit-sweep", About: "one post is edited and another deleted under the sweep",
				Faults: 2, DelayedCalls: anything, Setup: queued("one", "two"),
				Actors: []lab.Actor{{Name: "ann", Run: edit("one", "other")}, {Name: "olga", Run: removePost("two", owner)}, worker1()}},
			{Name: "one-key", About: "a request to post is sent twice with one idempotency key while the post is deleted",
				Faults: 3, DelayedCalls: anything, Setup: news(),
				Actors: []lab.Actor{
					{Name: "ann", Run: post(author, "new")}, {Name: "ann2", Run: post(author, "new"), After: "ann"},
					{Name: "olga", Run: removeNewest},
				}},
			{Name: "batch", About: "a request to make two posts is sent twice, while one of their keys is used elsewhere and a post is deleted",
				Faults: 1, DelayedCalls: anything, Setup: news(),
				Actors: []lab.Actor{
					{Name: "ann", Run: postAll(author, "one", "two")}, {Name: "ann2", Run: postAll(author, "one", "two"), After: "ann"},
					{Name: "ann3", Run: post(author, "two")}, {Name: "olga", Run: removeNewest},
				}},
			{Name: "edit-vote", About: "a post is edited, voted on and deleted",
				Faults: 2, Preemptions: 2, Setup: news("old"),
				Actors: []lab.Actor{
					{Name: "ann", Run: edit("old", "other")}, {Name: "vera", Run: vote("old", visitor)},
					{Name: "olga", Run: removePost("old", owner)}, worker1(),
				}},
		},
		ablations: []ablation{
			ablate("open-gate", "post", "The open gate", "TransactIfOpen: driver.Merge(schema.OpenGateRow(ref.Incarnation), driver.Exists)",
				"A post merges the open gate in its own transaction, so a post that comes too late is refused; here it does not require the posting rule either.",
				always(unfenced), unharmed),
			ablate("own-gate", "post-own", "The gate alone", "TransactIfOpen: driver.Merge(schema.OpenGateRow(ref.Incarnation), driver.Exists)",
				"An owner's post does not require the posting rule, so the open gate is all that refuses it when it comes too late.",
				always(leavingOut(driver.ActionMerge, "gate!open!")), unharmed, unbounded),
			ablate("once", "one-key", "The key of a post", "newRows: driver.Insert(a.once(),",
				"A post inserts a row for its idempotency key, so the same form sent twice makes one post.",
				always(withoutOnce), unharmed),
			ablate("batch-gate", "batch-sweep", "The gate, each time", "(*Posts).postBatch: err := s.permitted(ctx, p,",
				"If a key of a batch was used before, what is left is sent again behind the open gate, so it cannot land after the channel was deleted meanwhile.",
				only("ann", afterRefusal(unfenced)), unharmed),
			ablate("batch-once", "batch", "The keys, each time", "newRows: driver.Insert(a.once(),",
				"If a key of a batch was used before, what is left is sent again with the rows of its keys, so the same batch sent twice makes each post once.",
				only("ann", afterRefusal(withoutOnce)), unharmed),
		},
		told:     map[lab.Kind]invariant{factPosted: outlived(postStays), factRemoved: postIsGone, factEdited: editStays},
		recalled: []lab.Kind{factPosted, factRemoved, factEdited},
		rest:     []demand{postedOnce},
	}
}

// afterRefusal changes the calls that follow a transaction whose row was there before.
func afterRefusal(inner func() driver.Around) func() driver.Around {
	return func() driver.Around {
		refused, then := false, inner()
		return func(ctx context.Context, c *driver.Call, next following) error {
			if refused {
				return then(ctx, c, next)
			}
			err := next(ctx)
			refused = c.Method == driver.CallTransact && errors.Is(err, domain.ErrExists)
			return err
		}
	}
}
