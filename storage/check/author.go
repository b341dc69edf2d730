package check

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/schema"
)

// listed gathers posts, and reads as many places on lists at once as are worth it. The list of an
// author is written before the post, so a post that is missing there is a breach: of a store that
// an earlier version wrote to as well, until it is repaired.
func (p *partitionCheck) listed(ctx context.Context, row driver.Entity) error {
	if p.posts = append(p.posts, row); len(p.posts) < flight.Points {
		return nil
	}
	return p.checkListed(ctx)
}

// checkListed is I8 of the posts that were gathered.
func (p *partitionCheck) checkListed(ctx context.Context) error {
	missing, err := flight.Gather(ctx, p.store.Lifecycle.Reads, p.posts, func(ctx context.Context, row driver.Entity) (blog.Entity, bool, error) {
		post := blog.Decode(row)
		//lab: Read whether the post is on its author's list.
		_, err := p.store.users.Get(ctx, schema.UserPartition(post.UserID), schema.WroteRow(post.ID))
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return post, true, nil
		case errors.Is(err, domain.ErrLimit):
			return post, false, nil // nobody can have that name
		}
		return post, false, err
	})
	p.posts = p.posts[:0]
	for _, post := range missing {
		row := driver.Entity{Partition: p.key, Row: schema.BlogRow(post.ID), ETag: post.ETag}
		steady, unread := p.steady(ctx, row)
		if err = errors.Join(err, unread); err == nil && steady {
			err = p.breach("I8", p.store.blogs, row, "not on the list of its author", func() (string, error) {
				return "listed", p.store.ListPosts(ctx, post.Blog)
			})
		}
	}
	return err
}
