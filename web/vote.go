package web

import (
	"context"

	"microblogging/domain"
)

// A castVote is the store's Vote or Unvote. Both are idempotent.
type castVote func(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error
