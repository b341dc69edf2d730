package storage

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
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
	var position string
	if q.After != "" {
		var err error
		if position, err = decodeCursor(blogList(ref), q.After); err != nil {
			return BlogPage{}, err
		}
	}
	rows, err := s.readBlogs(ctx, ref.Key, q, position)
	if err != nil {
		return BlogPage{}, err
	}
	return blogPage(ref, q, rows), nil
}

// blogList names the list for its cursors.
func blogList(ref domain.ChannelRef) string {
	return "blogs/" + schema.ChannelPartition(ref.Key) + "/" + string(ref.Incarnation)
}

// readBlogs reads the rows of a page, and one more if there is another page.
func (s *Store) readBlogs(ctx context.Context, key domain.ChannelKey, q BlogQuery, position string) ([]driver.Entity, error) {
	from, to := schema.BlogRange(q.Since, q.Until)
	if position != "" {
		from = max(from, schema.Successor(schema.BlogRow(domain.BlogID(position))))
	}
	//lab: List the newest posts of the channel.
	rows, err := s.blogs.First(ctx, q.Limit+1, driver.Range{Partition: schema.ChannelPartition(key), From: from, To: to})
	if err != nil {
		return nil, fmt.Errorf("posts of channel %s: %w", key, err)
	}
	return rows, nil
}

// blogPage makes a page of what readBlogs has read.
func blogPage(ref domain.ChannelRef, q BlogQuery, rows []driver.Entity) BlogPage {
	var next string
	if len(rows) > q.Limit {
		rows = rows[:q.Limit]
		next = encodeCursor(blogList(ref), string(schema.BlogIDOf(rows[q.Limit-1].Row)))
	}
	items := make([]domain.Blog, 0, len(rows))
	for _, row := range rows {
		// The channel may have been deleted, and its name created again, between the
		// reads of the channel and of its posts.
		if blog := decodeBlog(row); blog.Channel.Incarnation == ref.Incarnation {
			items = append(items, blog.Blog)
		}
	}
	return BlogPage{Items: items, Next: next}
}
