package reader

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A WrittenReply is a reply with the post that it answers.
type WrittenReply struct {
	domain.Reply
	To FeedItem
}

// RepliesBy lists up to limit replies of an author to posts in active channels, those to the newest posts first. A page has fewer
// replies, or none, if rows of the list are dangling. After is the Next of the page before, and empty for the first page. A
// cursor of another list is an InvalidError on the field "after".
func (s *Feeds) RepliesBy(ctx context.Context, author domain.UserName, after string, limit int) (replies driver.ListPage[WrittenReply], err error) {
	list := driver.List{Name: schema.Replied.Name + " " + string(author), After: after, Limit: limit, Prefix: schema.Replied.Prefix()}
	//lab: Read the user's list of the replies that they may have written.
	rows, next, err := list.Read(ctx, s.users, schema.Replied.In(schema.UserPartition(author)))
	if err != nil {
		return replies, err
	}
	replies.Next = next
	replies.Items, err = concurrent.Gather(ctx, s.fence.Reads, rows, func(ctx context.Context, row driver.Entity) (WrittenReply, bool, error) {
		reply, err := s.readReplied(ctx, row)
		if errors.Is(err, domain.ErrNotFound) {
			return WrittenReply{}, false, nil
		}
		return reply, err == nil && reply.UserID == author, err
	})
	return replies, err
}

// repliedRows is how many rows of the list RepliedTo reads for each post that it may return.
const repliedRows = 10

// RepliedTo returns up to limit posts in active channels that a user has replied to, newest first. It reads the beginning of
// their list and no reply. So it returns fewer posts if the user has replied to some of them very often, or if rows are
// dangling; and a post counts whose row is left of a reply that failed.
func (s *Feeds) RepliedTo(ctx context.Context, user domain.UserName, limit int) ([]FeedItem, error) {
	//lab: Read the user's list of the replies that they may have written.
	rows, err := s.users.First(ctx, repliedRows*limit, schema.Replied.In(schema.UserPartition(user)))
	if err != nil {
		return nil, err
	}
	var posts []found
	for _, row := range rows {
		ref, key, leads := Listed(schema.Replied, row)
		id, _ := schema.ParseReply(string(key))
		if leads && len(posts) < limit && (len(posts) == 0 || posts[len(posts)-1].id != id) {
			posts = append(posts, found{by: &Row{Subscription: domain.Subscription{Channel: ref}}, id: id})
		}
	}
	return s.readListed(ctx, schema.Replied, user, posts)
}

// readReplied reads the reply that a row of an author's list names, with its post and its channel. If a reader can see one of
// them not, it returns domain.ErrNotFound.
func (s *Feeds) readReplied(ctx context.Context, row driver.Entity) (reply WrittenReply, err error) {
	ref, key, leads := Listed(schema.Replied, row)
	if !leads {
		return reply, domain.ErrNotFound
	}
	post, id := schema.ParseReply(string(key))
	in, err := s.fence.ReadIncarnation(ctx, ref)
	if err == nil && !s.fence.Leaving.Readable(in.Channel) {
		err = domain.ErrNotFound
	}
	if err == nil {
		reply.To.Name = in.Name
		reply.To.Blog, err = s.posts.Get(ctx, ref, post)
	}
	if err == nil {
		reply.Reply, err = s.posts.ReadReply(ctx, ref, post, id)
	}
	return reply, err
}
