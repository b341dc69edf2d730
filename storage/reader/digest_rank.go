package reader

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/schema"
)

// rankPage is how many ratings one request asks for. Sixteen channels are ranked at once, so
// that a larger page would take megabytes.
const rankPage = 250

// A pick is a post as a ranking knows it: without its title and text.
type pick struct {
	id     domain.BlogID
	rating int64
}

// before tells whether p is listed before another post: it is more popular, or as
// popular and newer.
func (p pick) before(other pick) bool { return p.compare(other) < 0 }

func (p pick) compare(other pick) int {
	return cmp.Or(cmp.Compare(other.rating, p.rating), cmp.Compare(p.id, other.id))
}

// rankDays ranks the posts of a channel on each of some successive days, newest first.
// It reads ratings, and no texts. The index by rating would not do: it has no days, so
// that all posts of a channel's whole life would have to be passed.
func (s *Readers) rankDays(ctx context.Context, channel domain.ChannelRef, days []domain.Day, most int) ([]*ranking, error) {
	from, to := schema.BlogRange(days[len(days)-1].From, days[0].Until)
	q := driver.Range{Partition: schema.ChannelPartition(channel.Key), From: from, To: to,
		Paging: driver.Paging{Limit: rankPage, Select: []string{schema.PropRating, schema.PropCreatedOn, schema.PropIncarnation}}}
	ranked := make([]*ranking, len(days))
	for i := range ranked {
		ranked[i] = &ranking{most: most}
	}
	for row, err := range s.blogs.Within(ctx, q) {
		if err != nil {
			return nil, err
		}
		if blog := blog.Decode(row); blog.Channel.Incarnation == channel.Incarnation {
			ranked[dayOf(blog.CreatedOn, days)].add(pick{blog.ID, blog.Rating})
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

// A ranking collects the posts of the highest ratings, from posts that come newest
// first.
type ranking struct {
	most  int
	picks []pick
	total int
	// enough says that there are as many picks as wanted. No post that comes later and
	// is rated least or lower is one of them.
	enough bool
	least  int64
}

func (r *ranking) add(p pick) {
	r.total++
	if r.enough && p.rating <= r.least {
		return
	}
	// A key that was read may be part of a whole page, which it would keep in memory.
	p.id = domain.BlogID(strings.Clone(string(p.id)))
	if r.picks = append(r.picks, p); len(r.picks) >= 2*r.most {
		r.least, r.enough = r.best()[r.most-1].rating, true
	}
}

// best returns the posts of the highest ratings, in that order.
func (r *ranking) best() []pick {
	slices.SortFunc(r.picks, pick.compare)
	r.picks = r.picks[:min(len(r.picks), r.most)]
	return r.picks
}

// A pickedPost names a post that a ranking has picked.
type pickedPost struct {
	channel domain.ChannelRef
	pick
}

// readPicked reads posts and calls keep with each of them and its index, from several
// goroutines. A post that was deleted since is passed over.
func (s *Readers) readPicked(ctx context.Context, posts []pickedPost, keep func(i int, blog domain.Blog)) error {
	group, ctx := s.Group(ctx, flight.Points)
	for i, post := range posts {
		group.Go(func() error {
			blog, err := s.posts.Blog(ctx, post.channel, post.id)
			if err == nil {
				keep(i, blog)
			} else if errors.Is(err, domain.ErrNotFound) {
				err = nil
			}
			return err
		})
	}
	return group.Wait()
}
