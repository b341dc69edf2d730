package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/schema"
)

const (
	// rankPage is how many ratings one request asks for. Sixteen channels are ranked at
	// once, so that a larger page would take megabytes.
	rankPage = 250
	// pickPage is how many texts one request asks for, and pickFlight is how many such
	// requests are made at once. A text has up to 20 KB. Requests for one text are not
	// among them (pointFlight).
	pickPage   = 25
	pickFlight = 8
)

// A pick is a post as a ranking knows it: without its title and text.
type pick struct {
	id     domain.BlogID
	rating int64
	// place counts the posts of the channel that were ranked with it and are newer.
	// Picks whose places follow each other have no post between them.
	place int
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
func (s *Store) rankDays(ctx context.Context, channel domain.ChannelRef, days []domain.Day, most int) ([]*ranking, error) {
	from, to := schema.BlogRange(days[len(days)-1].From, days[0].Until)
	q := driver.Range{Partition: schema.ChannelPartition(channel.Key), From: from, To: to,
		Paging: driver.Paging{Limit: rankPage, Select: []string{schema.PropRating, schema.PropCreatedOn, schema.PropIncarnation}}}
	ranked := make([]*ranking, len(days))
	for i := range ranked {
		ranked[i] = &ranking{most: most}
	}
	place := 0
	for row, err := range s.blogs.Within(ctx, q) {
		if err != nil {
			return nil, err
		}
		place++
		if blog := decodeBlog(row); blog.Channel.Incarnation == channel.Incarnation {
			ranked[dayOf(blog.CreatedOn, days)].add(pick{blog.ID, blog.Rating, place})
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
// goroutines. A post that was deleted since is passed over. Posts that follow each other
// in their channel are read by one request, and none is read that was not picked.
func (s *Store) readPicked(ctx context.Context, posts []pickedPost, keep func(i int, blog domain.Blog)) error {
	order := make([]int, len(posts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		x, y := posts[i], posts[j]
		return cmp.Or(cmp.Compare(x.channel.Key, y.channel.Key), cmp.Compare(x.place, y.place))
	})
	var single, longer [][]int
	for len(order) > 0 {
		n := 1
		for n < min(len(order), pickPage) && follows(posts[order[n-1]], posts[order[n]]) {
			n++
		}
		if n == 1 {
			single = append(single, order[:n])
		} else {
			longer = append(longer, order[:n])
		}
		order = order[n:]
	}
	inFlight := func(limit int, runs [][]int, read func(context.Context, []int) error) func(context.Context) error {
		return func(ctx context.Context) error {
			group, ctx := flight.New(ctx, limit)
			for _, run := range runs {
				group.Go(func() error { return read(ctx, run) })
			}
			return group.Wait()
		}
	}
	return s.AtOnce(ctx,
		inFlight(pickFlight, longer, func(ctx context.Context, run []int) error { return s.readRun(ctx, posts, run, keep) }),
		inFlight(pointFlight, single, func(ctx context.Context, run []int) error { return s.readPick(ctx, posts, run[0], keep) }))
}

func follows(x, y pickedPost) bool { return x.channel == y.channel && x.place+1 == y.place }

// readPick reads the post with that index.
func (s *Store) readPick(ctx context.Context, posts []pickedPost, i int, keep func(int, domain.Blog)) error {
	blog, err := s.Blog(ctx, posts[i].channel, posts[i].id)
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	if err == nil {
		keep(i, blog)
	}
	return err
}

// readRun reads posts that follow each other, of which run has the indices.
func (s *Store) readRun(ctx context.Context, posts []pickedPost, run []int, keep func(int, domain.Blog)) error {
	first, last := posts[run[0]], posts[run[len(run)-1]]
	rows := s.blogs.Within(ctx, driver.Range{
		Partition: schema.ChannelPartition(first.channel.Key), From: schema.BlogRow(first.id), To: schema.Successor(schema.BlogRow(last.id)),
		// With room for one more, the store sees without another request that there is none.
		Paging: driver.Paging{Limit: len(run) + 1},
	})
	//lab: Read the texts of the posts.
	for row, err := range rows {
		if err != nil {
			return fmt.Errorf("posts of channel %s: %w", first.channel.Key, err)
		}
		i := slices.IndexFunc(run, func(i int) bool { return posts[i].id == schema.BlogIDOf(row.Row) })
		if blog := decodeBlog(row); i >= 0 && blog.Channel.Incarnation == first.channel.Incarnation {
			keep(run[i], blog.Blog)
		}
	}
	return nil
}
