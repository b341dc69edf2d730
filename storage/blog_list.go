package storage

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// BlogQuery narrows a list of posts.
type BlogQuery struct {
	// Since is the first instant wanted, Until the first not wanted. Zero leaves
	// that side open.
	Since, Until time.Time
	// After is the cursor of the page before; empty for the first.
	After string
	// Limit is the most posts that the page may hold, 1 to 100.
	Limit int
}

// BlogPage is part of a list of posts.
type BlogPage struct {
	Items []domain.Blog
	// Next continues the list; it is empty on the last page.
	Next string
}

// Blogs lists a channel's posts, newest first, by one read of a range of row
// keys: its cost does not depend on how many posts there are. A cursor that is
// not of this channel's list is an InvalidError.
func (s *Store) Blogs(ctx context.Context, ref domain.ChannelRef, q BlogQuery) (BlogPage, error) {
	list := "blogs/" + partitionOf(ref.Key) + "/" + string(ref.Incarnation)
	from, to := blogRange(q.Since, q.Until)
	if q.After != "" {
		position, err := decodeCursor(list, q.After)
		if err != nil {
			return BlogPage{}, err
		}
		from = max(from, successor(blogRow(domain.BlogID(position))))
	}
	rows, err := s.blogs.First(ctx, q.Limit+1, driver.Range{Partition: partitionOf(ref.Key), From: from, To: to})
	if err != nil {
		return BlogPage{}, fmt.Errorf("posts of channel %s: %w", ref.Key, err)
	}
	var next string
	if len(rows) > q.Limit {
		rows = rows[:q.Limit]
		next = encodeCursor(list, string(blogIDOf(rows[q.Limit-1].Row)))
	}
	items := make([]domain.Blog, 0, len(rows))
	for _, row := range rows {
		// Between the read of the channel and this one, the name may have gone
		// through a whole deletion and creation.
		if blog := decodeBlog(row); blog.Channel.Incarnation == ref.Incarnation {
			items = append(items, blog.Blog)
		}
	}
	return BlogPage{Items: items, Next: next}, nil
}
