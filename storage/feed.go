package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// FeedItem is a post with the name of its channel.
type FeedItem struct {
	domain.Blog
	Name domain.ChannelName
}

// FeedPage is part of a feed.
type FeedPage struct {
	Items []FeedItem
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// Feed lists up to limit posts of all channels that a user subscribes to, newest
// first. After is the Next of the page before, and empty for the first page. A
// cursor of another list is an InvalidError on the field "after".
//
// Each page reads each channel once, and starts where the page before ended. So no
// post comes twice, and no post after that place is missed, whatever is posted,
// deleted or subscribed to between the pages.
//
// The user's rows alone do not tell who subscribes, since one that says joined may have
// no sub! row. So the sub! row is read of each channel that contributes to the page, and
// of no other. If one is not there, the page is read again without that channel. This
// happens once for a channel, since its dangling row is removed.
func (s *Store) Feed(ctx context.Context, user domain.UserName, after string, limit int) (FeedPage, error) {
	list := "feed/" + userPartition(user)
	from := prefixBlog
	if after != "" {
		position, err := decodeCursor(list, after)
		if err != nil {
			return FeedPage{}, err
		}
		from = successor(blogRow(domain.BlogID(position)))
	}
	// One post more than the page holds tells whether there is another page.
	items, err := s.newestSubscribed(ctx, user, from, limit+1)
	if err != nil {
		return FeedPage{}, err
	}
	page := FeedPage{Items: items}
	if len(items) > limit {
		page.Items = items[:limit]
		page.Next = encodeCursor(list, string(page.Items[limit-1].ID))
	}
	return page, nil
}

// newestSubscribed returns the newest posts, up to most, of the channels that a user
// subscribes to, from this row key on.
func (s *Store) newestSubscribed(ctx context.Context, user domain.UserName, from string, most int) ([]FeedItem, error) {
	subscribes := make(map[domain.ChannelRef]bool) // of those that were verified
	for {
		newest := newest{most: most}
		err := s.eachSubscribed(ctx, user, everyChannel, func(ctx context.Context, channel domain.Channel) error {
			if is, known := subscribes[channel.Ref()]; known && !is {
				return nil
			}
			rows, err := s.blogs.First(ctx, most, driver.Range{
				Partition: partitionOf(channel.Key()), From: from, To: newest.bound()})
			newest.add(channel, rows)
			return err
		})
		if err != nil {
			return nil, err
		}
		if all, err := s.verifyContributors(ctx, user, newest.items, subscribes); err != nil || all {
			return newest.items, err
		}
	}
}

// verifyContributors reports whether the user subscribes to the channels of all items.
// What it finds about a channel, it adds to subscribes, and reads only what is not there
// yet.
func (s *Store) verifyContributors(ctx context.Context, user domain.UserName, items []FeedItem,
	subscribes map[domain.ChannelRef]bool,
) (all bool, err error) {
	var refs []domain.ChannelRef
	for _, item := range items {
		if _, known := subscribes[item.Channel]; !known {
			subscribes[item.Channel] = false
			refs = append(refs, item.Channel)
		}
	}
	found := make([]bool, len(refs))
	group, groupCtx := newFlight(ctx, subscriptionFlight)
	for i, ref := range refs {
		group.Go(func() (err error) {
			found[i], err = s.verifySubscription(groupCtx, ref, user)
			return err
		})
	}
	err = group.Wait()
	for i, ref := range refs {
		subscribes[ref] = found[i]
	}
	return !slices.Contains(found, false), err
}

// everyChannel is for eachSubscribed.
func everyChannel(domain.ChannelKey) bool { return true }

// eachSubscribed calls visit for each active channel that a user subscribes to and that
// is wanted. Several calls run at once. They start in the order of channel keys, and end
// in any order: wanted is asked about a channel after all calls for lesser keys have
// started. A subscription that is joining or leaving is skipped. A subscription to an
// incarnation that is gone is removed. Visit must call verifySubscription before it shows
// anything of the channel.
func (s *Store) eachSubscribed(ctx context.Context, user domain.UserName, wanted func(domain.ChannelKey) bool,
	visit func(context.Context, domain.Channel) error) error {
	subscriptions, err := s.readSubscriptions(ctx, user)
	if err != nil {
		return err
	}
	group, ctx := newFlight(ctx, subscriptionFlight)
	for _, subscription := range subscriptions {
		if subscription.state != stateJoined || !wanted(subscription.Channel.Key) {
			continue
		}
		group.Go(func() error {
			channel, err := s.readIncarnation(ctx, subscription.Channel)
			switch {
			case errors.Is(err, domain.ErrNotFound):
				return s.removeSubscription(ctx, subscription)
			case err != nil || channel.State != domain.ChannelActive:
				return err
			}
			if err := visit(ctx, channel.Channel); err != nil {
				return fmt.Errorf("posts of channel %s: %w", channel.Key(), err)
			}
			return nil
		})
	}
	return group.Wait()
}

// newest collects the newest posts of several channels. Channels may be added in
// any order and from any goroutine. The id of a post begins with its time and is
// unique, so that ids order the posts of all channels.
type newest struct {
	most  int
	mu    sync.Mutex
	items []FeedItem
}

// bound returns the first row key that is too old to be among the newest, as far as
// is known. So little or nothing is read of a channel that comes late.
func (n *newest) bound() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.items) < n.most {
		return prefixEnd(prefixBlog)
	}
	return blogRow(n.items[n.most-1].ID)
}

func (n *newest) add(channel domain.Channel, rows []driver.Entity) {
	if len(rows) == 0 {
		return // most channels have no new posts, so that nothing needs sorting
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, row := range rows {
		if blog := decodeBlog(row); blog.Channel.Incarnation == channel.Incarnation {
			n.items = append(n.items, FeedItem{Blog: blog.Blog, Name: channel.Name})
		}
	}
	slices.SortFunc(n.items, func(a, b FeedItem) int { return cmp.Compare(a.ID, b.ID) })
	n.items = n.items[:min(len(n.items), n.most)]
}
