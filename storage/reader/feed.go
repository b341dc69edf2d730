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
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// FeedItem is a post with the name of its channel, and in a user's feed with the user's role there.
type FeedItem struct {
	domain.Blog
	Name domain.ChannelName
	Role domain.Role
}

// List lists up to limit posts of all channels that a user subscribes to, newest
// first. After is the Next of the page before, and empty for the first page. A
// cursor of another list is an InvalidError on the field "after".
//
// Each page reads each channel once, and starts where the page before ended. So no
// post comes twice, and no post after that place is missed, whatever is posted,
// deleted or subscribed to between the pages. A post that is deleted while the page is
// read is left out.
//
// First it reads the posts of each channel. Then it verifies the channels that contribute to
// the page, and no other: the channel's row reports whether it is still there, and the sub! row
// whether the user subscribes, since a user's row that says joined may have none. It is read
// after the posts were found, so that a channel whose deletion was accepted before the request
// is on no page. If a channel does not contribute after all, the page is made again without it.
// Mostly this happens once for a channel, since its dangling row is removed.
//
// Beside that it reads the posts of the page. What it read before are keys: so it holds no other
// texts in memory.
func (s *Feeds) List(ctx context.Context, user domain.UserName, after string, limit int) (feed driver.ListPage[FeedItem], err error) {
	list := driver.List{Name: "feed/" + schema.UserPartition(user), After: after, Limit: limit, Prefix: schema.Blog.Prefix()}
	from, err := list.From(list.Prefix)
	if err != nil {
		return feed, err
	}
	following, err := s.subscriptions.readSubscriptions(ctx, user)
	if err != nil {
		return feed, err
	}
	// One post more than the page holds reports whether there is another page.
	sources := map[domain.ChannelRef]bool{}
	for {
		newest := newest{most: limit + 1}
		if err := s.findNewest(ctx, user, following, sources, from, &newest); err != nil {
			return feed, err
		}
		var posts []found
		posts, feed.Next = driver.Cut(list, newest.posts, func(post found) string { return schema.BlogRow(post.id) })
		feed.Items, err = s.readNewest(ctx, user, posts, sources)
		if err != nil || !slices.ContainsFunc(posts, func(post found) bool { return !sources[post.by.Channel] }) {
			return feed, err
		}
	}
}

// findNewest looks which posts the channels have from this row key on. Sources are the channels
// that were verified, and whether they contribute; those that do not are left out.
func (s *Feeds) findNewest(ctx context.Context, user domain.UserName, following []Row, sources map[domain.ChannelRef]bool, from string, newest *newest) error {
	group, ctx := s.fence.Group(ctx, concurrent.Points)
	for _, row := range following {
		if valid, known := sources[row.Channel]; row.state != schema.SubscriptionJoined || known && !valid {
			continue
		}
		group.Go(func() error {
			replaced, err := s.addNewest(ctx, newest, &row, from)
			if err == nil && replaced {
				// Another incarnation has the name, so that the row is dangling.
				_, err = s.subscriptions.repairSubscription(ctx, row, user)
			}
			return err
		})
	}
	return group.Wait()
}

// addNewest adds the posts of a channel from this row key on.
func (s *Feeds) addNewest(ctx context.Context, newest *newest, by *Row, from string) (replaced bool, err error) {
	//lab: List the newest posts of a channel that is on the feed, or is active.
	rows, err := s.blogs.First(ctx, newest.most, driver.Range{
		Partition: schema.ChannelPartition(by.Channel.Key), From: from, To: newest.bound(),
		Paging: driver.Paging{Select: []string{schema.PropIncarnation}}})
	if err != nil {
		return false, fmt.Errorf("posts of channel %s: %w", by.Channel.Key, err)
	}
	return newest.add(by, rows), nil
}

// readNewest reads posts that were found, and verifies their channels as far as they are
// not among the sources yet.
func (s *Feeds) readNewest(ctx context.Context, user domain.UserName, posts []found, sources map[domain.ChannelRef]bool) ([]FeedItem, error) {
	var unknown []Row
	for _, post := range posts {
		if _, known := sources[post.by.Channel]; !known {
			sources[post.by.Channel] = false
			unknown = append(unknown, *post.by)
		}
	}
	var valid []domain.Subscription
	var blogs map[domain.BlogID]domain.Blog
	err := s.fence.Concurrently(ctx,
		func(ctx context.Context) (err error) {
			valid, err = s.subscriptions.repairSubscriptions(ctx, unknown, user)
			return err
		},
		func(ctx context.Context) (err error) { blogs, err = s.readFound(ctx, posts); return err })
	if err != nil {
		return nil, err
	}
	for _, subscription := range valid {
		sources[subscription.Channel] = true
	}
	return feedItems(posts, blogs), nil
}

func feedItems(posts []found, blogs map[domain.BlogID]domain.Blog) []FeedItem {
	items := make([]FeedItem, 0, len(posts))
	for _, post := range posts {
		if blog, there := blogs[post.id]; there {
			items = append(items, FeedItem{Blog: blog, Name: post.by.Name, Role: post.by.Role})
		}
	}
	return items
}

// A found is a post that a list has found. Its title and text were not read yet.
type found struct {
	// by is the subscription by which it was found.
	by *Row
	id domain.BlogID
	// rating, its rank among the posts of its channel and day, from 0, and how many these are:
	// a digest alone knows them.
	rating      int64
	rank, total int
}

// newest collects the newest posts of several channels. Channels may be added in
// any order and from any goroutine. The id of a post begins with its time and is
// unique, so that ids order the posts of all channels.
type newest struct {
	most int
	// end is the first row key that is too old in any case. Empty is behind all posts.
	end   string
	mu    sync.Mutex
	posts []found
}

// bound returns the first row key that is too old to be among the newest, as far as
// is known. So little or nothing is read of a channel that comes late.
func (n *newest) bound() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.posts) < n.most {
		return cmp.Or(n.end, schema.PrefixEnd(schema.Blog.Prefix()))
	}
	return schema.BlogRow(n.posts[n.most-1].id)
}

// add adds posts of the channel. It reports whether any of them is of another incarnation.
func (n *newest) add(by *Row, rows []driver.Entity) (replaced bool) {
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
		n.posts = append(n.posts, found{by: by, id: blog.ID})
	}
	slices.SortFunc(n.posts, func(a, b found) int { return cmp.Compare(a.id, b.id) })
	n.posts = n.posts[:min(len(n.posts), n.most)]
	return replaced
}

// readFound reads posts that were found, by their ids. A post that was deleted since is left out.
func (s *Feeds) readFound(ctx context.Context, posts []found) (map[domain.BlogID]domain.Blog, error) {
	read, err := concurrent.Gather(ctx, s.fence.Reads, posts, func(ctx context.Context, post found) (domain.Blog, bool, error) {
		blog, err := s.posts.Get(ctx, post.by.Channel, post.id)
		if errors.Is(err, domain.ErrNotFound) {
			return domain.Blog{}, false, nil
		}
		return blog, true, err
	})
	blogs := make(map[domain.BlogID]domain.Blog, len(read))
	for _, blog := range read {
		blogs[blog.ID] = blog
	}
	return blogs, err
}
