package blog

import (
	"context"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/page"
)

// Who asks for something of a channel by its name need not wait for the channel's row: what
// else is asked for stands in a partition of that name, and says of which incarnation it
// is. So these operations read both at once. Nothing is returned of a channel that is
// deleted, is being deleted or has been replaced: the row was read after the request began,
// and what is of another incarnation than the row is left out.

// BlogsAt is Channel, and Blogs of that channel.
func (s *Posts) BlogsAt(ctx context.Context, key domain.ChannelKey, q Query) (of domain.Channel, blogs page.Of[domain.Blog], err error) {
	of, rows, err := beside(ctx, s, key, func(ctx context.Context) ([]driver.Entity, error) { return s.readBlogs(ctx, key, q) })
	return of, blogPage(of.Ref(), q, rows), err
}

// BlogsByRatingAt is Channel, and BlogsByRating of that channel.
func (s *Posts) BlogsByRatingAt(ctx context.Context, key domain.ChannelKey, q RatingQuery) (of domain.Channel, blogs page.Of[domain.Blog], err error) {
	of, rows, err := beside(ctx, s, key, func(ctx context.Context) ([]driver.Entity, error) { return s.readRatings(ctx, key, q) })
	if err == nil {
		blogs, err = s.ratingPage(ctx, of.Ref(), q, rows)
	}
	return of, blogs, err
}

// BlogAt is Channel, and Blog of that channel. If there is no such post, it returns the
// channel too.
func (s *Posts) BlogAt(ctx context.Context, key domain.ChannelKey, id domain.BlogID) (of domain.Channel, blog domain.Blog, err error) {
	of, post, err := beside(ctx, s, key, func(ctx context.Context) (Entity, error) { return s.readAnyBlog(ctx, key, id) })
	if err == nil {
		err = post.of(of.Ref())
	}
	if err != nil {
		return of, domain.Blog{}, err
	}
	return of, post.Blog, nil
}

// NewsAt is Channel, and News of that channel. A post of another incarnation of its name
// may be counted while the name changes hands.
func (s *Posts) NewsAt(ctx context.Context, key domain.ChannelKey, than domain.BlogID) (n int, err error) {
	_, n, err = beside(ctx, s, key, func(ctx context.Context) (int, error) { return s.News(ctx, domain.ChannelRef{Key: key}, than) })
	return n, err
}

// beside reads the active channel and, at once, something else of its name.
func beside[T any](ctx context.Context, s *Posts, key domain.ChannelKey, read func(context.Context) (T, error)) (of domain.Channel, found T, err error) {
	err = s.AtOnce(ctx,
		func(ctx context.Context) (err error) { of, err = s.Channel(ctx, key); return err },
		func(ctx context.Context) (err error) { found, err = read(ctx); return err })
	return of, found, err
}
