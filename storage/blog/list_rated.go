package blog

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/concurrent"
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

// ListByRating lists a channel's posts by rating, the highest first. Among posts of
// one rating, the newest is first. It reads a range of the index, and then each
// post that the index names. A post whose rating changes between two pages can be
// missed, or listed twice. A cursor of another list is an InvalidError on the field
// "after".
func (s *Posts) ListByRating(ctx context.Context, ref domain.ChannelRef, q RatingQuery) (blogs driver.ListPage[domain.Blog], err error) {
	partition := schema.ChannelPartition(ref.Key)
	list := driver.List{Name: "ratings/" + partition, After: q.After, Limit: q.Limit}
	in := schema.Rate.In(partition)
	in.KeysOnly = true
	if q.Rating != nil {
		in.From, in.To = schema.RatedRange(*q.Rating)
		list.Name = fmt.Sprintf("%s/%d", list.Name, *q.Rating)
	}
	rows, next, err := list.Read(ctx, s.blogs, in)
	if err != nil {
		return blogs, err
	}
	blogs.Next = next
	blogs.Items, err = concurrent.Gather(ctx, s.fence.Reads, rows, func(ctx context.Context, row driver.Entity) (domain.Blog, bool, error) {
		_, id, _ := schema.ParseRateRow(row.Row)
		blog, err := s.Get(ctx, ref, id)
		if errors.Is(err, domain.ErrNotFound) {
			return domain.Blog{}, false, nil // it was deleted since
		}
		return blog, true, err
	})
	return blogs, err
}
