package storage

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Vote gives a user's vote to a post. A user has one vote on each post; to vote
// again is no error. A post that is not there is domain.ErrNotFound. A channel that is
// being deleted is domain.ErrGone.
func (s *Store) Vote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error {
	vote := driver.Insert(voteRow(id, by), driver.String(propIncarnation, ref.Incarnation))
	return s.rate(ctx, ref, id, +1, vote, domain.ErrExists)
}

// Unvote withdraws a user's vote. A user without a vote is no error. Its other errors
// are those of Vote.
func (s *Store) Unvote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error {
	return s.rate(ctx, ref, id, -1, driver.Delete(voteRow(id, by), driver.Exists), domain.ErrNotFound)
}

// rate changes a vote, the post's rating and its row in the index in one
// transaction. It depends on the version of the post, so that no vote is lost, and
// none lands after the post is gone. If the vote's own operation fails with done,
// the vote is as the user wants it. This also recognises the echo of the
// transaction.
func (s *Store) rate(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by int64, vote driver.Operation, done error) error {
	return s.contend(ctx, func() error {
		post, err := s.readBlog(ctx, ref, id)
		if err != nil {
			return err
		}
		err = s.blogs.Transact(ctx, partitionOf(ref.Key),
			holdGate(ref),
			vote,
			driver.Merge(blogRow(id), driver.Match(post.etag), driver.Int64(propRating, post.Rating+by)),
			driver.Delete(rateRow(post.Rating, id), driver.Exists),
			driver.Insert(rateRow(post.Rating+by, id), driver.String(propIncarnation, ref.Incarnation)))
		switch {
		case gateMissing(err):
			return s.whyGateGone(ctx, ref)
		case failedAt(err, 1, done):
			return nil
		case raced(err):
			return errTryAgain
		case err != nil:
			return fmt.Errorf("voting on post %s: %w", id, err)
		}
		return nil
	})
}

// Voted tells whether a user has voted on a post.
func (s *Store) Voted(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) (bool, error) {
	return s.hasRow(ctx, ref.Key, voteRow(id, by))
}
