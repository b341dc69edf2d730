package protocol

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage"
	"microblogging/storage/channel"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The page of a channel, which a process keeps and shows again while the channel has the version
// that it was read for.

// factShown: the actor was shown the page Page of the channel. It is the answer to what it was
// looking for.
const factShown lab.Kind = "(shown)"

// A shelf is the cache of one process. Each execution of an actor's code has its own, so
// that what the code does depends only on the answers that it got.
type shelf map[string]storage.Kept[string]

// Get implements storage.Cache, as does Set.
func (s shelf) Get(key string) (storage.Kept[string], bool) {
	kept, ok := s[key]
	return kept, ok
}

// Set implements storage.Cache.
func (s shelf) Set(key string, kept storage.Kept[string]) { s[key] = kept }

// versionFirst reads pages as package web does.
func versionFirst(ctx context.Context, s *storage.Parts, kept shelf) (storage.Kept[string], error) {
	return channel.ReadCached(ctx, s.Channels, kept, channelKey.Address(), "page", func(ctx context.Context, c domain.Channel, v storage.Version) (string, error) {
		return readPage(ctx, s, c, v)
	})
}

// contentFirst reads the content before the version that it keeps it under.
func contentFirst(ctx context.Context, s *storage.Parts, kept shelf) (storage.Kept[string], error) {
	of, err := s.Channels.Get(ctx, channelKey.Address())
	if err != nil {
		return storage.Kept[string]{}, err
	}
	page, err := readPage(ctx, s, of, "")
	if err != nil {
		return storage.Kept[string]{}, err
	}
	return channel.ReadCached(ctx, s.Channels, kept, channelKey.Address(), "page", func(context.Context, domain.Channel, storage.Version) (string, error) {
		return page, nil
	})
}

// looking asks for a page so many times, in one process, and tells what it was shown.
func looking(times int, read func(ctx context.Context, c *lab.Client, kept shelf) (lab.Fact, error)) body {
	return func(ctx context.Context, c *lab.Client) {
		kept := shelf{}
		for range times {
			c.Tell(lab.Fact{Kind: lab.Looking, Channel: domain.ChannelRef{Key: channelKey}})
			shown, err := read(ctx, c, kept)
			acknowledged(c, err, shown)
		}
	}
}

// look looks at the channel's page twice.
func look(read func(ctx context.Context, s *storage.Parts, kept shelf) (storage.Kept[string], error)) body {
	return looking(2, func(ctx context.Context, c *lab.Client, kept shelf) (lab.Fact, error) {
		page, err := read(ctx, c.Store, kept)
		if err != nil {
			return lab.Fact{}, err
		}
		return lab.Fact{Kind: factShown, Channel: page.Channel.Ref(), Page: page.Value, Version: string(page.Version), Words: parsePage(page.Value).words()}, nil
	})
}

// readPage is what a channel's page shows: a line for each post with its id, its rating
// and its text, and a line with the number of subscribers.
func readPage(ctx context.Context, s *storage.Parts, c domain.Channel, v storage.Version) (string, error) {
	page, err := s.Posts.List(ctx, c.Ref(), storage.BlogQuery{Limit: feedLimit})
	if err != nil {
		return "", err
	}
	n, _, err := s.Subscriptions.Count(ctx, c.Ref())
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, post := range page.Items {
		fmt.Fprintf(&text, "%s\t%d\t%s\n", post.ID, post.Rating, post.Text)
	}
	fmt.Fprintf(&text, "%d", n)
	return text.String(), nil
}

// A page is what readPage has read.
type page struct {
	posts       []postShown
	subscribers int
}

type postShown struct {
	id     domain.BlogID
	rating int
	text   string
}

func parsePage(text string) page {
	lines := strings.Split(text, "\n")
	n, _ := strconv.Atoi(lines[len(lines)-1])
	p := page{subscribers: n}
	for _, line := range lines[:len(lines)-1] {
		parts := strings.SplitN(line, "\t", 3)
		rating, _ := strconv.Atoi(parts[1])
		p.posts = append(p.posts, postShown{domain.BlogID(parts[0]), rating, parts[2]})
	}
	return p
}

// post is a post on the page.
func (p page) post(id domain.BlogID) (postShown, bool) {
	at := slices.IndexFunc(p.posts, func(post postShown) bool { return post.id == id })
	if at < 0 {
		return postShown{}, false
	}
	return p.posts[at], true
}

// words are the page in one line.
func (p page) words() string {
	parts := make([]string, 0, len(p.posts)+1)
	if len(p.posts) == 0 {
		parts = append(parts, "no post")
	}
	for _, post := range p.posts {
		parts = append(parts, fmt.Sprintf("%q with %s", post.text, lab.Count(post.rating, "vote")))
	}
	return strings.Join(append(parts, lab.Count(p.subscribers, "subscriber")), ", ")
}

// reader looks at a page twice, in one process.
func reader() lab.Actor { return lab.Actor{Name: "reader", Run: look(versionFirst)} }

// reader2 does the same in another process.
func reader2() lab.Actor { return backwards(lab.Actor{Name: "reader2", Run: look(versionFirst)}) }

// backwards makes an actor read the other rows before the channel's row, with which the
// code reads them concurrently.
func backwards(a lab.Actor) lab.Actor {
	a.LastFirst = true
	return a
}

// shown compares what a page has shown with what was acknowledged before its reader asked
// for it. Each such page is read through the cache of the reader's process.
func shown(v lab.View, f lab.Known, before []lab.Known, violation violating) {
	p := parsePage(f.Page)
	voters := map[domain.BlogID]map[domain.UserName]bool{}
	before = slices.DeleteFunc(slices.Clone(before), func(k lab.Known) bool { return k.Channel != f.Channel })
	shows(v, before, violation, "a page", func(k lab.Known) (channel, post, due bool) {
		_, there := p.post(k.Blog)
		return true, there, true
	})
	for _, k := range before {
		switch post, there := p.post(k.Blog); {
		case k.Kind == factHandled && there && editors(v, k.Blog) == 0:
			violation("I3", "a page shows a post, and a worker has deleted it before")
		case k.Kind == factEdited && there && post.text != k.Key && editors(v, k.Blog) == 1:
			violation("I3", "a page shows the text %q, and an edit to %q was acknowledged before", post.text, k.Key)
		case k.Kind == factVoted && there && !undone(v, k, factUnvoting, factUnvoted):
			if voters[k.Blog] == nil {
				voters[k.Blog] = map[domain.UserName]bool{}
			}
			voters[k.Blog][k.User] = true
		}
	}
	for id, users := range voters {
		if post, _ := p.post(id); post.rating < len(users) {
			violation("I8", "a page shows %s for a post, and %d were acknowledged before", lab.Count(post.rating, "vote"), len(users))
		}
	}
	if least, most := subscribersAt(v, f.Channel, before); (p.subscribers < least || p.subscribers > most) && !asked(v, f.Channel) {
		violation("I8", "a page shows %s, and by what was acknowledged before, there are %d at least and %d at most", lab.Count(p.subscribers, "subscriber"), least, most)
	}
}

// subscribersAt bounds how many subscribers a reader may have found who knew this when they
// began. It counts on what was acknowledged, and on the rows that there are now.
func subscribersAt(v lab.View, ref domain.ChannelRef, before []lab.Known) (least, most int) {
	in, out := map[domain.UserName]bool{}, map[domain.UserName]bool{}
	for _, k := range before {
		switch {
		case k.Channel != ref:
		case k.Kind == factSubscribed && !undone(v, k, factLeaving, factLeft):
			in[k.User] = true
		case k.Kind == factLeft && !undone(v, k, factJoining, factSubscribed):
			out[k.User] = true
		}
	}
	counted := map[domain.UserName]bool{}
	for row := range v.DB.Rows(schema.TableBlogs) {
		if user, ok := strings.CutPrefix(row.Row, "sub!"); ok && row.Partition == string(ref.Key) {
			counted[domain.UserName(user)] = true
		}
	}
	for k := range v.Facts() {
		if k.Kind == factLeaving && k.Channel == ref && !out[k.User] {
			counted[k.User] = true // until they left
		}
	}
	return len(in), len(counted)
}

// outdated is I3 and I8 of what processes keep. A page that was shown is shown again for as
// long as the channel has the version that it was read for. So while the channel has that
// version, the store must still have that page.
func outdated(ctx context.Context, _ Shipped, c *crew, v lab.View, violation violating) {
	now, page := storage.Version(""), ""
	for f := range v.Facts() {
		if f.Kind != factShown || f.Version == "" {
			continue
		}
		if now == "" {
			channel, version, err := c.store.Channels.GetVersion(ctx, channelKey.Address(), "")
			if err != nil || version == "" {
				return // no page shows what is kept
			}
			if page, err = readPage(ctx, c.store, channel, ""); err != nil {
				violation("I5", "reading the page: %v", err)
				return
			}
			now = version
		}
		if string(now) == f.Version && page != f.Page {
			invariant, kept, there := "I3", parsePage(f.Page), parsePage(page)
			if slices.EqualFunc(kept.posts, there.posts, func(a, b postShown) bool { return a.id == b.id && a.text == b.text }) {
				invariant = "I8" // the same posts with the same texts
			}
			violation(invariant, "a page that is kept shows %s, and the store has %s under the same version", kept.words(), there.words())
			return
		}
	}
}

// pages are kept by a process, and shown again.
func pages() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "page-edit", About: "a process keeps a page while the post on it is edited and voted on",
				Faults: 1, Preemptions: 3, DelayedCalls: writesTo(schema.TableBlogs), Setup: news("old"),
				Actors: []lab.Actor{reader(), {Name: "ann", Run: edit("old", "other")}, {Name: "vera", Run: vote("old", visitor)}}},
			{Name: "page-post", About: "two processes keep a page while a user posts and a post is deleted",
				Faults: 1, Preemptions: 2, Setup: news("old"),
				Actors: []lab.Actor{reader(), reader2(), {Name: "ann", Run: post(author, "new")}, {Name: "olga", Run: removePost("old", owner)}}},
			{Name: "page-worker", About: "a process keeps a page while a worker deletes the post on it",
				Faults: 1, Setup: queuedPost("old"), Actors: []lab.Actor{reader(), {Name: "vera", Run: vote("old", visitor)}, worker1()}},
			{Name: "page-deletion", About: "a process keeps a page while the channel is deleted and its name taken again",
				Faults: 1, Preemptions: 2, Setup: news("old"),
				Actors: []lab.Actor{backwards(reader()), {Name: "olga", Run: ask}, worker1(), {Name: "ann", Run: createAndPost(author, "new")}}},
			{Name: "page-subscribers", About: "a process keeps a page while a subscription ends",
				Faults: 1, Preemptions: 3, DelayedCalls: writesTo(schema.TableBlogs), Setup: lab.InTurn(news("old"), subscribe(visitor)),
				Actors: []lab.Actor{reader(), {Name: "vera", Run: unsubscribe(visitor)}, {Name: "feed", Run: feed}}},
		},
		ablations: []ablation{
			ablate("page-version", "page-deletion", "The version of a page", "ReadCachedAt: kept.Version == version",
				"A page that a process keeps is shown only while the channel's row and its gate have the versions that were read for it, so it is never out of date.",
				only("reader", trustsTime), unharmed),
			ablate("version-first", "page-post", "The version before the content", "ReadCached: s.GetVersion(ctx, at, kept.Channel.Incarnation)",
				"The version of a page is read before what the page shows, so a change in between invalidates the kept page instead of being hidden by it.",
				nil, unharmed, unbounded, among("reader", "ann"), func(s *lab.Scenario) { s.Actors[0].Run = look(contentFirst) }),
			merging("edit-gate", "page-edit", "ann", "The gate of an edit", "(*Posts).Update: s.permitted(ctx, p,",
				"An edit merges the open gate, so a page that was kept before it has an old version."),
			merging("vote-gate", "page-edit", "vera", "The gate of a vote", "permitted: s.fence.TransactIfOpen(ctx, p.ref, write...)",
				"A vote merges the open gate, so a page that shows the old rating has an old version."),
			merging("removal-gate", "page-post", "olga", "The gate of a removed post", "removeRows: s.fence.TransactIfOpen(ctx, row.Channel,",
				"The deletion of a post merges the open gate, so a page that still shows the post has an old version."),
			merging("worker-gate", "page-worker", "w1", "The gate of a worker", "FinishBlog: s.removeBlog(ctx, row)",
				"A worker that deletes a post in the place of a request that died merges the open gate too, so no page keeps the post."),
			merging("leaving-gate", "page-subscribers", "vera", "The gate of a leaving subscriber", "executeLeave: s.fence.TransactIfOpen(ctx, ref, plan...)",
				"The end of a subscription merges the open gate, so a page that counts the subscriber has an old version."),
		},
		told:   map[lab.Kind]invariant{factShown: looked(shown)},
		before: []demand{outdated},
		rest:   []demand{outdated},
	}
}

// merging takes the merge of the open gate out of what one actor sends. A reader is there
// whose process keeps a page.
func merging(name, of, actor, label, code, why string) ablation {
	return ablate(name, of, label, code, why, only(actor, leavingOut(driver.ActionMerge, "gate!open!")), unharmed, among("reader", actor))
}

// trustsTime takes each version of a page for the one that it read first.
func trustsTime() driver.Around {
	var channel, gate *driver.Entity
	first := func(c *driver.Call, of **driver.Entity) {
		if *of == nil {
			row := c.Entity
			*of = &row
		}
		c.Entity = **of
	}
	return func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		switch {
		case err != nil && channel == nil:
			return err
		case c.Method == driver.CallGet && c.Target == schema.TableChannels:
			first(c, &channel)
			return nil
		case err == nil && c.Method == driver.CallRange && strings.HasPrefix(c.From, "gate!open!") && len(c.Page.Rows) > 0:
			gate = &c.Page.Rows[0]
		case c.Method == driver.CallGet && strings.HasPrefix(c.Row, "gate!open!") && gate != nil:
			first(c, &gate)
			return nil
		}
		return err
	}
}
