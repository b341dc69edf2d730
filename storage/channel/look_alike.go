package channel

import (
	"context"
	"errors"

	"microblogging/domain"
)

// refuseLookAlike refuses a name that looks like the ASCII name of a channel that is there. The error is an
// InvalidError on the field "name". It promises nothing: a channel with that ASCII name may be created
// later, or at the same time, and two names in other letters may look alike. A name of ASCII costs no read.
func (s *Channels) refuseLookAlike(ctx context.Context, wanted domain.ChannelName) error {
	like := wanted.LookAlike()
	if like == "" {
		return nil
	}
	//lab: Read whether a channel has the name that this one looks like.
	other, err := s.fence.ReadChannel(ctx, like.Key())
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	//lab: Read whether the channel is there, and the request was sent again.
	if _, err := s.fence.ReadChannel(ctx, wanted.Key()); !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	return domain.Invalid("name", "looks like “%s”, which another channel has", other.Name)
}
