package blog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A post is the gate of its replies, as the open gate is of the posts (package fence). A reply's transaction
// merges the post's row. So once that is deleted, no reply lands any more, and what removes the replies that are there
// finds them all (delete.go). It needs no shut gate, because the id of a post never returns.
//
// The merge sets RepliedOn. It gives the row a new version and no new revision: an edit, a vote and a deletion that
// are under way read the row again and go on, and no author is told of an edit. It depends on no version
// itself, so replies do not wait for each other. That is why the row holds no number of replies.

// A NewReply is a request to reply to a post. It may be sent again without making a second reply.
type NewReply struct {
	Channel domain.Channel
	Post    domain.BlogID
	By      domain.UserName
	// Key is the idempotency key, as that of a NewPost. The posts and replies of a user share their keys.
	Key  string
	Text string
	// CreatedOn dates the reply. The zero time means now.
	CreatedOn time.Time
}

// Reply makes a reply to a post and returns it. Who may post to the channel may reply there. It reports true if this
// call made the reply. It reports false if an earlier call with the same key made it.
//
//   - The post is not there: domain.ErrPostGone.
//   - The post has domain.MaxReplies: a *domain.InvalidError on the field "text".
//   - The reply that the key made has been deleted since: domain.ErrReplyGone.
//
// Its other errors are those of Create.
func (s *Posts) Reply(ctx context.Context, n NewReply) (_ domain.Reply, made bool, err error) {
	on := domain.Storable(n.CreatedOn)
	if n.CreatedOn.IsZero() {
		on = domain.Now()
	}
	reply := domain.Reply{Channel: n.Channel.Ref(), Post: n.Post, ID: domain.NewReplyID(on), Text: n.Text, UserID: n.By, CreatedOn: on}
	p := s.postPermit(n.Channel, n.By)
	p.exists = func(ctx context.Context) error { return s.requirePost(ctx, reply) }
	p.list = func(ctx context.Context) error { return s.lists.ListReply(ctx, reply) }
	err = s.requireRoom(ctx, reply)
	if err == nil {
		err = s.permitted(ctx, p, func(context.Context) ([]driver.Operation, error) { return n.rows(reply), nil })
	}
	if err == nil {
		return reply, true, nil
	}
	if optimistic.FailedAt(err, gateOfReply, domain.ErrNotFound) {
		err = domain.ErrPostGone
	}
	answer, never, err := s.answerRefused(ctx, n, reply, err)
	if never && p.listed {
		_ = s.lists.Unlist(ctx, n.By, []string{schema.RepliedRow(reply.Post, reply.ID)}) // what is left there does no harm
	}
	if err != nil {
		return domain.Reply{}, false, fmt.Errorf("replying to post %s of channel %s: %w", n.Post, n.Channel.Key(), err)
	}
	return answer, answer.ID == reply.ID, nil
}

// gateOfReply is which operation of a reply's transaction merges the post. The open gate is operation 0.
const gateOfReply = 1

// rows returns the operations that insert a reply behind its post.
func (n NewReply) rows(reply domain.Reply) []driver.Operation {
	incarnation := driver.String(schema.PropIncarnation, reply.Channel.Incarnation)
	return []driver.Operation{
		driver.Merge(schema.BlogRow(reply.Post), driver.Exists, driver.Time(schema.PropRepliedOn, reply.CreatedOn)),
		driver.Insert(n.once(),
			driver.String(schema.PropBlog, reply.Post),
			driver.String(schema.PropReply, reply.ID),
			driver.String(schema.PropBody, n.bodyHash()),
			incarnation),
		driver.Insert(schema.ReplyRow(reply.Post, reply.ID),
			driver.String(schema.PropText, reply.Text),
			driver.String(schema.PropUserID, reply.UserID),
			driver.Time(schema.PropCreatedOn, reply.CreatedOn),
			incarnation),
	}
}

func (n NewReply) once() string { return schema.OnceRow(string(n.By), n.Key) }

// bodyHash is of three texts, and that of a post of two at most: so a key of a post is never one of a reply.
func (n NewReply) bodyHash() string { return schema.Hash("reply", string(n.Post), n.Text) }

// requirePost returns domain.ErrPostGone if the post of a reply is not there.
func (s *Posts) requirePost(ctx context.Context, reply domain.Reply) error {
	_, err := s.readBlog(ctx, reply.Channel, reply.Post)
	if errors.Is(err, domain.ErrNotFound) {
		return domain.ErrPostGone
	}
	return err
}

// requireRoom returns a *domain.InvalidError if a post has as many replies as it can have. Replies of one moment may
// pass the limit.
func (s *Posts) requireRoom(ctx context.Context, reply domain.Reply) error {
	replies := s.repliesTo(reply.Channel, reply.Post)
	replies.KeysOnly = true
	//lab: Read whether the post can have another reply.
	rows, err := s.blogs.First(ctx, domain.MaxReplies, replies)
	if err == nil && len(rows) == domain.MaxReplies {
		err = domain.Invalid("text", "cannot be added: the post has %d replies, and can have no more", len(rows))
	}
	return err
}

func (s *Posts) repliesTo(ref domain.ChannelRef, post domain.BlogID) driver.Range {
	from := schema.RepliesTo(post)
	return driver.Range{Partition: schema.ChannelPartition(ref.Key), From: from, To: schema.PrefixEnd(from)}
}

// answerRefused answers a request to reply that was refused, with the reply that its key has made before, or with why.
// It reports whether the reply that this call wanted to make can never land.
func (s *Posts) answerRefused(ctx context.Context, n NewReply, wanted domain.Reply, why error) (_ domain.Reply, never bool, err error) {
	var full *domain.InvalidError
	never = errors.Is(why, domain.ErrForbidden) || errors.Is(why, domain.ErrPostGone)
	if !errors.Is(why, domain.ErrForbidden) && !errors.Is(why, domain.ErrExists) && !errors.As(why, &full) || errors.Is(why, fence.ErrGateGone) {
		return domain.Reply{}, never, why
	}
	//lab: Look which reply the key has made.
	once, err := s.blogs.Find(ctx, schema.ChannelPartition(n.Channel.Key()), n.once())
	switch {
	case err != nil:
		return domain.Reply{}, false, err
	case !once.Found() && errors.Is(why, domain.ErrExists): // a sweep has removed it since, so the gate is gone
		return domain.Reply{}, false, s.fence.WhyGateGone(ctx, wanted.Channel)
	case !once.Found():
		return domain.Reply{}, never, why
	case once.Properties.String(schema.PropReply) == string(wanted.ID): // this call made it, and the response was lost
		return wanted, false, nil
	case once.Properties.String(schema.PropBody) != n.bodyHash():
		return domain.Reply{}, true, domain.ErrKeyReused
	}
	earlier, err := Steps{Posts: s}.ReadReply(ctx, wanted.Channel, n.Post, domain.ReplyID(once.Properties.String(schema.PropReply)))
	if errors.Is(err, domain.ErrNotFound) {
		err = domain.ErrReplyGone
	}
	return earlier, true, err
}

// ReadReply reads one reply. One that is not there is domain.ErrNotFound. It compares no incarnations, because the id of
// the post in the key belongs to one.
func (s Steps) ReadReply(ctx context.Context, ref domain.ChannelRef, post domain.BlogID, id domain.ReplyID) (domain.Reply, error) {
	//lab: Read the reply.
	row, err := s.blogs.Get(ctx, schema.ChannelPartition(ref.Key), schema.ReplyRow(post, id))
	if err != nil {
		return domain.Reply{}, fmt.Errorf("reply %s to post %s of channel %s: %w", id, post, ref.Key, err)
	}
	return DecodeReply(row), nil
}

// DecodeReply decodes the row of a reply.
func DecodeReply(row driver.Entity) domain.Reply {
	p := row.Properties
	post, id := schema.ParseReply(row.Row[min(len(schema.Reply.Prefix()), len(row.Row)):])
	return domain.Reply{
		Channel:   domain.ChannelRef{Key: domain.ChannelKey(row.Partition), Incarnation: domain.Incarnation(p.String(schema.PropIncarnation))},
		Post:      post,
		ID:        id,
		Text:      p.String(schema.PropText),
		UserID:    domain.UserName(p.String(schema.PropUserID)),
		CreatedOn: p.Time(schema.PropCreatedOn),
	}
}

// Replies lists up to limit replies to a post, oldest first. It does not read the post: the caller shows them only
// with it, because replies may be left of a post that was deleted. After is the Next of the page before, and empty for
// the first page. A cursor of another list is an InvalidError on the field "after".
func (s *Posts) Replies(ctx context.Context, ref domain.ChannelRef, post domain.BlogID, after string, limit int) (replies driver.ListPage[domain.Reply], err error) {
	in := s.repliesTo(ref, post)
	list := driver.List{Name: "replies/" + in.Partition + string(post), After: after, Limit: limit, Prefix: schema.RepliesTo(post)}
	//lab: List the replies to the post.
	rows, next, err := list.Read(ctx, s.blogs, in)
	if err != nil {
		return replies, err
	}
	replies.Next, replies.Items = next, make([]domain.Reply, 0, len(rows))
	for _, row := range rows {
		reply := DecodeReply(row)
		if author, is := s.fence.Leaving.Author(reply.UserID); is {
			reply.UserID = author
			replies.Items = append(replies.Items, reply)
		}
	}
	return replies, nil
}

// DeleteReply deletes a reply and returns it as it was. Only its author, the channel's owner and operators may.
//
//   - The reply is not there: domain.ErrNotFound.
//   - The channel is being deleted: domain.ErrGone. The reply goes with it.
//   - The actor may not: domain.ErrForbidden.
func (s *Posts) DeleteReply(ctx context.Context, in domain.Channel, post domain.BlogID, id domain.ReplyID, by domain.Actor) (domain.Reply, error) {
	reply, err := Steps{Posts: s}.ReadReply(ctx, in.Ref(), post, id)
	switch {
	case err != nil:
		return domain.Reply{}, err
	case !by.May(domain.RemovePost, domain.Object{Author: reply.UserID, Owner: in.Owner}):
		return domain.Reply{}, fmt.Errorf("deleting reply %s: %w", id, domain.ErrForbidden)
	}
	//lab: Remove the reply.
	err = s.fence.TransactIfOpen(ctx, in.Ref(), driver.Delete(schema.ReplyRow(post, id), driver.Exists))
	if err = optimistic.UnlessRaced(err); err != nil { // it was there, so it is gone now
		return domain.Reply{}, fmt.Errorf("deleting reply %s: %w", id, ofPost(in.Ref(), err))
	}
	if reply.UserID != domain.DeletedUser {
		_ = s.lists.Unlist(ctx, reply.UserID, []string{schema.RepliedRow(post, id)}) // what is left there does no harm
	}
	return reply, nil
}

// EraseReply removes a reply of a user whose account is being deleted, or with keep their name from it. It may be
// called again. A reply of another user is left alone.
func (s Steps) EraseReply(ctx context.Context, ref domain.ChannelRef, post domain.BlogID, id domain.ReplyID, of domain.UserName, keep bool) error {
	reply, err := s.ReadReply(ctx, ref, post, id)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return nil
	case err != nil || reply.UserID != of:
		return err
	}
	erase := driver.Delete(schema.ReplyRow(post, id), driver.Exists)
	if keep {
		erase = driver.Merge(schema.ReplyRow(post, id), driver.Exists, driver.String(schema.PropUserID, domain.DeletedUser))
	}
	//lab: Remove the reply, or take the name of its author from it.
	err = optimistic.UnlessRaced(s.fence.TransactIfOpen(ctx, ref, erase))
	if errors.Is(err, fence.ErrGateGone) {
		return nil // the sweep removes it
	}
	return err
}
