package blog

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Query selects a page of a channel's posts.
type Query struct {
	// Since is inclusive and Until exclusive. A zero time leaves that side open.
	Since, Until time.Time
	// After is the Next of the page before. It is empty for the first page.
	After string
	// Limit is the largest number of posts on the page, 1 to 100.
	Limit int
}

// List lists a channel's posts, newest first. It reads one range of row keys, so
// that its cost does not depend on how many posts there are. A cursor of another
// list is an InvalidError on the field "after".
func (s *Posts) List(ctx context.Context, ref domain.ChannelRef, q Query) (blogs driver.ListPage[domain.Blog], err error) {
	list, in, err := q.rows(ref, "")
	if err != nil {
		return blogs, err
	}
	//lab: List the newest posts of the channel.
	rows, err := s.blogs.First(ctx, q.Limit+1, in)
	if err != nil {
		return blogs, fmt.Errorf("posts of channel %s: %w", ref.Key, err)
	}
	rows, blogs.Next = driver.Cut(list, rows, driver.RowKey)
	blogs.Items = make([]domain.Blog, 0, len(rows))
	for _, row := range rows {
		// The channel may have been deleted, and its name created again, between the
		// reads of the channel and of its posts.
		if blog, is := s.fence.Leaving.Shown(Decode(row).Blog); is && blog.Channel.Incarnation == ref.Incarnation {
			blogs.Items = append(blogs.Items, blog)
		}
	}
	return blogs, nil
}

// maxCounted is the largest number of posts that Count counts.
const maxCounted = 1000

// Count counts the posts of a channel, up to 1,000, and those who wrote them. It reports in more
// whether there are more posts than that.
func (s *Posts) Count(ctx context.Context, ref domain.ChannelRef) (posts, people int, more bool, err error) {
	posted := schema.Blog.In(schema.ChannelPartition(ref.Key))
	posted.Select = []string{schema.PropUserID, schema.PropIncarnation} // and no texts
	rows, err := s.blogs.First(ctx, maxCounted+1, posted)
	if err != nil {
		return 0, 0, false, fmt.Errorf("counting the posts of channel %s: %w", ref.Key, err)
	}
	authors := map[domain.UserName]bool{}
	for _, row := range rows {
		if blog := Decode(row); blog.Channel.Incarnation == ref.Incarnation { // or else it is of the next channel of the name
			authors[blog.UserID] = true
			posts++
		}
	}
	return min(posts, maxCounted), len(authors), posts > maxCounted, nil
}

// rows is the rows of the list, or of the search for a text in it.
func (q Query) rows(ref domain.ChannelRef, text string) (list driver.List, in driver.Range, err error) {
	in.Partition = schema.ChannelPartition(ref.Key)
	list = driver.List{Name: "blogs/" + in.Partition + text, After: q.After, Limit: q.Limit, Prefix: schema.Blog.Prefix()}
	in.From, in.To = schema.BlogRange(q.Since, q.Until)
	in.From, err = list.From(in.From)
	return list, in, err
}
