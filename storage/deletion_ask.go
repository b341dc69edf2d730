package storage

import (
	"context"
	"fmt"

	"microblogging/domain"
)

// AskDeletion accepts the deletion of a channel, for its owner, if the
// incarnation that lives now satisfies the precondition. When it returns the
// channel, no reader sees it any more, and the deletion will end whatever
// crashes. Asked again while it runs, it answers the same.
//
// The order is: the message, the Deletions row, the mark. Died after the
// message: the worker does the rest. The other way round, a channel marked and
// never queued would be stuck.
func (s *Store) AskDeletion(ctx context.Context, key domain.ChannelKey, by domain.UserName,
	expected domain.Precondition[domain.Incarnation],
) (domain.Channel, error) {
	row, err := s.readChannel(ctx, key)
	switch {
	case err != nil:
		return domain.Channel{}, err
	case !expected.Holds(row.Incarnation):
		// Before the question whose it is: the new life may be somebody else's.
		return domain.Channel{}, fmt.Errorf("incarnation of channel %s: %w", key, domain.ErrConflict)
	case row.Owner != by:
		return domain.Channel{}, fmt.Errorf("deleting channel %s: %w", key, domain.ErrForbidden)
	case row.State == domain.ChannelDeleting:
		return row.Channel, nil
	}
	message := channelMessage(row.Channel, by)
	if err := s.queue.Send(ctx, message.Encode()); err != nil {
		return domain.Channel{}, fmt.Errorf("queueing the deletion of channel %s: %w", key, err)
	}
	if err := s.OpenDeletion(ctx, message); err != nil {
		return domain.Channel{}, err
	}
	_, err = s.MarkDeleting(ctx, row.Ref())
	return row.Channel, err
}

func channelMessage(channel domain.Channel, by domain.UserName) domain.Message {
	return domain.Message{
		Kind:        domain.MessageChannel,
		Channel:     channel.Key(),
		Incarnation: channel.Incarnation,
		Name:        channel.Name,
		By:          by,
		AskedOn:     domain.Now(),
	}
}
