package reader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/page"
	"microblogging/storage/schema"
)

// FeedItem is a post with the name of its channel.
type FeedItem struct {
	domain.Blog
	Name domain.ChannelName
}

// Feed lists up to limit posts of all channels that a user subscribes to, newest
// first. After is the Next of the page before, and empty for the first page. A
// cursor of another list is an InvalidError on the field "after".
//
// Each page reads each channel once, and starts where the page before ended. So no
// post comes twice, and no post after that place is missed, whatever is posted,
// deleted or subscribed to between the pages. A post that is deleted while the page is
// read is left out.
//
// First it reads the posts of each channel. Then it verifies the channels that contribute to
// the page, and no other: the channel's row says whether it is still there, and the sub! row
// whether the user subscribes, since a user's row that says joined may have none. It is read
// after the posts were found, so that a channel whose deletion was accepted before the request
// is on no page. If a channel does not contribute after all, the page is made again without it.
// Mostly this happens once for a channel, since its dangling row is removed.
//
// Beside that it reads the posts of the page. What it read before are keys: so it holds no other
// texts in memory.
func (s *Readers) Feed(ctx context.Context, user domain.UserName, after string, limit int) (feed page.Of[FeedItem], err error) {
	list := page.List{Name: "feed/" + schema.UserPartition(user), After: after, Limit: limit, Prefix: schema.Blog.Prefix()}
	from, err := list.From(list.Prefix)
	if err != nil {
		return feed, err
	}
	following, err := s.readSubscriptions(ctx, user)
	if err != nil {
		return feed, err
	}
	// One post more than the page holds tells whether there is another page.
	sources := make(feedSources)
	for {
		newest := newest{most: limit + 1}
		if err := s.findNewest(ctx, user, following, sources, from, &newest); err != nil {
			return feed, err
		}
		var posts []newestPost
		posts, feed.Next = page.Cut(list, newest.posts, func(post newestPost) string { return schema.BlogRow(post.id) })
		feed.Items, err = s.readNewest(ctx, user, posts, sources)
		if err != nil || !slices.ContainsFunc(posts, func(p newestPost) bool { return !sources[p.channel].valid }) {
			return feed, err
		}
	}
}

// feedSources are the channels of a feed that were verified, by the subscriptions to them.
type feedSources map[domain.ChannelRef]feedSource

type feedSource struct {
	// name is as the channel's creator spelled it.
	name  domain.ChannelName
	valid bool
}

// findNewest looks which posts the channels have from this row key on, except the channels
// that are known not to contribute.
func (s *Readers) findNewest(ctx context.Context, user domain.UserName, following []Row, sources feedSources, from string, newest *newest) error {
	group, ctx := s.Group(ctx, flight.Points)
	for _, row := range following {
		if source, known := sources[row.Channel]; row.state != stateJoined || known && !source.valid {
			continue
		}
		group.Go(func() error {
			//lab: List the newest posts of a channel that is on the feed.
			rows, err := s.blogs.First(ctx, newest.most, driver.Range{
				Partition: schema.ChannelPartition(row.Channel.Key), From: from, To: newest.bound(),
				Paging: driver.Paging{Select: []string{schema.PropIncarnation}}})
			if err == nil && newest.add(row, rows) {
				// Another incarnation has the name, so that the row is dangling.
				_, _, err = s.RepairSubscription(ctx, row, user)
			}
			if err != nil {
				return fmt.Errorf("posts of channel %s: %w", row.Channel.Key, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// readNewest reads posts that were found, and verifies their channels as far as they are
// not among the sources yet.
func (s *Readers) readNewest(ctx context.Context, user domain.UserName, posts []newestPost, sources feedSources) ([]FeedItem, error) {
	picked := make([]pickedPost, len(posts))
	for i, post := range posts {
		picked[i] = post.pickedPost
	}
	var blogs map[domain.BlogID]domain.Blog
	err := s.AtOnce(ctx,
		func(ctx context.Context) error { return s.verifySources(ctx, user, posts, sources) },
		func(ctx context.Context) (err error) { blogs, err = readPicked(ctx, s, picked, whole); return err })
	if err != nil {
		return nil, err
	}
	items := make([]FeedItem, 0, len(posts))
	for _, post := range posts {
		if blog, there := blogs[post.id]; there {
			items = append(items, FeedItem{Blog: blog, Name: sources[post.channel].name})
		}
	}
	return items, nil
}

// verifySources adds the channels of the posts to the sources.
func (s *Readers) verifySources(ctx context.Context, user domain.UserName, posts []newestPost, sources feedSources) error {
	var unknown []Row
	for _, post := range posts {
		if _, known := sources[post.channel]; !known {
			sources[post.channel] = feedSource{}
			unknown = append(unknown, post.by)
		}
	}
	found, err := flight.Gather(ctx, s.Reads, unknown, func(ctx context.Context, row Row) (feedSource, bool, error) {
		channel, valid, err := s.RepairSubscription(ctx, row, user)
		return feedSource{channel.Name, valid}, true, err
	})
	for i, source := range found {
		sources[unknown[i].Channel] = source
	}
	return err
}

// A newestPost is a post that was found, and by which subscription.
type newestPost struct {
	pickedPost
	by Row
}

// newest collects the newest posts of several channels. Channels may be added in
// any order and from any goroutine. The id of a post begins with its time and is
// unique, so that ids order the posts of all channels.
type newest struct {
	most  int
	mu    sync.Mutex
	posts []newestPost
}

// bound returns the first row key that is too old to be among the newest, as far as
// is known. So little or nothing is read of a channel that comes late.
func (n *newest) bound() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.posts) < n.most {
		return schema.PrefixEnd(schema.Blog.Prefix())
	}
	return schema.BlogRow(n.posts[n.most-1].id)
}

// add adds posts of the channel. It reports whether any of them is of another incarnation.
func (n *newest) add(by Row, rows []driver.Entity) (replaced bool) {
	if len(rows) == 0 {
		return false // most channels have no new posts, so that nothing needs sorting
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, row := range rows {
		blog := blog.Decode(row)
		if blog.Channel.Incarnation != by.Channel.Incarnation {
			replaced = true
			continue
		}
		n.posts = append(n.posts, newestPost{pickedPost{by.Channel, pick{id: blog.ID}}, by})
	}
	slices.SortFunc(n.posts, func(a, b newestPost) int { return cmp.Compare(a.id, b.id) })
	n.posts = n.posts[:min(len(n.posts), n.most)]
	return replaced
}

// A pickedPost names a post that a ranking has picked.
type pickedPost struct {
	channel domain.ChannelRef
	pick
}

// readPicked reads posts and returns what keep makes of each, by their ids. A post that was
// deleted since is left out. Keep is called from several goroutines.
func readPicked[T any](ctx context.Context, s *Readers, posts []pickedPost, keep func(domain.Blog) T) (map[domain.BlogID]T, error) {
	type read struct {
		id   domain.BlogID
		kept T
	}
	found, err := flight.Gather(ctx, s.Reads, posts, func(ctx context.Context, post pickedPost) (read, bool, error) {
		blog, err := s.posts.Blog(ctx, post.channel, post.id)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return read{}, false, nil
		case err != nil:
			return read{}, false, err
		}
		return read{post.id, keep(blog)}, true, nil
	})
	kept := make(map[domain.BlogID]T, len(found))
	for _, r := range found {
		kept[r.id] = r.kept
	}
	return kept, err
}

// whole keeps a post as it is.
func whole(blog domain.Blog) domain.Blog { return blog }
