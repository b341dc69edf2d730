package reader

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// BlogsBy lists up to limit posts of an author in active channels, newest first: the rows of
// their list (package blog) say where to look, and the channels and the posts what there is. A page
// has fewer posts, or none, if rows of the list are dangling. After is the Next of the page before,
// and empty for the first page. A cursor of another list is an InvalidError on the field "after".
func (s *Feeds) BlogsBy(ctx context.Context, author domain.UserName, after string, limit int) (driver.ListPage[FeedItem], error) {
	return s.listedBy(ctx, schema.Wrote, author, after, limit)
}

// VotesBy lists the posts in active channels that a user has voted on, as BlogsBy lists those that
// they wrote.
func (s *Feeds) VotesBy(ctx context.Context, user domain.UserName, after string, limit int) (driver.ListPage[FeedItem], error) {
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
func (s *Feeds) listedBy(ctx context.Context, kind *schema.Kind, user domain.UserName, after string, limit int) (listed driver.ListPage[FeedItem], err error) {
	list := driver.List{Name: kind.Name + " " + string(user), After: after, Limit: limit, Prefix: kind.Prefix()}
	//lab: Read the user's list of the newest posts that they may have written, or voted on.
	rows, next, err := list.Read(ctx, s.users, kind.In(schema.UserPartition(user)))
	if err != nil {
		return listed, err
	}
	var posts []found
	for _, row := range rows {
		if ref, id, leads := Listed(kind, row); leads {
			posts = append(posts, found{by: &Row{Subscription: domain.Subscription{Channel: ref}}, id: id})
		}
	}
	listed.Next = next
	listed.Items, err = s.readListed(ctx, kind, user, posts)
	return listed, err
}

// readListed reads the posts that a user's list names, and the channels that they are in, and returns
// the posts that can be read. It removes the rows whose channel is gone, if each is of one post.
func (s *Feeds) readListed(ctx context.Context, kind *schema.Kind, user domain.UserName, posts []found) (items []FeedItem, err error) {
	var refs []domain.ChannelRef
	for _, post := range posts {
		if !slices.Contains(refs, post.by.Channel) {
			refs = append(refs, post.by.Channel)
		}
	}
	var blogs map[domain.BlogID]domain.Blog
	var channels []domain.Channel // one that is gone is the zero Channel
	err = s.fence.Concurrently(ctx,
		func(ctx context.Context) (err error) { blogs, err = s.readFound(ctx, posts); return err },
		func(ctx context.Context) (err error) {
			channels, err = concurrent.Gather(ctx, s.fence.Reads, refs, func(ctx context.Context, ref domain.ChannelRef) (domain.Channel, bool, error) {
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
	var gone []string
	for _, post := range posts {
		blog, there := blogs[post.id]
		in := channels[slices.Index(refs, post.by.Channel)]
		switch lives := in.Incarnation != ""; {
		case !lives && kind == schema.Replied: // of which a post has several rows: package deletion prunes them
		case !lives:
			gone = append(gone, kind.Row(string(post.id)))
		case there && s.fence.Leaving.Readable(in) && (kind != schema.Wrote || blog.UserID == user):
			items = append(items, FeedItem{Blog: blog, Name: in.Name})
		}
	}
	_ = s.posts.Unlist(ctx, user, gone) // or else the next reader does: a page must not fail because the disk is full
	return items, nil
}

// Listed is what a row of a user's list of this kind names. It reports whether a channel can have the
// key: a check reports a row with another.
func Listed(kind *schema.Kind, row driver.Entity) (ref domain.ChannelRef, id domain.BlogID, leads bool) {
	ref = domain.ChannelRef{
		Key:         domain.ChannelKey(row.Properties.String(schema.PropChannel)),
		Incarnation: domain.Incarnation(row.Properties.String(schema.PropIncarnation)),
	}
	return ref, domain.BlogID(strings.TrimPrefix(row.Row, kind.Prefix())), schema.LeadsToChannel(ref)
}

// ActedIn lists the channels on the lists of what a user has written, replied to and voted on. Some may be gone.
func (s Steps) ActedIn(ctx context.Context, user domain.UserName) (refs []domain.ChannelRef, err error) {
	seen := make(map[domain.ChannelRef]bool)
	for _, list := range []*schema.Kind{schema.Wrote, schema.Replied, schema.Voted} {
		//lab: Read where the user has posted, replied or voted.
		for row, err := range s.list(ctx, list, user) {
			if err != nil {
				return nil, err
			}
			if ref, _, leads := Listed(list, row); leads && !seen[ref] {
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
	by      *Row
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
		ref, id, leads := Listed(schema.Wrote, row)
		if !leads {
			continue
		}
		i, seen := at[ref]
		if !seen {
			i, written = len(written), append(written, Written{Channel: ref, by: &Row{Subscription: domain.Subscription{Channel: ref}}})
			at[ref] = i
		}
		// A key that was read may be part of a whole page, which it would keep in memory.
		written[i].posts = append(written[i].posts, found{by: written[i].by, id: domain.BlogID(strings.Clone(string(id)))})
	}
	return written, nil
}

// writtenChunk is how many posts WrittenTo reads before it yields them.
const writtenChunk = 100

// WrittenTo yields the posts of an author in one channel, newest first, and some of them at a time.
// It yields nothing of a channel that is not active. An error is the last that it yields.
func (s *Feeds) WrittenTo(ctx context.Context, author domain.UserName, w Written) iter.Seq2[[]FeedItem, error] {
	return func(yield func([]FeedItem, error) bool) {
		for posts := range slices.Chunk(w.posts, writtenChunk) {
			items, err := s.readListed(ctx, schema.Wrote, author, posts)
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
