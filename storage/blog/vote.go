package blog

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Vote gives a user's vote to a post. A user has one vote on each post; to vote
// again is no error. A post that is not there is domain.ErrNotFound. A channel that is
// being deleted is domain.ErrGone. A user whose account is being deleted is domain.ErrAccountEnds.
func (s *Posts) Vote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error {
	p := &permit{
		ref: ref, by: by,
		exists: func(ctx context.Context) error { _, err := s.readBlog(ctx, ref, id); return err },
		list:   func(ctx context.Context) error { return s.lists.ListVote(ctx, ref, id, by) },
	}
	insert := driver.Insert(schema.VoteRow(id, by), driver.String(schema.PropIncarnation, ref.Incarnation))
	err := s.rate(ctx, p, id, +1, insert, domain.ErrExists)
	if p.listed && errors.Is(err, domain.ErrNotFound) {
		// An earlier vote stays on the list until it is removed. There is no later one: the id of a post never returns.
		if voted, unread := s.Voted(ctx, ref, id, by); unread == nil && !voted {
			_ = s.lists.Unlist(ctx, by, []string{schema.VotedRow(id)})
		}
	}
	return err
}

// Unvote withdraws a user's vote. A user without a vote is no error. Its other errors
// are those of Vote.
func (s *Posts) Unvote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error {
	remove := driver.Delete(schema.VoteRow(id, by), driver.Exists)
	return s.rate(ctx, &permit{ref: ref, by: by, free: true}, id, -1, remove, domain.ErrNotFound)
}

// EraseVote withdraws the vote of a user whose account is being deleted. If the post is gone, what would remove its
// votes may wait for an operator: then EraseVote removes the vote alone, which needs no gate (removeAbout).
func (s Steps) EraseVote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, of domain.UserName) error {
	err := s.Unvote(ctx, ref, id, of)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		//lab: Remove a vote on a post that is gone.
		err = s.blogs.Transact(ctx, schema.ChannelPartition(ref.Key), driver.Delete(schema.VoteRow(id, of), driver.Exists))
		if errors.Is(err, domain.ErrNotFound) {
			err = nil
		}
	case errors.Is(err, domain.ErrGone): // the sweep removes it
		err = nil
	}
	return err
}

// rate changes a vote, the post's rating and its row in the index in one transaction. It
// depends on the version of the post, so that no vote is lost, and none lands after the
// post is gone. If the operation on the vote fails with done, the vote is as its user
// wants it. This also recognises a self-conflict. Of all requests that read one version, only one would
// succeed, so those of this process wait for each other from there on.
func (s *Posts) rate(ctx context.Context, p *permit, id domain.BlogID, change int64, vote driver.Operation, done error) error {
	var unlock func()
	defer func() {
		if unlock != nil {
			unlock()
		}
	}()
	return s.pause.Retry(ctx, func() error {
		err := s.permitted(ctx, p, func(ctx context.Context) (_ []driver.Operation, err error) {
			if unlock == nil {
				if unlock, err = s.votes.Lock(ctx, id); err != nil {
					return nil, err
				}
			}
			now, err := s.readBlog(ctx, p.ref, id)
			return ratingOperations(now, change, vote), err
		})
		switch {
		case err == nil, optimistic.FailedAt(err, 1, done):
			return nil
		case optimistic.Raced(err):
			return optimistic.ErrAgain
		}
		return fmt.Errorf("voting on post %s: %w", id, ofPost(p.ref, err))
	})
}

// ratingOperations are the vote, the post and the index.
func ratingOperations(now Entity, change int64, vote driver.Operation) []driver.Operation {
	rating := now.Rating + change
	return []driver.Operation{
		vote,
		driver.Merge(schema.BlogRow(now.ID), driver.Match(now.ETag), driver.Int64(schema.PropRating, rating)),
		driver.Delete(schema.RateRow(now.Rating, now.ID), driver.Exists),
		driver.Insert(schema.RateRow(rating, now.ID), driver.String(schema.PropIncarnation, now.Channel.Incarnation)),
	}
}

// Voted reports whether a user has voted on a post.
func (s *Posts) Voted(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) (bool, error) {
	//lab: Read whether the user has voted.
	return s.fence.HasRow(ctx, ref.Key, schema.VoteRow(id, by))
}
