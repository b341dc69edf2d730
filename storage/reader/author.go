package reader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/page"
	"microblogging/storage/schema"
)

// authorRounds is how often BlogsBy reads on where rows of the list are dangling.
const authorRounds = 10

// BlogsBy lists up to limit posts of an author in active channels, newest first: the rows of
// their list (package blog) say where to look, and the channels and the posts what there is. A page
// has fewer posts, or none, if very many rows are dangling. After is the Next of the page before,
// and empty for the first page. A cursor of another list is an InvalidError on the field "after".
func (s *Readers) BlogsBy(ctx context.Context, author domain.UserName, after string, limit int) (written page.Of[FeedItem], err error) {
	list := page.List{Name: "posts of " + string(author), After: after, Limit: limit, Prefix: schema.Wrote.Prefix()}
	from, to := schema.Wrote.Range()
	if from, err = list.From(from); err != nil {
		return written, err
	}
	for range authorRounds {
		list.Limit = limit - len(written.Items)
		//lab: List what the author may have written last.
		rows, err := s.users.First(ctx, list.Limit+1, driver.Range{Partition: schema.UserPartition(author), From: from, To: to})
		if err != nil {
			return written, fmt.Errorf("posts of %s: %w", author, err)
		}
		rows, written.Next = page.Cut(list, rows, page.RowKey)
		items, err := s.readWritten(ctx, author, rows)
		if err != nil {
			return written, err
		}
		written.Items = append(written.Items, items...)
		if written.Next == "" || len(written.Items) == limit {
			break
		}
		from = schema.Successor(rows[len(rows)-1].Row)
	}
	return written, nil
}

// readWritten reads the posts that rows of an author's list name, and the channels that they are
// in, and returns the posts that can be read. It removes the rows whose channel is gone.
func (s *Readers) readWritten(ctx context.Context, author domain.UserName, rows []driver.Entity) (items []FeedItem, err error) {
	var posts []found
	var refs []domain.ChannelRef
	for _, row := range rows {
		ref := domain.ChannelRef{
			Key:         domain.ChannelKey(row.Properties.String(schema.PropChannel)),
			Incarnation: domain.Incarnation(row.Properties.String(schema.PropIncarnation)),
		}
		if !schema.LeadsToChannel(ref) {
			continue // a check reports it
		}
		id := domain.BlogID(strings.TrimPrefix(row.Row, schema.Wrote.Prefix()))
		posts = append(posts, found{by: &Row{Subscription: domain.Subscription{Channel: ref}}, id: id})
		if !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	var blogs map[domain.BlogID]domain.Blog
	var channels map[domain.ChannelRef]domain.Channel
	err = s.AtOnce(ctx,
		func(ctx context.Context) (err error) { blogs, err = s.readFound(ctx, posts); return err },
		func(ctx context.Context) (err error) { channels, err = s.readIncarnations(ctx, refs); return err })
	if err != nil {
		return nil, err
	}
	var gone []domain.Blog
	for _, post := range posts {
		blog, there := blogs[post.id]
		switch in, lives := channels[post.by.Channel]; {
		case !lives:
			gone = append(gone, domain.Blog{Channel: post.by.Channel, ID: post.id, UserID: author})
		case there && in.State == domain.ChannelActive:
			items = append(items, FeedItem{Blog: blog, Name: in.Name})
		}
	}
	_ = s.posts.UnlistPosts(ctx, gone...) // or else the next reader does: nobody waits for a full disk
	return items, nil
}

// readIncarnations reads those channels, in any state, that are still of these incarnations.
func (s *Readers) readIncarnations(ctx context.Context, refs []domain.ChannelRef) (map[domain.ChannelRef]domain.Channel, error) {
	read, err := flight.Gather(ctx, s.Reads, refs, func(ctx context.Context, ref domain.ChannelRef) (domain.Channel, bool, error) {
		row, err := s.ReadIncarnation(ctx, ref)
		if errors.Is(err, domain.ErrNotFound) {
			return domain.Channel{}, false, nil
		}
		return row.Channel, true, err
	})
	channels := make(map[domain.ChannelRef]domain.Channel, len(read))
	for _, channel := range read {
		channels[channel.Ref()] = channel
	}
	return channels, err
}
