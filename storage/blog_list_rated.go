package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// RatingQuery selects a page of a channel's posts by rating.
type RatingQuery struct {
	// Rating selects the posts of one rating. Nil selects all posts.
	Rating *int64
	// After is the Next of the page before. It is empty for the first page.
	After string
	// Limit is the largest number of posts on the page, 1 to 100.
	Limit int
}

// BlogsByRating lists a channel's posts by rating, the highest first. Among posts of
// one rating, the newest is first. It reads a range of the index, and then each
// post that the index names. A post whose rating changes between two pages can be
// missed, or listed twice. A cursor of another list is an InvalidError on the field
// "after".
func (s *Store) BlogsByRating(ctx context.Context, ref domain.ChannelRef, q RatingQuery) (BlogPage, error) {
	var position string
	if q.After != "" {
		var err error
		if position, err = decodeCursor(ratingList(ref, q), q.After); err != nil {
			return BlogPage{}, err
		}
	}
	rows, err := s.readRatings(ctx, ref.Key, q, position)
	if err != nil {
		return BlogPage{}, err
	}
	return s.ratingPage(ctx, ref, q, rows)
}

// ratingList names the list for its cursors.
func ratingList(ref domain.ChannelRef, q RatingQuery) string {
	list := "ratings/" + schema.ChannelPartition(ref.Key) + "/" + string(ref.Incarnation)
	if q.Rating != nil {
		list = fmt.Sprintf("%s/%d", list, *q.Rating)
	}
	return list
}

// readRatings reads the rows of the index for a page, and one more if there is another page.
func (s *Store) readRatings(ctx context.Context, key domain.ChannelKey, q RatingQuery, position string) ([]driver.Entity, error) {
	from, to := schema.Rate.Range()
	if q.Rating != nil {
		from, to = schema.RatedRange(*q.Rating)
	}
	if position != "" {
		from = max(from, schema.Successor(position))
	}
	rows, err := s.blogs.First(ctx, q.Limit+1, driver.Range{
		Partition: schema.ChannelPartition(key), From: from, To: to, Paging: driver.Paging{KeysOnly: true}})
	if err != nil {
		return nil, fmt.Errorf("ratings of channel %s: %w", key, err)
	}
	return rows, nil
}

// ratingPage reads the posts of a page that readRatings has found.
func (s *Store) ratingPage(ctx context.Context, ref domain.ChannelRef, q RatingQuery, rows []driver.Entity) (BlogPage, error) {
	var next string
	if len(rows) > q.Limit {
		rows = rows[:q.Limit]
		next = encodeCursor(ratingList(ref, q), rows[q.Limit-1].Row)
	}
	items, err := s.ratedBlogs(ctx, ref, rows)
	return BlogPage{Items: items, Next: next}, err
}

// ratedBlogs reads the posts that rows of the index name. A post that was deleted
// since is left out.
func (s *Store) ratedBlogs(ctx context.Context, ref domain.ChannelRef, rows []driver.Entity) ([]domain.Blog, error) {
	read := make([]domain.Blog, len(rows))
	group, ctx := s.Group(ctx, pointFlight)
	for i, row := range rows {
		group.Go(func() error {
			_, id, _ := schema.ParseRateRow(row.Row)
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
