package fence

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// CreateChannel creates a channel, subscribes its owner, and returns the channel as
// it was created. A name that is in use is domain.ErrExists. While the former
// channel of that name is being deleted, it is domain.ErrStillDeleting. The given
// incarnation must be new: a caller that tries again passes another. If this
// incarnation cannot become the channel, CreateChannel takes a new one. A request with an idempotency
// key may be sent again (once.go); an empty key is none. CreateChannel reports true if this call made
// the channel. No post of a user lands in it whom posters leaves out, unless the owner changes the rule.
//
// If the process dies before it inserts the channel's row, it leaves a reservation or a gate that no
// request will use, and maybe the name on the owner's list. If it dies later, the channel exists, but its
// owner may have to subscribe. The rows of the idempotency key stay until the account is deleted (once.go). A
// request that is sent again with the key begins anew in the first case, and subscribes the owner in the
// second.
func (s *Fence) CreateChannel(ctx context.Context, channel domain.Channel, posters domain.Posters, key string) (_ domain.Channel, made bool, err error) {
	c := creation{channel: channel, posters: posters, tried: channel.Incarnation}
	if key != "" {
		c.once = schema.Hash(string(channel.Owner), key)
		c.body = schema.Hash(append([]string{string(channel.Key())}, domain.Texts(channel.Fields())...)...)
		if posters != domain.PostersOpen {
			c.body = schema.Hash(c.body, string(posters))
		}
	}
	err = s.pause.Retry(ctx, func() error {
		err := s.create(ctx, &c)
		if errors.Is(err, optimistic.ErrAgain) {
			// The insert of the row may still take effect later, and its gate may be gone
			// by then. So the incarnation must not be used again.
			c.tried = domain.NewIncarnation()
			c.channel.Incarnation = c.tried
		}
		return err
	})
	if err != nil {
		return domain.Channel{}, false, err
	}
	if key != "" && !c.recorded {
		err = s.recordMade(ctx, &c, c.channel.Incarnation)
	}
	return c.channel, c.channel.Incarnation == c.tried, err
}

// A creation is a request to create a channel, while it is carried out.
type creation struct {
	// channel is that of this request, or the one that an earlier request with the same key has made.
	channel domain.Channel
	// posters says who may post to it.
	posters domain.Posters
	// tried is the incarnation that this request tries to create.
	tried domain.Incarnation
	// once is the hash of the owner and the idempotency key. It is empty if the request
	// has no key.
	once string
	// body is the hash of what the request asks for.
	body string
	// recorded reports whether the made! row names the channel.
	recorded bool
}

// create makes one attempt with one incarnation, or returns optimistic.ErrAgain if that can no longer
// become the channel. It reserves the gate, lists the channel, opens the gate, inserts the channel's row,
// and subscribes the owner. (A request with an idempotency key also notes the key before that, and
// what it made after it: once.go.)
//
// No worker can shut the gate before the row is there, because no other process knows the incarnation.
// Others may delete the reservation or the gate, each in a version that it read before the row was
// there: a repair; and, if a user's list has the name, Prune, the deletion of that account, or that user if
// the list is full. Then ReserveGate, OpenGate or the subscription fails, and the creation begins again.
func (s *Fence) create(ctx context.Context, c *creation) error {
	//lab: Read whether the name is free at this moment.
	row, err := s.ReadChannel(ctx, c.channel.Key())
	switch {
	case err == nil:
		return s.nameTaken(ctx, c, row)
	case !errors.Is(err, domain.ErrNotFound):
		return err
	}
	if done, err := s.beginOnce(ctx, c); err != nil || done {
		return err
	}
	ref := c.channel.Ref()
	// The reservation comes before the list, so that a deletion of the account which finds the name there
	// can delete the reservation.
	reservation, err := s.ReserveGate(ctx, ref)
	if err == nil {
		err = s.list(ctx, c.channel)
	}
	if err == nil {
		err = s.RequireActive(ctx, c.channel.Owner)
	}
	if err == nil {
		err = s.OpenGate(ctx, ref, reservation, c.posters)
	}
	if err != nil {
		return err
	}
	//lab: Insert the channel's row, which makes it visible.
	insertErr := s.channels.Transact(ctx, schema.ChannelPartition(ref.Key), driver.Insert(schema.SingleRow, encodeChannel(c.channel, c.once)...))
	if insertErr != nil && !errors.Is(insertErr, domain.ErrExists) && !errors.Is(insertErr, domain.ErrUnavailable) {
		return insertErr
	}
	return s.resolveInsert(ctx, c, insertErr == nil)
}

// nameTaken returns the error for a creator who finds this row under the name. It
// returns nil if an earlier request with the same idempotency key made the channel. If the
// incarnation has neither a gate nor any row behind it, the row comes from a delayed insert, possibly
// of this same request, and is no channel: nameTaken deletes it and returns optimistic.ErrAgain.
func (s *Fence) nameTaken(ctx context.Context, c *creation, row Row) error {
	if done, err := s.adopt(ctx, c, row); err != nil || done {
		return err
	}
	if row.State != domain.ChannelActive {
		return fmt.Errorf("channel %s: %w", row.Key(), domain.ErrStillDeleting)
	}
	return s.reclaimOr(ctx, row, fmt.Errorf("channel %s: %w", row.Key(), domain.ErrExists))
}

// resolveInsert finds out whether the insert of the channel's row took effect, and if so subscribes the
// owner. The row says who has the name. The response to the insert does not: "exists" can be
// a self-conflict (the client library has sent this insert a second time, because the first
// response was lost), and an insert that failed can have taken effect.
//
// An insert that was not acknowledged may take effect at any time, even between the read
// of the row and the deletion of the gate. Then another user may have posted behind
// that gate. So the gate is read before the row, and deleted in the version that
// was read: a post changes that version. If the row appears after that, it has no gate,
// and Reclaim may delete it.
func (s *Fence) resolveInsert(ctx context.Context, c *creation, acknowledged bool) (err error) {
	ref := c.channel.Ref()
	var gate driver.Entity
	if !acknowledged {
		//lab: Read the version of the gate of this creation.
		if gate, err = s.blogs.Find(ctx, schema.ChannelPartition(ref.Key), schema.OpenGateRow(ref.Incarnation)); err != nil {
			return err
		}
	}
	//lab: Read the row, which says who has the name.
	row, err := s.ReadChannel(ctx, ref.Key)
	absent := errors.Is(err, domain.ErrNotFound)
	switch {
	case absent:
	case err != nil:
		return err
	case row.Incarnation == ref.Incarnation:
		return s.confirmCreated(ctx, row)
	}
	// The row is not there, or is of another creation. If the insert was acknowledged, the row was there and
	// has been deleted, and its gate before it: there is no gate to delete. If the insert was not
	// acknowledged, it may still take effect, so delete the gate that its row would have.
	if gate.Found() {
		switch err := s.WithdrawGate(ctx, gate); {
		case errors.Is(err, optimistic.ErrAgain):
			return s.resolveInsert(ctx, c, acknowledged)
		case err != nil:
			return err
		}
	}
	if absent {
		return optimistic.ErrAgain
	}
	return s.nameTaken(ctx, c, row)
}

// confirmCreated subscribes the owner, in a transaction that merges the gate. Otherwise CreateChannel could
// acknowledge a channel that accepts no post. The merge gives the gate a new version, so that no process can
// delete it in one that was read before. If the gate is gone, confirmCreated reclaims the row and returns
// optimistic.ErrAgain. If the gate is shut, or the incarnation has rows and no gate, it returns
// domain.ErrStillDeleting: a deletion is under way, or the store has lost the gate.
func (s *Fence) confirmCreated(ctx context.Context, row Row) error {
	if err := s.join(ctx, row.Channel); !errors.Is(err, ErrGateGone) {
		return err
	}
	return s.reclaimOr(ctx, row, fmt.Errorf("channel %s: %w", row.Key(), domain.ErrStillDeleting))
}
