package blog

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Delete deletes a post. Only its author, the channel's owner and operators may.
//
//   - The post is not there: domain.ErrNotFound.
//   - The channel is being deleted: domain.ErrGone. The post goes with it.
//   - The actor may not: domain.ErrForbidden.
//   - The precondition does not hold: a *domain.StaleError with the current post.
//
// The message is queued before the post is deleted. If the process dies in
// between, the worker deletes the post and its votes (FinishBlog).
func (s *Posts) Delete(ctx context.Context, in domain.Channel, id domain.BlogID, by domain.Actor,
	expected domain.Precondition[domain.Revision],
) error {
	var queued domain.Revision
	return s.pause.Retry(ctx, func() error {
		row, err := s.readBlog(ctx, in.Ref(), id)
		switch {
		case errors.Is(err, domain.ErrNotFound) && queued != "":
			return nil // this is a conflict with our own earlier delete, or the worker was faster
		case err != nil:
			return err
		case !by.May(domain.RemovePost, domain.Object{Author: row.UserID, Owner: in.Owner}):
			return fmt.Errorf("deleting post %s: %w", id, domain.ErrForbidden)
		case !expected.Holds(row.Revision):
			return &domain.StaleError{Current: row.Blog}
		}
		if row.Revision != queued {
			message := domain.Message{
				Kind: domain.MessageBlog, Channel: in.Key(), Incarnation: in.Incarnation, Name: in.Name, Blog: id, Revision: row.Revision,
				RequestedBy: by.User, RequestedOn: domain.Now(),
			}
			if err := s.deletions.Enqueue(ctx, message); err != nil {
				return fmt.Errorf("queueing the deletion of post %s: %w", id, err)
			}
			queued = row.Revision
		}
		return ofPost(in.Ref(), s.removeBlog(ctx, row))
	})
}

// FinishBlog completes the deletion of a post that a message asks for, whatever
// was done before, and deletes all votes on it and replies to it. It deletes the post only at the
// revision that the message names. At another revision, the author edited the post
// after the request to delete it had failed: the post stays. If the open gate is gone,
// the channel is being deleted: the sweep deletes the post and the votes, or has.
//
// FinishBlog calls report after each transaction with the number of rows it deleted.
func (s Steps) FinishBlog(ctx context.Context, m domain.Message, report func(rows int)) error {
	return s.pause.Retry(ctx, func() error {
		row, err := s.readBlog(ctx, m.Ref(), m.Blog)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return s.removeAbout(ctx, m.Ref(), m.Blog, report)
		case err != nil:
			return err
		case row.Revision != m.Revision:
			return nil
		}
		switch err := s.removeBlog(ctx, row); {
		case errors.Is(err, fence.ErrGateGone):
			return nil
		case err != nil:
			return err
		}
		report(blogRows)
		return s.removeAbout(ctx, m.Ref(), m.Blog, report)
	})
}

// EraseBlog removes a post of a user whose account is being deleted, with the votes on it and the replies to it, or with
// keep their name from it. It may be called again. A post of another user is left alone.
func (s Steps) EraseBlog(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, of domain.UserName, keep bool, report func(rows int)) error {
	return s.pause.Retry(ctx, func() error {
		row, err := s.readBlog(ctx, ref, id)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return s.removeAbout(ctx, ref, id, report)
		case err != nil || row.UserID != of:
			return err
		case keep:
			//lab: Take the name of its author from the post.
			err = optimistic.Again(s.fence.TransactIfOpen(ctx, ref,
				driver.Merge(schema.BlogRow(id), driver.Exists, driver.String(schema.PropUserID, domain.DeletedUser))))
		default: // the list leads to the votes and replies, and so goes after them
			err = s.removeRows(ctx, row)
		}
		switch {
		case errors.Is(err, fence.ErrGateGone):
			return nil // the sweep removes it
		case err != nil || keep:
			return err
		}
		report(blogRows)
		return s.removeAbout(ctx, ref, id, report)
	})
}

// blogRows is how many rows removeBlog deletes.
const blogRows = 2

// removeBlog is removeRows, and then takes the post off its author's list.
func (s *Posts) removeBlog(ctx context.Context, row Entity) error {
	err := s.removeRows(ctx, row)
	if err == nil && row.UserID != domain.DeletedUser {
		_ = s.lists.UnlistPosts(ctx, row.UserID, row.Blog) // what is left on a list does no harm
	}
	return err
}

// removeRows deletes the post in the version that was read, and its row in the index by rating. It returns
// optimistic.ErrAgain if the post has changed. If the post has had replies, it first puts the deletion on the index
// of open deletions: once the post is gone, its message may be lost, and nothing else leads to replies of others.
func (s *Posts) removeRows(ctx context.Context, row Entity) error {
	if !row.RepliedOn.IsZero() {
		if err := s.deletions.RenewOpenBlog(ctx, row.Channel, row.ID); err != nil {
			return err
		}
	}
	//lab: Remove the post with its rows in one transaction.
	return optimistic.Again(s.fence.TransactIfOpen(ctx, row.Channel,
		driver.Delete(schema.BlogRow(row.ID), driver.Match(row.ETag)),
		driver.Delete(schema.RateRow(row.Rating, row.ID), driver.Exists)))
}

// complete is what a reconciling pass does with the deletion of a post that is on the index (deletion.CompleteBlog). If
// the post is there, a request or a worker may be about to remove it in the version that it has read, and has put it on
// the index before. Another version makes that begin again, so that the pass can take it off the index.
func (s *Posts) complete(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) error {
	return s.pause.Retry(ctx, func() error {
		_, err := s.readBlog(ctx, ref, id)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return s.removeAbout(ctx, ref, id, func(int) {})
		case err != nil:
			return err
		}
		// Its incarnation stays.
		//lab: Write the post, which gives it a new version.
		err = s.fence.TransactIfOpen(ctx, ref, driver.Merge(schema.BlogRow(id), driver.Exists, driver.String(schema.PropIncarnation, ref.Incarnation)))
		if errors.Is(err, fence.ErrGateGone) { // the sweep removes it
			return nil
		}
		return optimistic.Again(err)
	})
}

// removeAbout deletes the votes on a post and the replies to it, once the post's row is gone. It needs no gate,
// however late it runs: no vote or reply can land on a missing post, the id of a post never returns, and no page
// shows what is about a post that is gone. Several workers may do this concurrently.
func (s *Posts) removeAbout(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, report func(rows int)) error {
	for _, prefix := range []string{schema.VotesOf(id), schema.RepliesTo(id)} {
		about := driver.Range{Partition: schema.ChannelPartition(ref.Key), From: prefix, To: schema.PrefixEnd(prefix),
			Paging: driver.Paging{Select: []string{schema.PropUserID}}}
		if err := s.removeRange(ctx, about, report); err != nil {
			return fmt.Errorf("removing what is about post %s: %w", id, err)
		}
	}
	return nil
}

// removeRange deletes the rows of a range to which no row is added any more.
func (s *Posts) removeRange(ctx context.Context, in driver.Range, report func(rows int)) error {
	for {
		//lab: List the votes on the post, or the replies to it.
		rows, err := s.blogs.First(ctx, driver.MaxOperations, in)
		if err != nil || len(rows) == 0 {
			return err
		}
		removal := make([]driver.Operation, len(rows))
		for i, row := range rows {
			removal[i] = driver.Delete(row.Row, driver.Exists)
		}
		//lab: Remove these rows.
		err = s.blogs.Transact(ctx, in.Partition, removal...)
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			return err
		}
		if err == nil {
			report(len(rows))
			_ = s.lists.unlistAll(ctx, rows) // after the rows, to which the lists lead; what is left goes with the channel
		}
	}
}
