package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/worker"
)

// owner owns all channels here, and has no account: the operations of the store do not ask for one to post in
// one's own channel.
const owner domain.UserName = "ada"

// rowsPerPost are the post, the row of its idempotency key, and its row in the index by rating.
const rowsPerPost = 3

// lease is longer than a deletion takes.
const lease = time.Hour

// measureDeletions deletes channels with more and more posts.
func measureDeletions(ctx context.Context, stores []*store, of scale) (result, error) {
	times := plot{Title: "A deletion", X: "posts", Y: "seconds", LogY: true}
	r := result{
		Name: "Deletions",
		About: "From the request until the last row of the channel is gone, by one worker. A transaction removes at most 99 rows, " +
			"and there are three rows for each post. So calls and time grow with the rows, and not with other channels. The price is " +
			"that of the calls on Azure.",
		Columns: []string{"store", "posts", "rows", "seconds", "rows/s", "calls", "$ for 1,000"},
	}
	for _, s := range stores {
		for _, size := range of.posts {
			took, calls, err := deleteOne(ctx, s, fmt.Sprintf("posts-%d", size), size)
			if err != nil {
				return r, fmt.Errorf("%s: deleting a channel of %d posts: %w", s.name, size, err)
			}
			r.row(s.name, size, size*rowsPerPost, took.Seconds(), float64(size*rowsPerPost)/took.Seconds(), calls, price(1000*float64(calls)))
			times.draw(s.name, float64(size), took.Seconds())
		}
	}
	r.Plots = []plot{times}
	return r, nil
}

// deleteOne returns how long the deletion of a new channel takes, and how many calls.
func deleteOne(ctx context.Context, s *store, name string, posts int) (time.Duration, int64, error) {
	site := s.site()
	channel, err := newChannel(ctx, site, name)
	if err != nil {
		return 0, 0, err
	}
	if err := post(ctx, site, channel, posts); err != nil {
		return 0, 0, err
	}
	before, began := s.calls.Load(), time.Now()
	if _, err := site.Deletions.Request(ctx, channel.Key(), domain.By(owner), domain.OneOf(channel.Incarnation)); err != nil {
		return 0, 0, err
	}
	messages, err := site.Operator.Messages().Receive(ctx, 1, lease)
	if err == nil && len(messages) == 0 {
		err = errors.New("there is no message about the deletion")
	}
	if err != nil {
		return 0, 0, err
	}
	work := worker.New(site.Steps, worker.Options{Lease: lease, MaxAttempts: 5, Log: slog.New(slog.DiscardHandler)})
	if err := work.Handle(ctx, messages[0]); err != nil {
		return 0, 0, err
	}
	return time.Since(began), s.calls.Load() - before, nil
}

func newChannel(ctx context.Context, site *storage.Parts, name string) (domain.Channel, error) {
	channel, err := domain.NewChannel(name, domain.About{Description: "Measured"}, owner)
	if err != nil {
		return channel, err
	}
	channel, _, err = site.Channels.Create(ctx, channel, domain.PostersOpen, "", 0)
	return channel, err
}

// post makes posts, in batches of as many as a request may have.
func post(ctx context.Context, site *storage.Parts, channel domain.Channel, n int) error {
	posts := make([]storage.NewPost, n)
	for i := range posts {
		posts[i] = storage.NewPost{Channel: channel, By: owner, Key: fmt.Sprint(i), Draft: domain.Draft{Text: fmt.Sprintf("%0*d", rowText, i)}}
	}
	var group errgroup.Group
	group.SetLimit(4)
	for batch := range slices.Chunk(posts, storage.MaxNewPosts) {
		group.Go(func() error {
			for _, made := range site.Posts.CreateAll(ctx, channel, batch) {
				if made.Err != nil {
					return made.Err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
