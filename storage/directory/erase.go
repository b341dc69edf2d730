package directory

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/schema"
)

// EraseChannel asks for the deletion of the channel that has a key, if it is this user's, whose
// account is being deleted: one that cannot be undone, also if another is asked for that can. It
// takes away the gates of those that are being created under the key, whoever does. They were read
// before the channel's row, as strayGate does in package check; and whoever creates a channel
// without a gate begins again, or, as this user, finds that the account does not stand.
func (s *Directory) EraseChannel(ctx context.Context, key domain.ChannelKey, of domain.UserName) error {
	return s.pause.Retry(ctx, func() error {
		gates, err := s.GatesOf(ctx, key)
		if err != nil {
			return err
		}
		//lab: Read whose channel has the name.
		row, err := s.ReadChannel(ctx, key)
		if err != nil && !errors.Is(err, domain.ErrNotFound) && !errors.Is(err, domain.ErrLimit) {
			return err
		}
		for _, gate := range gates {
			if err != nil || gate.Row != schema.OpenGateRow(row.Incarnation) {
				if err := s.WithdrawGate(ctx, gate); err != nil {
					return err
				}
			}
		}
		if err != nil || row.Owner != of || row.State == domain.ChannelDeleting {
			return nil
		}
		return s.deletions.DeleteAtOnce(ctx, row)
	})
}
