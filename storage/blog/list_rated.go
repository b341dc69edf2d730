package blog

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/page"
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
func (s *Posts) BlogsByRating(ctx context.Context, ref domain.ChannelRef, q RatingQuery) (page.Of[domain.Blog], error) {
	rows, err := s.readRatings(ctx, ref.Key, q)
	if err != nil {
		return page.Of[domain.Blog]{}, err
	}
	return s.ratingPage(ctx, ref, q, rows)
}

// list is the list of the posts of a channel's name by rating.
func (q RatingQuery) list(key domain.ChannelKey) page.List {
	list := page.List{Name: "ratings/" + schema.ChannelPartition(key), After: q.After, Limit: q.Limit}
	if q.Rating != nil {
		list.Name = fmt.Sprintf("%s/%d", list.Name, *q.Rating)
	}
	return list
}

// readRatings reads the rows of the index for a page, and one more if there is another page.
func (s *Posts) readRatings(ctx context.Context, key domain.ChannelKey, q RatingQuery) ([]driver.Entity, error) {
	from, to := schema.Rate.Range()
	if q.Rating != nil {
		from, to = schema.RatedRange(*q.Rating)
	}
	from, err := q.list(key).From(from)
	if err != nil {
		return nil, err
	}
	rows, err := s.blogs.First(ctx, q.Limit+1, driver.Range{
		Partition: schema.ChannelPartition(key), From: from, To: to, Paging: driver.Paging{KeysOnly: true}})
	if err != nil {
		return nil, fmt.Errorf("ratings of channel %s: %w", key, err)
	}
	return rows, nil
}

// ratingPage reads the posts of a page that readRatings has found.
func (s *Posts) ratingPage(ctx context.Context, ref domain.ChannelRef, q RatingQuery, rows []driver.Entity) (blogs page.Of[domain.Blog], err error) {
	rows, blogs.Next = page.Cut(q.list(ref.Key), rows, page.RowKey)
	blogs.Items, err = s.ratedBlogs(ctx, ref, rows)
	return blogs, err
}

// ratedBlogs reads the posts that rows of the index name. A post that was deleted
// since is left out.
func (s *Posts) ratedBlogs(ctx context.Context, ref domain.ChannelRef, rows []driver.Entity) ([]domain.Blog, error) {
	return flight.Gather(ctx, s.Reads, rows, func(ctx context.Context, row driver.Entity) (domain.Blog, bool, error) {
		_, id, _ := schema.ParseRateRow(row.Row)
		blog, err := s.Blog(ctx, ref, id)
		if errors.Is(err, domain.ErrNotFound) {
			return domain.Blog{}, false, nil
		}
		return blog, true, err
	})
}
