package web

import (
	"context"
	"strconv"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// A channelView is what one page, or the feeds, of a channel show, for every reader. It
// is never changed.
type channelView struct {
	posts       storage.BlogPage
	subscribers int
	more        bool
}

// postOverhead is what a post takes besides its texts, about.
const postOverhead = 400

func (v *channelView) bytes() int {
	n := len(v.posts.Next)
	for _, post := range v.posts.Items {
		n += len(post.Title) + len(post.Text) + postOverhead
	}
	return n
}

// channelViews reads what channels show, or takes it from the cache if nothing of the
// channel has changed.
type channelViews struct {
	store *storage.Store
	cache *pageCache
	// observer is nil if nobody observes.
	observer Observer
}

// A viewQuery says which view of a channel to read.
type viewQuery struct {
	// name is different for each view of a channel.
	name string
	read func(ctx context.Context, channel domain.Channel, version storage.Version) (*channelView, error)
}

// postsView is a page of a channel's posts with the number of subscribers.
func (v *channelViews) postsView(order templates.View, after string) viewQuery {
	name := "newest"
	switch {
	case order.Rating != nil:
		name = "rating " + strconv.FormatInt(*order.Rating, 10)
	case order.TopRated:
		name = "top"
	}
	return viewQuery{name + " " + after, func(ctx context.Context, channel domain.Channel, version storage.Version) (*channelView, error) {
		view := &channelView{}
		err := v.store.AtOnce(ctx, func(ctx context.Context) (err error) {
			view.posts, err = v.posts(ctx, channel.Ref(), order, after)
			if err != nil {
				err = explain(err, "", "", linkTo(channel))
			}
			return err
		}, func(ctx context.Context) (err error) {
			view.subscribers, view.more, err = v.store.SubscribersAt(ctx, channel.Ref(), version)
			return err
		})
		return view, err
	}}
}

func (v *channelViews) posts(ctx context.Context, ref domain.ChannelRef, order templates.View, after string) (storage.BlogPage, error) {
	if order.Newest() {
		return v.store.Blogs(ctx, ref, storage.BlogQuery{After: after, Limit: pageSize})
	}
	return v.store.BlogsByRating(ctx, ref, storage.RatingQuery{Rating: order.Rating, After: after, Limit: pageSize})
}

// feedView is the posts of a channel's feeds.
func (v *channelViews) feedView() viewQuery {
	return viewQuery{"feed", func(ctx context.Context, channel domain.Channel, _ storage.Version) (*channelView, error) {
		posts, err := v.store.Blogs(ctx, channel.Ref(), storage.BlogQuery{Limit: feedLength})
		return &channelView{posts: posts}, err
	}}
}

// postView is one post. Its errors link back to the channel.
func (v *channelViews) postView(id domain.BlogID) viewQuery {
	return viewQuery{"post " + string(id), func(ctx context.Context, channel domain.Channel, _ storage.Version) (*channelView, error) {
		post, err := v.store.Blog(ctx, channel.Ref(), id)
		if err != nil {
			return nil, explain(err, "", "", linkTo(channel))
		}
		return &channelView{posts: storage.BlogPage{Items: []domain.Blog{post}}}, nil
	}}
}

// slot is where the cache keeps a view.
func (v *channelViews) slot(key domain.ChannelKey, q viewQuery) slot[*channelView] {
	return slot[*channelView]{v.cache, cacheKey{view: string(key) + " " + q.name}}
}

// read reads a view of the channel with a name. The errors are those of
// storage.ReadCached.
func (v *channelViews) read(ctx context.Context, key domain.ChannelKey, q viewQuery) (storage.Kept[*channelView], error) {
	at := domain.ChannelAddress{Key: key, Expected: domain.Any[domain.Incarnation]()}
	if v.cache != nil {
		return readCached(ctx, v, cachedView, v.slot(key, q), at, q.read)
	}
	channel, err := v.store.ChannelAt(ctx, at)
	if err != nil {
		return storage.Kept[*channelView]{}, err
	}
	view, err := q.read(ctx, channel, "")
	return storage.Kept[*channelView]{Channel: channel, Value: view}, err
}

// readAt reads a view for somebody who has just read the version of the channel.
func (v *channelViews) readAt(ctx context.Context, channel domain.Channel, version storage.Version, q viewQuery) (*channelView, error) {
	hit, read := true, q.read
	if v.observer != nil {
		read = func(ctx context.Context, channel domain.Channel, version storage.Version) (*channelView, error) {
			hit = false
			return q.read(ctx, channel, version)
		}
	}
	kept, err := storage.ReadCachedAt(ctx, v.slot(channel.Name.Key(), q), channel, version, "", read)
	v.told(ctx, cachedView, hit)
	return kept.Value, err
}

// readCached is storage.ReadCached, and tells the observer whether it was a hit.
func readCached[T any](ctx context.Context, v *channelViews, cache string, place storage.Cache[T], at domain.ChannelAddress,
	read func(context.Context, domain.Channel, storage.Version) (T, error),
) (storage.Kept[T], error) {
	if v.observer == nil || v.cache == nil {
		return storage.ReadCached(ctx, v.store, place, at, "", read)
	}
	hit := true
	kept, err := storage.ReadCached(ctx, v.store, place, at, "", func(ctx context.Context, channel domain.Channel, version storage.Version) (T, error) {
		hit = false
		return read(ctx, channel, version)
	})
	if err == nil || !hit {
		v.observer.Cached(ctx, cache, hit)
	}
	return kept, err
}

// told tells the observer of a look into a cache.
func (v *channelViews) told(ctx context.Context, cache string, hit bool) {
	if v.observer != nil && v.cache != nil {
		v.observer.Cached(ctx, cache, hit)
	}
}
