package storage

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// RatingQuery selects posts by the index of ratings.
type RatingQuery struct {
	// Rating is the one rating wanted, and nil for all, most popular first.
	Rating *int64
	// After is the cursor of the page before; empty for the first.
	After string
	// Limit is the most posts that the page may hold, 1 to 100.
	Limit int
}

// BlogsByRating lists a channel's posts by rating, the newest first among
// equals: a range of the index, and a read for each post that it names. A post
// whose rating changes between two pages can be missed or met twice.
func (s *Store) BlogsByRating(ctx context.Context, ref domain.ChannelRef, q RatingQuery) (BlogPage, error) {
	list := "ratings/" + partitionOf(ref.Key) + "/" + string(ref.Incarnation)
	from, to := prefixRate, prefixEnd(prefixRate)
	if q.Rating != nil {
		from, to = ratedRange(*q.Rating)
		list = fmt.Sprintf("%s/%d", list, *q.Rating)
	}
	if q.After != "" {
		position, err := decodeCursor(list, q.After)
		if err != nil {
			return BlogPage{}, err
		}
		from = max(from, successor(position))
	}
	rows, err := s.blogs.First(ctx, q.Limit+1, driver.Range{
		Partition: partitionOf(ref.Key), From: from, To: to, Paging: driver.Paging{KeysOnly: true}})
	if err != nil {
		return BlogPage{}, fmt.Errorf("ratings of channel %s: %w", ref.Key, err)
	}
	var next string
	if len(rows) > q.Limit {
		rows = rows[:q.Limit]
		next = encodeCursor(list, rows[q.Limit-1].Row)
	}
	items, err := s.ratedBlogs(ctx, ref, rows)
	return BlogPage{Items: items, Next: next}, err
}

// ratedBlogs reads the posts that rows of the index name. One that has been
// deleted since is left out.
func (s *Store) ratedBlogs(ctx context.Context, ref domain.ChannelRef, rows []driver.Entity) ([]domain.Blog, error) {
	read := make([]domain.Blog, len(rows))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(subscriptionFlight)
	for i, row := range rows {
		group.Go(func() error {
			_, id, _ := parseRateRow(row.Row)
			blog, err := s.Blog(ctx, ref, id)
			if errors.Is(err, domain.ErrNotFound) {
				return nil
			}
			read[i] = blog
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	items := make([]domain.Blog, 0, len(read))
	for _, blog := range read {
		if blog.ID != "" {
			items = append(items, blog)
		}
	}
	return items, nil
}
