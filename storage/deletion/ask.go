package deletion

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
)

// Request accepts the deletion of a channel, and returns the channel. From then on no page
// shows the channel, and the deletion completes despite crashes unless it is undone (Undo). Only
// the owner and operators may delete a channel. Called again while the deletion runs, it changes nothing.
// If the owner and an operator ask concurrently, the record says who asked, and so who can undo it.
//
//   - There is no such channel: domain.ErrNotFound.
//   - The precondition does not hold for its present incarnation: a *domain.ReplacedError.
//   - The actor may not: domain.ErrForbidden.
//   - The request was undone while it was under way, or took so long that a pass has given it up (open.go):
//     domain.ErrConflict.
//
// It writes, in this order:
//
//  1. the owner's list of deletions; if the process dies before 3, that row stays, and no page shows it (list.go);
//  2. the index row, without which a lost message would never be replaced;
//  3. the message; if it came after 5, a request that died between them would leave a pending channel
//     that waits for a reconciling pass;
//  4. the record, without which Undo could not find the request of a pending channel. It comes after the
//     message, so the message of a request on record was sent. It replaces a record with a lower undo
//     count that is not done, and renews the index row after it has read that (RecordDeletion). Any other
//     record stays;
//  5. the channel's row.
//
// If the process dies after 3 and before 5, a worker deletes the channel once the message is visible,
// although the user may have seen an error; unless a pass has given the request up. Until then the channel
// stays active.
//
// If a request died after its message, the user may ask again. Then two messages are on the queue, and
// one record: of the second request if the first died before it wrote one, else of the first. The user is
// told the time in the record. While the record is pending, a worker carries out only the message of the
// request on record, and deletes the other from the queue (progress in package worker). Otherwise the
// deletion could begin before that time. (A message without time to undo is carried out all the same, such
// as that of an owner whose account is deleted.) The time in the channel's row may be another; only
// Retry-After of the channel's feeds shows it.
func (s *Deletions) Request(ctx context.Context, key domain.ChannelKey, by domain.Actor,
	expected domain.Precondition[domain.Incarnation],
) (domain.Channel, error) {
	//lab: Read which incarnation is to be deleted.
	row, err := s.fence.ReadChannel(ctx, key)
	switch {
	case err != nil:
		return domain.Channel{}, err
	case !expected.Holds(row.Incarnation):
		// This comes before the check of the owner, since the present incarnation
		// may belong to another user.
		return domain.Channel{}, fmt.Errorf("deleting channel %s: %w", key, &domain.ReplacedError{Current: row.Channel})
	case !by.May(domain.DeleteChannel, domain.Object{Owner: row.Owner}):
		return domain.Channel{}, fmt.Errorf("deleting channel %s: %w", key, domain.ErrForbidden)
	case row.State != domain.ChannelActive:
		return row.Channel, nil
	}
	message := MessageFor(row.Channel, row.Owner)
	message.ByOperator = by.ByOperator(domain.DeleteChannel, domain.Object{Owner: row.Owner})
	if s.undo > 0 {
		message.UndoableUntil = message.RequestedOn.Add(s.undo)
	}
	return row.Channel, Steps{s}.acceptDeletion(ctx, row, message)
}

// acceptDeletion makes the writes of Request, in their order.
func (s Steps) acceptDeletion(ctx context.Context, row fence.Row, message domain.Message) error {
	if err := s.ListDeletion(ctx, message); err != nil {
		return err
	}
	if err := s.recordIntent(ctx, message); err != nil {
		return err
	}
	err := s.fence.SetPending(ctx, row, message.UndoableUntil)
	if errors.Is(err, optimistic.ErrAgain) {
		err = s.setPendingAgain(ctx, message)
	}
	return err
}

// recordIntent makes the writes that come before the channel is set to pending.
func (s Steps) recordIntent(ctx context.Context, message domain.Message) error {
	if err := s.RenewOpen(ctx, message.Ref(), message.Due()); err != nil {
		return err
	}
	if err := s.Enqueue(ctx, message); err != nil {
		return fmt.Errorf("queueing the deletion of channel %s: %w", message.Channel, err)
	}
	return s.RecordDeletion(ctx, message)
}

// Enqueue dates a message and puts it on the queue. The queue keeps the message of a channel invisible
// for as long as the deletion can be undone. It measures that with its own clock, so no other clock
// matters.
func (s Steps) Enqueue(ctx context.Context, m domain.Message) error {
	return s.enqueueAfter(ctx, m, m.Delay())
}

// enqueueAfter is Enqueue with a delay, which is rounded up to whole seconds.
func (s Steps) enqueueAfter(ctx context.Context, m domain.Message, delay time.Duration) error {
	m.QueuedOn = domain.Now()
	//lab: Send the message that asks for the deletion.
	return s.queue.SendDelayed(ctx, m.Encode(), (delay + time.Second - 1).Truncate(time.Second))
}

// MessageFor is the request to delete a channel in this state. The row of a pending channel does not say
// when its deletion was requested. So the request is dated as early as it can have been, and its message
// gets the longest delay.
func MessageFor(channel domain.Channel, by domain.UserName) domain.Message {
	on := domain.Now()
	if !channel.UndoableUntil.IsZero() {
		on = channel.UndoableUntil.Add(-domain.MaxUndo)
	}
	return domain.Message{
		Kind:        domain.MessageChannel,
		Channel:     channel.Key(),
		Incarnation: channel.Incarnation,
		Name:        channel.Name,
		RequestedBy: by,
		RequestedOn: on,

		UndoCount: channel.UndoCount, UndoableUntil: channel.UndoableUntil,
	}
}
