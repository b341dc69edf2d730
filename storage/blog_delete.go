package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// DeleteBlog removes a post. Its author and the channel's owner may. The
// message is queued first, so that what hangs from the post goes too if this
// process dies in between.
func (s *Store) DeleteBlog(ctx context.Context, channel domain.Channel, id domain.BlogID, by domain.UserName,
	expected domain.Precondition[domain.Revision],
) error {
	var queued domain.Revision
	return s.contend(ctx, func() error {
		row, err := s.readBlog(ctx, channel.Ref(), id)
		switch {
		case errors.Is(err, domain.ErrNotFound) && queued != "":
			return nil // the echo of our own delete, or the worker was faster
		case err != nil:
			return err
		case row.UserID != by && channel.Owner != by:
			return fmt.Errorf("deleting post %s: %w", id, domain.ErrForbidden)
		case !expected.Holds(row.Revision):
			return &domain.StaleError{Current: row.Blog}
		}
		if row.Revision != queued {
			if err := s.queue.Send(ctx, blogMessage(channel, row.Blog, by).Encode()); err != nil {
				return fmt.Errorf("queueing the deletion of post %s: %w", id, err)
			}
			queued = row.Revision
		}
		return s.removeBlog(ctx, row)
	})
}

func blogMessage(channel domain.Channel, blog domain.Blog, by domain.UserName) domain.Message {
	return domain.Message{
		Kind:        domain.MessageBlog,
		Channel:     blog.Channel.Key,
		Incarnation: blog.Channel.Incarnation,
		Name:        channel.Name,
		By:          by,
		AskedOn:     domain.Now(),
		Blog:        blog.ID,
		Revision:    blog.Revision,
	}
}

// FinishBlog completes the deletion of a post that a message asks for, in
// whatever state it was left, and removes the post's votes, however many. The post is removed only at the revision that the
// message names: another one means that its author edited it after the request
// had failed, and that it stays.
func (s *Store) FinishBlog(ctx context.Context, m domain.Message) error {
	return s.contend(ctx, func() error {
		row, err := s.readBlog(ctx, m.Ref(), m.Blog)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return s.sweepVotes(ctx, m.Ref(), m.Blog)
		case err != nil:
			return err
		case row.Revision != m.Revision:
			return nil
		}
		if err := s.removeBlog(ctx, row); err != nil {
			return err
		}
		return s.sweepVotes(ctx, m.Ref(), m.Blog)
	})
}

// removeBlog deletes the post in the version that was read, with its index row.
func (s *Store) removeBlog(ctx context.Context, row blogEntity) error {
	err := s.blogs.Transact(ctx, partitionOf(row.Channel.Key),
		driver.Delete(blogRow(row.ID), driver.Match(row.etag)),
		driver.Delete(rateRow(row.Rating, row.ID), driver.Exists))
	if raced(err) {
		return errTryAgain
	}
	return err
}

// sweepVotes removes the votes on a post whose row is gone: no vote can land any
// more, and the id never returns, so that no gate is needed however late this
// is. Others may be at it at the same time.
func (s *Store) sweepVotes(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) error {
	prefix := votesOf(id)
	for {
		rows, err := s.blogs.First(ctx, driver.MaxOperations, driver.Range{
			Partition: partitionOf(ref.Key), From: prefix, To: prefixEnd(prefix), Paging: driver.Paging{KeysOnly: true}})
		if err != nil || len(rows) == 0 {
			return err
		}
		votes := make([]driver.Operation, len(rows))
		for i, row := range rows {
			votes[i] = driver.Delete(row.Row, driver.Exists)
		}
		err = s.blogs.Transact(ctx, partitionOf(ref.Key), votes...)
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			return fmt.Errorf("removing the votes on post %s: %w", id, err)
		}
	}
}
