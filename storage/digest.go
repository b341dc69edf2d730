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

	key domain.ChannelKey
}

// Digest lists what was posted in a day to the channels that a user subscribes
// to, by channel key. Channels without a post that day are left out.
func (s *Store) Digest(ctx context.Context, user domain.UserName, day domain.Day) ([]DigestChannel, error) {
	digests, err := s.Digests(ctx, user, []domain.Day{day})
	if err != nil {
		return nil, err
	}
	return digests[0], nil
}

// Digests is Digest for each of some successive days, newest first, at the price
// of one: each channel is read once, from the first instant to the last.
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

// dayOf is the index of the day, newest first, that t lies in.
func dayOf(t time.Time, days []domain.Day) int {
	for i, day := range days {
		if !t.Before(day.From) {
			return i
		}
	}
	return len(days) - 1
}

// popular gathers the most popular of posts that come newest first.
type popular struct {
	items []domain.Blog
	total int
}

func (p *popular) add(blog domain.Blog) {
	p.total++
	if p.items = append(p.items, blog); len(p.items) >= 2*maxDigest {
		p.items = p.most() // so that the busiest channel does not fill the memory
	}
}

// most sorts stably: what came first stays so among equals.
func (p *popular) most() []domain.Blog {
	slices.SortStableFunc(p.items, func(a, b domain.Blog) int { return cmp.Compare(b.Rating, a.Rating) })
	return p.items[:min(len(p.items), maxDigest)]
}
