package reader

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/page"
	"microblogging/storage/schema"
)

// authorRounds is how often BlogsBy reads on where rows of the list are dangling.
const authorRounds = 10

// BlogsBy lists up to limit posts of an author in active channels, newest first: the rows of
// their list (package blog) say where to look, and the channels and the posts what there is. A page
// has fewer posts, or none, if very many rows are dangling. After is the Next of the page before,
// and empty for the first page. A cursor of another list is an InvalidError on the field "after".
func (s *Feeds) BlogsBy(ctx context.Context, author domain.UserName, after string, limit int) (page.Of[FeedItem], error) {
	return s.listedBy(ctx, schema.Wrote, author, after, limit)
}

// VotesBy lists the posts in active channels that a user has voted on, as BlogsBy lists those that
// they wrote.
func (s *Feeds) VotesBy(ctx context.Context, user domain.UserName, after string, limit int) (page.Of[FeedItem], error) {
	listed, err := s.listedBy(ctx, schema.Voted, user, after, limit)
	if err != nil {
		return listed, err
	}
	listed.Items, err = concurrent.Gather(ctx, s.fence.Reads, listed.Items, func(ctx context.Context, item FeedItem) (FeedItem, bool, error) {
		voted, err := s.posts.Voted(ctx, item.Channel, item.ID, user)
		return item, voted, err
	})
	return listed, err
}

// listedBy reads a list of a user's, of this kind of row, and the posts on it.
func (s *Feeds) listedBy(ctx context.Context, kind *schema.Kind, user domain.UserName, after string, limit int) (listed page.Of[FeedItem], err error) {
	list := page.List{Name: kind.Name + " " + string(user), After: after, Limit: limit, Prefix: kind.Prefix()}
	in := kind.In(schema.UserPartition(user))
	if in.From, err = list.From(in.From); err != nil {
		return listed, err
	}
	channels := map[domain.ChannelRef]domain.Channel{}
	for range authorRounds {
		list.Limit = limit - len(listed.Items)
		//lab: Read the user's list of the newest posts that they may have written, or voted on.
		rows, err := s.users.First(ctx, list.Limit+1, in)
		if err != nil {
			return listed, fmt.Errorf("%s of %s: %w", kind.Name, user, err)
		}
		rows, listed.Next = page.Cut(list, rows, page.RowKey)
		var posts []found
		for _, row := range rows {
			if ref, id := Listed(kind, row); schema.LeadsToChannel(ref) { // or else a check reports it
				posts = append(posts, found{by: &Row{Subscription: domain.Subscription{Channel: ref}}, id: id})
			}
		}
		items, err := s.readListed(ctx, kind, user, posts, channels)
		if err != nil {
			return listed, err
		}
		listed.Items = append(listed.Items, items...)
		if listed.Next == "" || len(listed.Items) == limit {
			break
		}
		in.From = schema.Successor(rows[len(rows)-1].Row)
	}
	return listed, nil
}

// readListed reads the posts that a user's list names, and the channels that they are in, and returns
// the posts that can be read. Channels are those that were read before for the same page; one that is
// gone is the zero Channel. It reads no post of a channel that is known not to be active. It removes
// the rows whose channel is gone.
func (s *Feeds) readListed(ctx context.Context, kind *schema.Kind, user domain.UserName, posts []found,
	channels map[domain.ChannelRef]domain.Channel,
) (items []FeedItem, err error) {
	var wanted []found
	var refs []domain.ChannelRef
	for _, post := range posts {
		in, known := channels[post.by.Channel]
		if known && !s.fence.Leaving.Readable(in) {
			continue
		}
		wanted = append(wanted, post)
		if !known && !slices.Contains(refs, post.by.Channel) {
			refs = append(refs, post.by.Channel)
		}
	}
	var blogs map[domain.BlogID]domain.Blog
	var read []domain.Channel
	err = s.fence.Concurrently(ctx,
		func(ctx context.Context) (err error) { blogs, err = s.readFound(ctx, wanted); return err },
		func(ctx context.Context) (err error) {
			read, err = concurrent.Gather(ctx, s.fence.Reads, refs, func(ctx context.Context, ref domain.ChannelRef) (domain.Channel, bool, error) {
				row, err := s.fence.ReadIncarnation(ctx, ref)
				if errors.Is(err, domain.ErrNotFound) {
					return domain.Channel{}, true, nil
				}
				return row.Channel, true, err
			})
			return err
		})
	if err != nil {
		return nil, err
	}
	for i, ref := range refs {
		channels[ref] = read[i]
	}
	var gone []string
	for _, post := range posts {
		blog, there := blogs[post.id]
		in := channels[post.by.Channel]
		switch lives := in.Incarnation != ""; {
		case !lives:
			gone = append(gone, kind.Row(string(post.id)))
		case there && s.fence.Leaving.Readable(in) && (kind != schema.Wrote || blog.UserID == user):
			items = append(items, FeedItem{Blog: blog, Name: in.Name})
		}
	}
	_ = s.posts.Unlist(ctx, user, gone) // or else the next reader does: a page must not fail because the disk is full
	return items, nil
}

// Listed is what a row of a user's list of this kind names.
func Listed(kind *schema.Kind, row driver.Entity) (domain.ChannelRef, domain.BlogID) {
	return domain.ChannelRef{
		Key:         domain.ChannelKey(row.Properties.String(schema.PropChannel)),
		Incarnation: domain.Incarnation(row.Properties.String(schema.PropIncarnation)),
	}, domain.BlogID(strings.TrimPrefix(row.Row, kind.Prefix()))
}

// ActedIn lists the channels on the lists of what a user has written and voted on. Some may be gone.
func (s Steps) ActedIn(ctx context.Context, user domain.UserName) (refs []domain.ChannelRef, err error) {
	seen := make(map[domain.ChannelRef]bool)
	for _, list := range []*schema.Kind{schema.Wrote, schema.Voted} {
		//lab: Read where the user has posted or voted.
		for row, err := range s.list(ctx, list, user) {
			if err != nil {
				return nil, err
			}
			if ref, _ := Listed(list, row); !seen[ref] && schema.LeadsToChannel(ref) {
				seen[ref] = true
				refs = append(refs, ref)
			}
		}
	}
	return refs, nil
}

// A Written is a channel on an author's list, with the posts of theirs that are listed there.
type Written struct {
	Channel domain.ChannelRef
	posts   []found
}

// WroteTo reads an author's list once, and returns the channels on it with the posts, newest first.
// Some may be gone. It holds the ids of all posts in memory, and no text.
func (s *Feeds) WroteTo(ctx context.Context, author domain.UserName) (written []Written, err error) {
	at := map[domain.ChannelRef]int{}
	for row, err := range s.list(ctx, schema.Wrote, author) {
		if err != nil {
			return nil, err
		}
		ref, id := Listed(schema.Wrote, row)
		if !schema.LeadsToChannel(ref) {
			continue
		}
		i, seen := at[ref]
		if !seen {
			i, written = len(written), append(written, Written{Channel: ref})
			at[ref] = i
		}
		of := &written[i]
		// A key that was read may be part of a whole page, which it would keep in memory.
		of.posts = append(of.posts, found{id: domain.BlogID(strings.Clone(string(id)))})
	}
	return written, nil
}

// writtenChunk is how many posts WrittenTo reads before it yields them.
const writtenChunk = 100

// WrittenTo yields the posts of an author in one channel, newest first, and some of them at a time.
// It yields nothing of a channel that is not active. An error is the last that it yields.
func (s *Feeds) WrittenTo(ctx context.Context, author domain.UserName, w Written) iter.Seq2[[]FeedItem, error] {
	return func(yield func([]FeedItem, error) bool) {
		by := &Row{Subscription: domain.Subscription{Channel: w.Channel}}
		for some := range slices.Chunk(w.posts, writtenChunk) {
			posts := slices.Clone(some)
			for i := range posts {
				posts[i].by = by
			}
			items, err := s.readListed(ctx, schema.Wrote, author, posts, map[domain.ChannelRef]domain.Channel{})
			if !yield(items, err) || err != nil {
				return
			}
		}
	}
}

// list yields the rows of a list of a user's.
func (s *Feeds) list(ctx context.Context, kind *schema.Kind, user domain.UserName) iter.Seq2[driver.Entity, error] {
	return s.users.Within(ctx, kind.In(schema.UserPartition(user)))
}
