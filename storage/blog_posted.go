package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Posted reports whether a posting with the key of p was made to the same incarnation
// before, whatever its body was and whatever became of its post. It takes one request,
// where Post would take three to find the same.
func (s *Store) Posted(ctx context.Context, p Posting) (bool, error) {
	_, found, err := s.earlierPosting(ctx, p)
	return found, err
}

// PostedAlike reports whether an earlier posting that Posted finds looks like p: it had
// the same body, or the same date and title. If its post is gone, the same date is
// enough. It is for a key that says too little about what it stands for.
func (s *Store) PostedAlike(ctx context.Context, p Posting) (bool, error) {
	once, found, err := s.earlierPosting(ctx, p)
	if err != nil || !found {
		return false, err
	}
	if once.String(propBody) == p.bodyHash() {
		return true, nil
	}
	id := once.String(propBlog)
	if p.CreatedOn.IsZero() || !strings.HasPrefix(id, domain.RecentFirst(domain.Storable(p.CreatedOn))) {
		return false, nil
	}
	blog, err := s.Blog(ctx, p.Channel, domain.BlogID(id))
	if errors.Is(err, domain.ErrNotFound) {
		return true, nil
	}
	return blog.Title == p.Draft.Title, err
}

// earlierPosting reads the once! row of a posting that was made before.
func (s *Store) earlierPosting(ctx context.Context, p Posting) (once driver.Properties, found bool, err error) {
	row, err := s.blogs.Get(ctx, partitionOf(p.Channel.Key), p.once())
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("looking for an earlier post in channel %s: %w", p.Channel.Key, err)
	}
	return row.Properties, row.Properties.String(propIncarnation) == string(p.Channel.Incarnation), nil
}
