package web

import (
	"context"

	"microblogging/domain"
)

type voteStore interface {
	Vote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error
	Unvote(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error
}

// A castVote is voteStore's Vote or Unvote. Both are idempotent.
type castVote func(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error
