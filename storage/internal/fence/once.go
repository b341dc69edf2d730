package fence

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The owner may send a request with an idempotency key again: it is then answered with the channel
// that the first one made, in its present state. The key may be any text.
//
//   - The key was used for another name, or with other fields: domain.ErrKeyReused.
//   - The channel that the key made has been deleted since: domain.ErrChannelGone. If this call made
//     another before it noticed, CreateChannel returns that one too, and the caller must delete it.
//
// Two rows of the owner's partition belong to the key. They are inserted, never changed, and deleted
// only with the account, so that a delayed duplicate of an insert changes nothing:
//
//   - once! holds the hash of the body. It is inserted before the gate is reserved. While
//     another channel has the name, it is not inserted, so the key stays unused.
//   - made! holds the incarnation that the key made. It is inserted before the caller is
//     answered. Of two requests with one key, the first insert decides for both.
//
// The channel's row carries the hash of the key. So a request that finds the name taken
// recognises the channel of an earlier request with its key, whichever incarnation that
// took. If the process dies before made! is inserted, the next request with the key
// inserts it.

// beginOnce inserts the once! row, unless the request has no key. It reports done if the key has made
// a channel already, which it then puts into the creation.
func (s *Fence) beginOnce(ctx context.Context, c *creation) (done bool, err error) {
	if c.once == "" {
		return false, nil
	}
	//lab: Note the key of the request.
	err = s.users.Transact(ctx, schema.UserPartition(c.channel.Owner),
		driver.Insert(schema.UserOnce.Row(c.once), driver.String(schema.PropBody, c.body)))
	switch {
	case err == nil:
		return false, nil
	case errors.Is(err, domain.ErrExists): // by an earlier request, or by this one before it began again
		return s.earlierCreation(ctx, c)
	}
	return false, fmt.Errorf("creating channel %s: %w", c.channel.Key(), err)
}

// adopt reports whether an earlier request with the same key made the channel of this row,
// or another channel. If so, it puts that channel into the creation.
func (s *Fence) adopt(ctx context.Context, c *creation, row Row) (done bool, err error) {
	if c.once == "" {
		return false, nil
	}
	if done, err := s.earlierCreation(ctx, c); err != nil || done || row.once != c.once {
		return done, err
	}
	if row.State != domain.ChannelActive {
		if err := s.recordMade(ctx, c, row.Incarnation); err != nil || c.recorded {
			return true, err
		}
		return true, errChannelGone(c)
	}
	if err := s.confirmCreated(ctx, row); err != nil {
		return false, err
	}
	c.channel = row.Channel
	return true, nil
}

// earlierCreation reads what the key was used for. It reports done if the key has made a
// channel, which it puts into the creation.
func (s *Fence) earlierCreation(ctx context.Context, c *creation) (done bool, err error) {
	partition := schema.UserPartition(c.channel.Owner)
	//lab: Read whether the key was used before, and for what.
	once, err := s.users.Find(ctx, partition, schema.UserOnce.Row(c.once))
	switch {
	case err != nil || !once.Found():
		return false, err
	case once.Properties.String(schema.PropBody) != c.body:
		return false, fmt.Errorf("creating channel %s: %w", c.channel.Key(), domain.ErrKeyReused)
	}
	//lab: Read which channel the key made.
	made, err := s.users.Find(ctx, partition, schema.Made.Row(c.once))
	if err != nil || !made.Found() {
		return false, err
	}
	return true, s.takeMade(ctx, c, made)
}

// recordMade inserts the made! row. If another request with the key was faster, its row
// says which channel the key made, and recordMade puts that into the creation.
func (s *Fence) recordMade(ctx context.Context, c *creation, incarnation domain.Incarnation) error {
	partition, row := schema.UserPartition(c.channel.Owner), schema.Made.Row(c.once)
	//lab: Record which channel the key has made.
	err := s.users.Transact(ctx, partition, driver.Insert(row, driver.String(schema.PropIncarnation, incarnation)))
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, domain.ErrExists):
		return fmt.Errorf("creating channel %s: %w", c.channel.Key(), err)
	}
	//lab: Read which channel the key has made.
	made, err := s.users.Get(ctx, partition, row)
	if err != nil {
		return err
	}
	if made.Properties.String(schema.PropIncarnation) == string(incarnation) {
		return nil // a self-conflict of this insert, or another request found the same channel
	}
	return s.takeMade(ctx, c, made)
}

// takeMade puts the channel that the key made into the creation. If that channel was
// deleted, it returns domain.ErrChannelGone.
func (s *Fence) takeMade(ctx context.Context, c *creation, made driver.Entity) error {
	incarnation := domain.Incarnation(made.Properties.String(schema.PropIncarnation))
	row, err := s.ReadIncarnation(ctx, domain.ChannelRef{Key: c.channel.Key(), Incarnation: incarnation})
	switch {
	case errors.Is(err, domain.ErrNotFound), err == nil && row.State != domain.ChannelActive:
		return errChannelGone(c)
	case err != nil:
		return err
	}
	// A delayed duplicate of the insert can bring the row back after the channel was deleted.
	switch ungated, err := s.Reclaim(ctx, row); {
	case err != nil:
		return err
	case ungated:
		return errChannelGone(c)
	}
	c.channel, c.recorded = row.Channel, true
	return nil
}

func errChannelGone(c *creation) error {
	return fmt.Errorf("creating channel %s: %w", c.channel.Key(), domain.ErrChannelGone)
}
