package directory

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Describe replaces a channel's description, and returns the channel as it is then.
// Only its owner may.
//
//   - The description breaks a rule: an InvalidError.
//   - The channel is not there, or is being deleted: domain.ErrNotFound or ErrGone.
//   - Another incarnation has the name now: a *domain.ReplacedError.
//   - The user is not the owner: domain.ErrForbidden.
func (s *Directory) Describe(ctx context.Context, ref domain.ChannelRef, by domain.UserName, description string) (domain.Channel, error) {
	description, err := domain.ParseDescription(description)
	if err != nil {
		return domain.Channel{}, err
	}
	var channel domain.Channel
	err = s.pause.Retry(ctx, func() error {
		row, err := s.ReadActive(ctx, ref.Address())
		switch {
		case err != nil:
			return err
		case row.Owner != by:
			return fmt.Errorf("describing channel %s: %w", ref.Key, domain.ErrForbidden)
		}
		channel = row.Channel
		channel.Description = description
		// An echo of this write needs no recognising: to write the same description
		// again changes nothing.
		return optimistic.Again(s.channels.Transact(ctx, schema.ChannelPartition(ref.Key),
			driver.Merge(schema.SingleRow, driver.Match(row.ETag), driver.String(schema.PropDescription, description))))
	})
	return channel, err
}
