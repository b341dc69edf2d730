package protocol

import (
	"context"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage"
	"microblogging/storage/channel"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The newest posts of all channels, which are found by the index of active channels.

// factLatest: the actor was shown the newest posts on Page: of each the id, the incarnation of its
// channel and its text. It is the answer to what it was looking for.
const factLatest lab.Kind = "(latest)"

// latestLimit is more posts than there are.
const latestLimit = 10

// lookAtLatest looks at the newest posts twice, in one process.
func lookAtLatest(ctx context.Context, c *lab.Client) {
	var expected []domain.ChannelRef
	looking(2, func(ctx context.Context, c *lab.Client, kept shelf) (lab.Fact, error) {
		page, err := readLatest(ctx, c, kept, &expected)
		return lab.Fact{Kind: factLatest, Page: page, Words: lab.Count(strings.Count(page, "\n"), "post")}, err
	})(ctx, c)
}

// readLatest reads them as package web does, a line for each post. Expected are the channels that
// were active when the process looked last.
func readLatest(ctx context.Context, c *lab.Client, kept shelf, expected *[]domain.ChannelRef) (string, error) {
	active, err := c.Store.Feeds.Active(ctx, "", *expected)
	if err != nil {
		return "", err
	}
	*expected = nil
	for _, channel := range active.Channels {
		*expected = append(*expected, channel.Ref())
	}
	page, err := channel.ReadCachedAt(ctx, kept, domain.Channel{}, active.Version, "latest",
		func(ctx context.Context, _ domain.Channel, _ channel.Version) (string, error) {
			latest, err := c.Store.Feeds.Latest(ctx, active, latestLimit)
			var text strings.Builder
			for _, post := range latest.Items {
				text.WriteString(string(post.ID) + "\t" + string(post.Channel.Incarnation) + "\t" + post.Text + "\n")
			}
			return text.String(), err
		})
	return page.Value, err
}

// shownLatest compares what was shown with what was acknowledged before its reader asked for it.
func shownLatest(v lab.View, f lab.Known, before []lab.Known, violation violating) {
	shows(v, before, violation, "the list of the newest posts", func(k lab.Known) (channel, post, due bool) {
		return strings.Contains(f.Page, "\t"+string(k.Channel.Incarnation)+"\t"), strings.Contains(f.Page, string(k.Blog)+"\t"), true
	})
}

// noted is the part of I8 about the index of active channels: each post of a channel that is there
// leads to a row. Where the scenario leaves the index out there are no rows.
func noted(_ context.Context, _ Shipped, _ *crew, v lab.View, violation violating) {
	rows := map[string]bool{}
	for row := range v.DB.Rows(schema.TableActivity) {
		rows[row.Row] = true
	}
	for row := range v.DB.Rows(schema.TableBlogs) {
		id, isPost := strings.CutPrefix(row.Row, schema.Blog.Prefix())
		on, _ := domain.BlogID(id).Date() // in the lab, no property tells a time
		ref := domain.ChannelRef{Key: domain.ChannelKey(row.Partition), Incarnation: domain.Incarnation(row.Properties.String("Incarnation"))}
		violation.when(isPost && len(rows) > 0 && live(v.DB, ref) && !rows[schema.ActiveRow(on, ref.Key)],
			"I8", "a post does not lead to a row of the index of active channels")
	}
}

// postLater posts to the channel in the hour after that of the set-up.
func postLater(by domain.UserName, key string) body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		blog, made, err := c.Store.Posts.Create(ctx, storage.NewPost{
			Channel: channel, By: by, Key: key, Draft: domain.Draft{Text: key}, CreatedOn: c.Now().Add(time.Hour),
		})
		answered(c, channel, by, key, storage.PostResult{Blog: blog, Made: made, Err: err})
	})
}

// busy is a set-up: the channel with a post, and no other.
func busy(ctx context.Context, c *lab.Client) {
	if channel, ok := makeChannel(ctx, c, channelName, owner, ""); ok {
		makePost(ctx, c, channel, author, "old")
	}
}

// latest is the newest posts of all channels.
func latest() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "latest", About: "the newest posts are read while a user posts, and the channel is deleted",
				Faults: 1, Preemptions: 2, Noting: true, DelayedCalls: writesTo(schema.TableActivity), Setup: busy,
				Actors: []lab.Actor{
					{Name: "reader", Run: lookAtLatest}, {Name: "ann", Run: postLater(author, "new")}, {Name: "olga", Run: ask}, worker1(),
				}},
			{Name: "latest-again", About: "the newest posts are read while the name of a deleted channel is taken again",
				Faults: 1, Preemptions: 2, Noting: true, DelayedCalls: writesTo(schema.TableActivity), Setup: lab.InTurn(busy, ask),
				Actors: []lab.Actor{
					backwards(lab.Actor{Name: "reader", Run: lookAtLatest}), {Name: "ann", Run: createAndPost(author, "new")}, worker1(),
				}},
		},
		ablations: []ablation{
			ablate("active-first", "latest", "First the index, then the post", "postBatch: s.activity.NoteActive(ctx, p.ref, datesOf(batch)...)",
				"A channel is on the index of active channels before it has a post, so every post can be found.",
				only("ann", after(hasPost, writesTo(schema.TableActivity))), unbounded, among("ann"), reordered),
			ablate("active-gate", "latest", "A look at the channel", "verifyActive: s.channels.GetVersion(ctx, key.Address(), remembered)",
				"The index only says where to look, and its reader checks the channel, so no page shows a deleted channel.",
				only("reader", trustsTime), unharmed, unbounded, among("reader", "olga")),
			ablate("active-version", "latest-again", "The version of a row of the index", "ForgetActive: driver.Match(row.ETag)",
				"An index row without a channel is removed in the version that was read before, so the row of a channel that was created meanwhile stays.",
				only("reader", withoutMatch(schema.TableActivity, "")), unharmed),
		},
		told: map[lab.Kind]invariant{factLatest: looked(shownLatest)},
		rest: []demand{noted},
	}
}

func hasPost(c *driver.Call) bool {
	return c.Method == driver.CallTransact && slices.ContainsFunc(c.Operations, func(op driver.Operation) bool { return schema.Blog.Has(op.Row) })
}
