package reader

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

const (
	// MaxDigest is the largest number of posts of one channel in a digest.
	MaxDigest = 200
	// MaxDigestChannels is how many channels one request for a digest looks at, and MaxRanked how
	// many posts of each, the newest of its days. So it has a bound of calls of the store.
	MaxDigestChannels = 16 * concurrent.Points
	MaxRanked         = 40 * rankPage
	// rankPage is how many ratings one request asks for. concurrent.Points channels are ranked at
	// once, so that a larger page would take megabytes.
	rankPage = 250
)

// DigestChannel holds what was posted to one channel in a day, or a part of it.
type DigestChannel struct {
	Name domain.ChannelName
	// Items are the most popular first, and the newest first among equals.
	Items []domain.Blog
	// First is the rank of the first of Items among the posts of the day, from 1.
	First int
	// Total is the number of posts of the day, up to MaxRanked. A digest lists at most MaxDigest of
	// them.
	Total int
}

// Digest lists what was posted in a day to the channels that a user subscribes to, in
// the order of their keys: up to limit posts. Channels without a post that day are left out. A
// channel that does not fit on a page continues on the next one. After is the Next of the page
// before; a cursor of another user, day or time zone is an InvalidError.
//
// It reads the ratings of all posts of the day, and then the posts of the page, and verifies each
// channel that has a post, as List does. It looks at no more channels than it needs for the page, nor
// at more than MaxDigestChannels, so a page may have few posts or none and a Next. A page starts at the channel, the rating and the post
// where the page before ended: posts that come and go in between make no other post come twice or
// be missed. A post whose rating changes in between can be missed or met twice.
func (s *Feeds) Digest(ctx context.Context, user domain.UserName, day domain.Day, after string, limit int) (digest driver.ListPage[DigestChannel], err error) {
	list := driver.List{Name: "digest/" + schema.UserPartition(user) + "/" + day.Date + "/" + day.Zone, After: after, Limit: limit}
	position, err := list.Position()
	if err != nil {
		return digest, err
	}
	byDay, rest, err := s.rankSubscribed(ctx, user, []domain.Day{day}, position, MaxDigest, limit)
	if err != nil {
		return digest, err
	}
	posts, next := driver.Cut(list, byDay[0], digestPosition)
	if next == "" && rest != "" {
		next = list.Next(string(rest))
	}
	digest.Next = next
	blogs, err := s.readFound(ctx, posts)
	digest.Items = digestChannels(posts, blogs)
	return digest, err
}

// digestPosition is where a page of a digest ends. Positions sort as the posts of a digest do: a
// channel key holds nothing less than an exclamation mark.
func digestPosition(p found) string {
	return string(p.by.Channel.Key) + "!" + schema.RateRow(p.rating, p.id)
}

// DigestSummary lists some of what was posted in a day.
type DigestSummary struct {
	// Listed are the channels of which posts are listed, in the order of their keys.
	Listed []DigestChannel
	// Posts and Channels count the posts of the day and the channels with such posts,
	// listed or not.
	Posts, Channels int
	// Partial reports whether the user subscribes to more channels. Those are left out.
	Partial bool
}

// DigestSummaries sums up what was posted on each of some successive days, newest first, to the
// channels that a user subscribes to. It ranks each channel once for all days, and verifies each
// that has a post, as List does. It looks at the first MaxDigestChannels channels. Of a channel and day it lists at most perChannel posts. If a day
// has more than perDay of those, each channel gets one before any gets a second one, and so on.
func (s *Feeds) DigestSummaries(ctx context.Context, user domain.UserName, days []domain.Day, perChannel, perDay int) ([]DigestSummary, error) {
	byDay, rest, err := s.rankSubscribed(ctx, user, days, "", perChannel, math.MaxInt)
	if err != nil {
		return nil, err
	}
	summaries := make([]DigestSummary, len(days))
	for i, posts := range byDay {
		for _, p := range posts {
			if p.rank == 0 {
				summaries[i].Posts += p.total
				summaries[i].Channels++
			}
		}
		summaries[i].Partial = rest != ""
		// The first of each channel, then the second of each, and so on, in the order of keys and ranks.
		slices.SortStableFunc(posts, func(x, y found) int { return cmp.Compare(x.rank, y.rank) })
		byDay[i] = posts[:min(len(posts), perDay)]
		slices.SortStableFunc(byDay[i], func(x, y found) int { return cmp.Compare(x.by.Channel.Key, y.by.Channel.Key) })
	}
	blogs, err := s.readFound(ctx, slices.Concat(byDay...))
	for i, posts := range byDay {
		summaries[i].Listed = digestChannels(posts, blogs)
	}
	return summaries, err
}

// digestChannels groups the posts that are still there by their channels.
func digestChannels(posts []found, blogs map[domain.BlogID]domain.Blog) (channels []DigestChannel) {
	for _, p := range posts {
		blog, there := blogs[p.id]
		if !there {
			continue // it was deleted meanwhile
		}
		if n := len(channels); n == 0 || channels[n-1].Name != p.by.Name {
			channels = append(channels, DigestChannel{Name: p.by.Name, First: p.rank + 1, Total: p.total})
		}
		last := &channels[len(channels)-1]
		last.Items = append(last.Items, blog)
	}
	return channels
}

// rankSubscribed ranks, for each of some successive days, newest first, the posts of the channels
// that a user subscribes to, behind this position: the first most posts of each. They are in the order
// of keys and ranks. It stops when it has more than enough posts of the first day, or has ranked
// MaxDigestChannels. Then rest is the key of the first channel that is left.
func (s *Feeds) rankSubscribed(
	ctx context.Context, user domain.UserName, days []domain.Day, behind string, most, enough int,
) (byDay [][]found, rest domain.ChannelKey, err error) {
	following, err := s.subscriptions.readSubscriptions(ctx, user)
	if err != nil {
		return nil, "", err
	}
	from, _, _ := strings.Cut(behind, "!")
	following = slices.DeleteFunc(following, func(row Row) bool { return row.state != schema.SubscriptionJoined || string(row.Channel.Key) < from })
	byDay = make([][]found, len(days))
	for i, rows := range slices.Collect(slices.Chunk(following, concurrent.Points)) {
		if i*concurrent.Points == MaxDigestChannels || len(byDay[0]) > enough {
			return byDay, rows[0].Channel.Key, nil
		}
		byChannel, err := concurrent.Gather(ctx, s.fence.Reads, rows, func(ctx context.Context, row Row) ([][]found, bool, error) {
			posts, err := s.rankDays(ctx, &row, days, most)
			if err != nil || len(slices.Concat(posts...)) == 0 {
				return nil, false, err
			}
			valid, err := s.subscriptions.repairSubscription(ctx, row, user)
			return posts, valid, err
		})
		if err != nil {
			return nil, "", err
		}
		for _, posts := range byChannel {
			for day := range days {
				byDay[day] = append(byDay[day], slices.DeleteFunc(posts[day], func(p found) bool { return digestPosition(p) <= behind })...)
			}
		}
	}
	return byDay, "", nil
}

// rankDays ranks the posts of a channel on each of some successive days, newest first.
// It reads ratings, and no texts. The index by rating would not do: it has no days, so
// that all posts of a channel's whole life would have to be passed.
func (s *Feeds) rankDays(ctx context.Context, by *Row, days []domain.Day, most int) ([][]found, error) {
	from, to := schema.BlogRange(days[len(days)-1].From, days[0].Until)
	q := driver.Range{Partition: schema.ChannelPartition(by.Channel.Key), From: from, To: to,
		Paging: driver.Paging{Limit: rankPage, Select: []string{schema.PropRating, schema.PropCreatedOn, schema.PropIncarnation}}}
	ranked, totals := make([][]found, len(days)), make([]int, len(days))
	read := 0
	for row, err := range s.blogs.Within(ctx, q) {
		if err != nil {
			return nil, fmt.Errorf("posts of channel %s: %w", by.Channel.Key, err)
		}
		if read++; read > MaxRanked {
			break
		}
		blog := blog.Decode(row)
		if blog.Channel.Incarnation != by.Channel.Incarnation {
			continue
		}
		day := dayOf(blog.CreatedOn, days)
		totals[day]++
		// A key that was read may be part of a whole page, which it would keep in memory.
		id := domain.BlogID(strings.Clone(string(blog.ID)))
		ranked[day] = append(ranked[day], found{by: by, id: id, rating: blog.Rating})
		if len(ranked[day]) >= 2*most {
			ranked[day] = mostPopular(ranked[day], most)
		}
	}
	for day := range ranked {
		ranked[day] = mostPopular(ranked[day], most)
		for i := range ranked[day] {
			ranked[day][i].rank, ranked[day][i].total = i, totals[day]
		}
	}
	return ranked, nil
}

// dayOf returns the index of the day that contains t. The days are newest first.
func dayOf(t time.Time, days []domain.Day) int {
	for i, day := range days {
		if !t.Before(day.From) {
			return i
		}
	}
	return len(days) - 1
}

// mostPopular returns the first most of a channel's posts, the newer first among equals.
func mostPopular(posts []found, most int) []found {
	slices.SortFunc(posts, func(x, y found) int { return cmp.Or(cmp.Compare(y.rating, x.rating), cmp.Compare(x.id, y.id)) })
	return posts[:min(len(posts), most)]
}
