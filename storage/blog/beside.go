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
func (s *Posts) BlogsAt(ctx context.Context, key domain.ChannelKey, q Query) (channel domain.Channel, blogs page.Of[domain.Blog], err error) {
	var rows []driver.Entity
	err = s.AtOnce(ctx, s.channelInto(&channel, key), func(ctx context.Context) (err error) {
		rows, err = s.readBlogs(ctx, key, q)
		return err
	})
	return channel, blogPage(channel.Ref(), q, rows), err
}

// BlogsByRatingAt is Channel, and BlogsByRating of that channel.
func (s *Posts) BlogsByRatingAt(ctx context.Context, key domain.ChannelKey, q RatingQuery) (channel domain.Channel, blogs page.Of[domain.Blog], err error) {
	var rows []driver.Entity
	err = s.AtOnce(ctx, s.channelInto(&channel, key), func(ctx context.Context) (err error) {
		rows, err = s.readRatings(ctx, key, q)
		return err
	})
	if err == nil {
		blogs, err = s.ratingPage(ctx, channel.Ref(), q, rows)
	}
	return channel, blogs, err
}

// BlogAt is Channel, and Blog of that channel. If there is no such post, it returns the
// channel too.
func (s *Posts) BlogAt(ctx context.Context, key domain.ChannelKey, id domain.BlogID) (channel domain.Channel, blog domain.Blog, err error) {
	var post Entity
	err = s.AtOnce(ctx, s.channelInto(&channel, key), func(ctx context.Context) (err error) {
		post, err = s.readAnyBlog(ctx, key, id)
		return err
	})
	if err == nil {
		err = post.of(channel.Ref())
	}
	if err != nil {
		return channel, domain.Blog{}, err
	}
	return channel, post.Blog, nil
}

// NewsAt is Channel, and News of that channel. A post of another incarnation of its name
// may be counted while the name changes hands.
func (s *Posts) NewsAt(ctx context.Context, key domain.ChannelKey, than domain.BlogID) (n int, err error) {
	var channel domain.Channel
	err = s.AtOnce(ctx, s.channelInto(&channel, key), func(ctx context.Context) (err error) {
		n, err = s.News(ctx, domain.ChannelRef{Key: key}, than)
		return err
	})
	return n, err
}

// channelInto returns a call that reads the channel.
func (s *Posts) channelInto(channel *domain.Channel, key domain.ChannelKey) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		*channel, err = s.Channel(ctx, key)
		return err
	}
}
