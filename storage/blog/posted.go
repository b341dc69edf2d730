package blog

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/schema"
)

// Posted reports whether a posting with the key of p was made to the same incarnation
// before, whatever its body was and whatever became of its post. It takes one request,
// where Post would take three to find the same.
func (s *Posts) Posted(ctx context.Context, p Posting) (bool, error) {
	row, err := s.blogs.Get(ctx, schema.ChannelPartition(p.Channel.Key), p.once())
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("looking for an earlier post in channel %s: %w", p.Channel.Key, err)
	}
	return row.Properties.String(schema.PropIncarnation) == string(p.Channel.Incarnation), nil
}
