package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
)

// FeedItem is a post with the name of its channel.
type FeedItem struct {
	domain.Blog
	Name domain.ChannelName
}

// FeedPage is part of a feed.
type FeedPage struct {
	Items []FeedItem
	// Next continues the feed; it is empty on the last page.
	Next string
}

// Feed lists the posts of all channels that a user subscribes to, newest first.
// Each page reads each channel once and seeks straight to the position where the
// page before ended, so that no post comes twice and none is passed over,
// whatever is posted, deleted or subscribed to between the pages.
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
	channels, err := s.readSubscribed(ctx, user, func(ctx context.Context, channel domain.Channel) ([]Entity, error) {
		return s.blogs.First(ctx, limit+1, Range{
			Partition: partitionOf(channel.Key()), From: from, To: prefixEnd(prefixBlog)})
	})
	if err != nil {
		return FeedPage{}, err
	}
	items := newest(channels, limit+1)
	var next string
	if len(items) > limit {
		items = items[:limit]
		next = encodeCursor(list, string(items[limit-1].ID))
	}
	return FeedPage{Items: items, Next: next}, nil
}

// channelRows is what was read of one channel.
type channelRows struct {
	channel domain.Channel
	rows    []Entity
}

// readSubscribed calls read for each channel that a user subscribes to, some at
// once, and returns what it read in the order of channel keys. Subscriptions
// to what is gone are ignored, and removed.
func (s *Store) readSubscribed(ctx context.Context, user domain.UserName,
	read func(context.Context, domain.Channel) ([]Entity, error),
) ([]channelRows, error) {
	subscriptions, err := s.readSubscriptions(ctx, user)
	if err != nil {
		return nil, err
	}
	all := make([]channelRows, len(subscriptions))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(subscriptionFlight)
	for i, subscription := range subscriptions {
		if subscription.state != stateJoined {
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
			all[i].channel = channel.Channel
			if all[i].rows, err = read(ctx, channel.Channel); err != nil {
				return fmt.Errorf("posts of channel %s: %w", channel.Key(), err)
			}
			return nil
		})
	}
	return all, group.Wait()
}

// newest merges the first n posts of channels that are each in key order. An id
// begins with the time and is unique, so that ids order posts of all channels.
func newest(channels []channelRows, n int) []FeedItem {
	heads := slices.DeleteFunc(channels, func(c channelRows) bool { return len(c.rows) == 0 })
	var items []FeedItem
	for len(heads) > 0 && len(items) < n {
		least := 0
		for i := range heads {
			if heads[i].rows[0].Row < heads[least].rows[0].Row {
				least = i
			}
		}
		head := &heads[least]
		if blog := decodeBlog(head.rows[0]); blog.Channel.Incarnation == head.channel.Incarnation {
			items = append(items, FeedItem{Blog: blog.Blog, Name: head.channel.Name})
		}
		if head.rows = head.rows[1:]; len(head.rows) == 0 {
			heads = slices.Delete(heads, least, least+1)
		}
	}
	return items
}

// maxDigest is how many posts of one channel a digest shows.
const maxDigest = 200

// DigestChannel is what was posted to one channel in a day.
type DigestChannel struct {
	Name domain.ChannelName
	// Items are the most popular, at most 200, in that order, newest first among
	// equals.
	Items []domain.Blog
	// Total is how many there were.
	Total int
}

// Digest lists what was posted in a day to the channels that a user subscribes
// to, by channel key. Channels without a post that day are left out.
func (s *Store) Digest(ctx context.Context, user domain.UserName, day domain.Day) ([]DigestChannel, error) {
	from, to := blogRange(day.From, day.Until)
	channels, err := s.readSubscribed(ctx, user, func(ctx context.Context, channel domain.Channel) ([]Entity, error) {
		return s.blogs.Whole(ctx, Range{Partition: partitionOf(channel.Key()), From: from, To: to})
	})
	if err != nil {
		return nil, err
	}
	var digest []DigestChannel
	for _, c := range channels {
		if items := mostPopular(c); len(items) > 0 {
			digest = append(digest, DigestChannel{
				Name: c.channel.Name, Items: items[:min(len(items), maxDigest)], Total: len(items)})
		}
	}
	return digest, nil
}

func mostPopular(c channelRows) []domain.Blog {
	var items []domain.Blog
	for _, row := range c.rows {
		if blog := decodeBlog(row); blog.Channel.Incarnation == c.channel.Incarnation {
			items = append(items, blog.Blog)
		}
	}
	// Stable: what came newest first stays so among equals.
	slices.SortStableFunc(items, func(a, b domain.Blog) int { return cmp.Compare(b.Rating, a.Rating) })
	return items
}
