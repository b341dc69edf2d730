package protocol

import (
	"context"
	"errors"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// What a person wrote: the list of an author, which lies in another partition than the posts.

// factListed: the page of the user has shown the posts on Page, a line each with its incarnation. It
// is the answer to what the actor was looking for.
const factListed lab.Kind = "(read the posts of an author)"

// lookAtAuthor looks at the page of the author this many times.
func lookAtAuthor(times int) body {
	return looking(times, func(ctx context.Context, c *lab.Client, _ shelf) (lab.Fact, error) {
		page, err := c.Store.Feeds.BlogsBy(ctx, author, "", feedLimit)
		var lines []string
		for _, item := range page.Items {
			lines = append(lines, string(item.ID)+" "+string(item.Channel.Incarnation))
		}
		return lab.Fact{Kind: factListed, User: author, Page: strings.Join(lines, "\n"), Words: lab.Count(len(lines), "post")}, err
	})
}

// readAuthor compares the page of an author with what was acknowledged before its reader asked for it.
func readAuthor(v lab.View, f lab.Known, before []lab.Known, violation violating) {
	shows(v, before, violation, "the page of an author", func(k lab.Known) (channel, post, due bool) {
		return strings.Contains(f.Page, " "+string(k.Channel.Incarnation)), strings.Contains(f.Page, string(k.Blog)+" "), k.User == f.User
	})
}

// authors are read.
func authors() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "author", About: "the page of an author is read while they post, twice with one key, and a post of theirs is deleted",
				Faults: 1, Preemptions: 2, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{
					{Name: "reader", Run: lookAtAuthor(2)}, {Name: "ann", Run: post(author, "new")},
					{Name: "ann2", Run: post(author, "new"), After: "ann"}, {Name: "olga", Run: removePost("old", owner)}, worker1(),
				}},
			{Name: "author-deletion", About: "the page of an author is read while they post, and the channel is deleted and its name taken again",
				Faults: 1, Preemptions: 2, DelayedCalls: isToList, Setup: news("old"),
				Actors: []lab.Actor{
					{Name: "reader", Run: lookAtAuthor(1)}, {Name: "olga", Run: ask}, worker1(), {Name: "ann", Run: post(author, "new")},
					{Name: "ann2", Run: createAndPost(author, "again")},
				}},
		},
		ablations: []ablation{
			ablate("author-first", "author", "The author's list first", "(*Posts).CreateAll: s.lists.ListPosts(ctx, p.by, blogsOf(attempts)...)",
				"A post is put on its author's list before it is made, so no post is missing there, whichever process dies.",
				only("ann", after(writesTo(schema.TableBlogs), isToList)), among("ann"), reordered),
			ablate("author-channel", "author-deletion", "The channel of a listed post", "readListed: there && s.fence.Leaving.Readable(in)",
				"The page of an author reads the row of each channel that it shows, so a channel whose deletion was accepted is not on it.",
				only("reader", takenForActive()), unharmed, among("reader", "olga")),
			ablate("author-post", "author", "The look at a listed post", "readFound: post.by.Channel, post.id",
				"The page of an author reads each post that is listed, so one that was deleted is not shown from a list that is behind.",
				only("reader", remembersPosts), among("reader", "olga")),
			ablate("author-gone", "author", "What a list may lose", "readListed: case !lives:",
				"A row of a list whose post is not there is removed only once the channel is gone, so a post that is on its way still finds itself listed.",
				only("reader", goneWithoutPost), unharmed, unbounded, among("reader", "ann"), func(s *lab.Scenario) { s.Setup = news() }),
		},
		told: map[lab.Kind]invariant{factListed: looked(readAuthor)},
	}
}

func isToList(c *driver.Call) bool {
	return writes(c, schema.TableUsers) && (schema.Wrote.Has(c.Operations[0].Row) || schema.Voted.Has(c.Operations[0].Row))
}

// remembersPosts shows a post that was read once as it was then.
func remembersPosts() driver.Around {
	posts := map[string]driver.Entity{}
	return func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		if c.Method != driver.CallGet || c.Target != schema.TableBlogs {
			return err
		}
		if post, read := posts[c.Row]; read {
			c.Entity = post
			return nil
		}
		if err == nil {
			posts[c.Row] = c.Entity
		}
		return err
	}
}

// goneWithoutPost takes the channels for gone in which a post that is listed was not found.
func goneWithoutPost() driver.Around {
	missed := map[string]bool{}
	return func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		if c.Method == driver.CallGet && errors.Is(err, domain.ErrNotFound) {
			missed[c.Partition] = true
		}
		if c.Method == driver.CallGet && c.Target == schema.TableChannels && missed[c.Partition] {
			return domain.ErrNotFound
		}
		return err
	}
}
