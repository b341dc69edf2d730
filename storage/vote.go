package storage

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A Ballot is what one user wants of their vote on a post.
type Ballot struct {
	By domain.UserName
	// Withdraw takes the vote back. Otherwise, the ballot gives it.
	Withdraw bool
}

const (
	// voteFrame is how many operations a transaction of votes has besides the votes: the
	// gate, the post, and its row in the index, which is deleted and inserted.
	voteFrame = 4
	// MaxBallots is how many votes fit in one transaction.
	MaxBallots = driver.MaxOperations - voteFrame
)

// Vote gives a user's vote to a post. A user has one vote on each post; to vote
// again is no error. A post that is not there is domain.ErrNotFound. A channel that is
// being deleted is domain.ErrGone. Votes on one post that meet in this process share
// transactions (vote_combine.go).
func (s *Store) Vote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error {
	return s.cast(ctx, votedPost{ref, id}, Ballot{By: by})
}

// Unvote withdraws a user's vote. A user without a vote is no error. Its other errors
// are those of Vote.
func (s *Store) Unvote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error {
	return s.cast(ctx, votedPost{ref, id}, Ballot{By: by, Withdraw: true})
}

// VoteAll does what several ballots for one post want, MaxBallots in a transaction. It
// answers each ballot as Vote or Unvote does, as if they came one after the other. It
// does not wait for other votes of this process.
func (s *Store) VoteAll(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, ballots []Ballot) []error {
	all := make([]*ballot, len(ballots))
	for i, b := range ballots {
		all[i] = &ballot{Ballot: b}
	}
	for open := all; len(open) > 0; {
		batch, rest := eachUserOnce(open)
		s.rate(ctx, votedPost{ref, id}, func() []*ballot { return batch })
		open = rest
	}
	answers := make([]error, len(all))
	for i, b := range all {
		answers[i] = b.err
	}
	return answers
}

// A votedPost is the post that ballots are for.
type votedPost struct {
	ref domain.ChannelRef
	id  domain.BlogID
}

// A ballot is a Ballot on its way to its answer.
type ballot struct {
	Ballot
	answered bool
	// err is the answer. It is nil if the vote is as the user wants it.
	err error
	// asked is of a ballot that may wait for others (vote_combine.go).
	asked *asked
}

func (b *ballot) answer(err error) { b.answered, b.err = true, err }

// change is what the ballot adds to the post's rating.
func (b *ballot) change() int64 {
	if b.Withdraw {
		return -1
	}
	return +1
}

// operation changes the vote's row. It fails with done if the vote is already as the
// user wants it.
func (b *ballot) operation(post votedPost) driver.Operation {
	row := voteRow(post.id, b.By)
	if b.Withdraw {
		return driver.Delete(row, driver.Exists)
	}
	return driver.Insert(row, driver.String(propIncarnation, post.ref.Incarnation))
}

func (b *ballot) done() error {
	if b.Withdraw {
		return domain.ErrNotFound
	}
	return domain.ErrExists
}

// eachUserOnce selects what goes into the next transaction, which may name a row once:
// the first ballots, and of several by one user only the first. rest are the others, in
// their order.
func eachUserOnce(open []*ballot) (batch, rest []*ballot) {
	if len(open) == 1 {
		return open, nil
	}
	users := make(map[domain.UserName]bool, min(len(open), MaxBallots))
	for _, b := range open {
		if users[b.By] || len(batch) == MaxBallots {
			rest = append(rest, b)
			continue
		}
		users[b.By] = true
		batch = append(batch, b)
	}
	return batch, rest
}

// rate answers ballots of different users for one post. It calls gather for them when it
// has read the post, so that those who come meanwhile are among them. If the post is
// found missing, it is missing for them too: ids of posts do not return.
func (s *Store) rate(ctx context.Context, post votedPost, gather func() []*ballot) {
	var open []*ballot
	err := s.contend(ctx, func() error {
		now, err := s.readBlog(ctx, post.ref, post.id)
		if open == nil {
			open = gather()
		}
		if err != nil {
			return err
		}
		if err := s.rateTogether(ctx, post, now, open); err != nil {
			return err
		}
		if open = withoutAnswer(open); len(open) > 0 {
			return errTryAgain
		}
		return nil
	})
	for _, b := range open {
		b.answer(err)
	}
}

func withoutAnswer(ballots []*ballot) (open []*ballot) {
	for _, b := range ballots {
		if !b.answered {
			open = append(open, b)
		}
	}
	return open
}

// rateTogether changes votes, the post's rating and its row in the index in one
// transaction. It depends on the version of the post, so that no vote is lost, and none
// lands after the post is gone. If the operation of a ballot fails with done, the vote is
// as the user wants it. This also recognises the echo of the transaction, in which all
// votes are. It answers at least one ballot, or returns an error.
func (s *Store) rateTogether(ctx context.Context, post votedPost, now blogEntity, batch []*ballot) error {
	err := s.blogs.Transact(ctx, partitionOf(post.ref.Key), ratingOperations(post, now, batch)...)
	if err == nil {
		for _, b := range batch {
			b.answer(nil)
		}
		return nil
	}
	if gateMissing(err) {
		return s.whyPostGone(ctx, post.ref)
	}
	for i, b := range batch {
		if failedAt(err, 1+i, b.done()) {
			b.answer(nil)
			s.answerStanding(ctx, post, withoutAnswer(batch))
			return nil
		}
	}
	if raced(err) {
		return errTryAgain
	}
	return fmt.Errorf("voting on post %s: %w", post.id, err)
}

// ratingOperations are the gate, the votes in their order, the post and the index. If as
// many votes are given as withdrawn, the row in the index stays: a transaction may name
// it once.
func ratingOperations(post votedPost, now blogEntity, batch []*ballot) []driver.Operation {
	rating := now.Rating
	operations := make([]driver.Operation, 0, voteFrame+len(batch))
	operations = append(operations, holdGate(post.ref))
	for _, b := range batch {
		operations = append(operations, b.operation(post))
		rating += b.change()
	}
	operations = append(operations, driver.Merge(blogRow(post.id), driver.Match(now.etag), driver.Int64(propRating, rating)))
	if rating == now.Rating {
		return operations
	}
	return append(operations,
		driver.Delete(rateRow(now.Rating, post.id), driver.Exists),
		driver.Insert(rateRow(rating, post.id), driver.String(propIncarnation, post.ref.Incarnation)))
}

// answerStanding answers those ballots whose votes are already as their users want them.
// The store names only one of them, so it reads the rows of the others.
func (s *Store) answerStanding(ctx context.Context, post votedPost, others []*ballot) {
	if len(others) == 0 {
		return
	}
	reads := make([]func(context.Context) error, len(others))
	for i, b := range others {
		reads[i] = func(ctx context.Context) error {
			voted, err := s.Voted(ctx, post.ref, post.id, b.By)
			switch {
			case err != nil:
				b.answer(fmt.Errorf("voting on post %s: %w", post.id, err))
			case voted != b.Withdraw:
				b.answer(nil)
			}
			return nil // each ballot has its own error
		}
	}
	_ = s.AtOnce(ctx, reads[0], reads[1:]...)
}

// Voted tells whether a user has voted on a post.
func (s *Store) Voted(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) (bool, error) {
	return s.hasRow(ctx, ref.Key, voteRow(id, by))
}
