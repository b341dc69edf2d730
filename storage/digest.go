package storage

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// maxDigest is the largest number of posts of one channel in a digest.
const maxDigest = 200

// DigestChannel holds what was posted to one channel in a day.
type DigestChannel struct {
	Name domain.ChannelName
	// Items are the posts of the highest ratings, at most 200, highest first. Among
	// posts of one rating, the newest is first.
	Items []domain.Blog
	// Total is the number of posts of that day, in Items or not.
	Total int

	key domain.ChannelKey
}

// Digest lists what was posted in a day to the channels that a user subscribes to,
// in the order of channel keys. Channels without a post that day are left out.
func (s *Store) Digest(ctx context.Context, user domain.UserName, day domain.Day) ([]DigestChannel, error) {
	digests, err := s.Digests(ctx, user, []domain.Day{day})
	if err != nil {
		return nil, err
	}
	return digests[0], nil
}

// Digests is Digest for several successive days, newest first. It reads each channel
// once, from the first instant to the last, and the sub! row of each channel that has a
// post then. There must be at least one day.
func (s *Store) Digests(ctx context.Context, user domain.UserName, days []domain.Day) ([][]DigestChannel, error) {
	from, to := blogRange(days[len(days)-1].From, days[0].Until)
	var mu sync.Mutex
	digests := make([][]DigestChannel, len(days))
	err := s.eachSubscribed(ctx, user, func(ctx context.Context, channel domain.Channel) error {
		posted := make([]popular, len(days))
		for row, err := range s.blogs.Within(ctx, driver.Range{Partition: partitionOf(channel.Key()), From: from, To: to}) {
			if err != nil {
				return err
			}
			if blog := decodeBlog(row); blog.Channel.Incarnation == channel.Incarnation {
				posted[dayOf(blog.CreatedOn, days)].add(blog.Blog)
			}
		}
		if !slices.ContainsFunc(posted, func(p popular) bool { return p.total > 0 }) {
			return nil
		}
		if is, err := s.verifySubscription(ctx, channel.Ref(), user); err != nil || !is {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for i := range posted {
			if p := &posted[i]; p.total > 0 {
				digests[i] = append(digests[i],
					DigestChannel{Name: channel.Name, Items: p.most(), Total: p.total, key: channel.Key()})
			}
		}
		return nil
	})
	for _, digest := range digests {
		slices.SortFunc(digest, func(a, b DigestChannel) int { return cmp.Compare(a.key, b.key) })
	}
	return digests, err
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

// popular collects the posts of the highest ratings. They must be added newest first.
type popular struct {
	items []domain.Blog
	total int
}

func (p *popular) add(blog domain.Blog) {
	p.total++
	if p.items = append(p.items, blog); len(p.items) >= 2*maxDigest {
		p.items = p.most() // this bounds the memory that a busy channel takes
	}
}

// most returns the posts of the highest ratings. Its sort is stable, so that the
// newest stays first among posts of one rating.
func (p *popular) most() []domain.Blog {
	slices.SortStableFunc(p.items, func(a, b domain.Blog) int { return cmp.Compare(b.Rating, a.Rating) })
	return p.items[:min(len(p.items), maxDigest)]
}
