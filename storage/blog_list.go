package storage

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// BlogQuery selects a page of a channel's posts.
type BlogQuery struct {
	// Since is inclusive and Until exclusive. A zero time leaves that side open.
	Since, Until time.Time
	// After is the Next of the page before. It is empty for the first page.
	After string
	// Limit is the largest number of posts on the page, 1 to 100.
	Limit int
}

// BlogPage is part of a list of posts.
type BlogPage struct {
	Items []domain.Blog
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// Blogs lists a channel's posts, newest first. It reads one range of row keys, so
// that its cost does not depend on how many posts there are. A cursor of another
// list is an InvalidError on the field "after".
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
		// The channel may have been deleted, and its name created again, since the
		// caller read the channel.
		if blog := decodeBlog(row); blog.Channel.Incarnation == ref.Incarnation {
			items = append(items, blog.Blog)
		}
	}
	return BlogPage{Items: items, Next: next}, nil
}
