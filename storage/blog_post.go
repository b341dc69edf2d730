package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Properties of a once! row.
const (
	// propBlog is the id of the post that the idempotency key made.
	propBlog = "Blog"
	// propBody is the hash of that post's title and text.
	propBody = "Body"
)

// A Posting is a request to post. It may be sent again without making a second post.
type Posting struct {
	Channel domain.ChannelRef
	By      domain.UserName
	// Key is the idempotency key. A posting with the same key by the same user to
	// the same incarnation makes no second post. It may be any text.
	Key string
	// Source, if it is not empty, owns the key instead of the user. An import sets
	// it, so that two users who import the same feed make each post once.
	Source string
	Draft  domain.Draft
	// CreatedOn dates the post. The zero time means now.
	CreatedOn time.Time
}

// Post makes a post and returns it. It reports true if this call made the post. It
// reports false if an earlier call with the same key made it, and then returns that
// post in its present state.
//
//   - The channel is not there, or is being deleted: domain.ErrNotFound or ErrGone.
//   - Another incarnation has the name now: a *domain.ReplacedError.
//   - The key was used for another body: domain.ErrKeyReused.
//   - The post that the key made has been deleted since: domain.ErrPostGone.
func (s *Store) Post(ctx context.Context, p Posting) (domain.Blog, bool, error) {
	blog := p.newBlog()
	err := s.blogs.Transact(ctx, partitionOf(p.Channel.Key),
		holdGate(p.Channel),
		driver.Insert(p.once(),
			driver.String(propBlog, blog.ID),
			driver.String(propBody, p.bodyHash()),
			driver.String(propIncarnation, p.Channel.Incarnation)),
		driver.Insert(blogRow(blog.ID), encodeBlog(blog)...),
		driver.Insert(rateRow(blog.Rating, blog.ID), driver.String(propIncarnation, p.Channel.Incarnation)))
	switch {
	case err == nil:
		return blog, true, nil
	case gateMissing(err):
		return domain.Blog{}, false, s.whyGateGone(ctx, p.Channel)
	case errors.Is(err, domain.ErrExists):
		return s.earlierPost(ctx, p, blog)
	default:
		return domain.Blog{}, false, fmt.Errorf("posting to channel %s: %w", p.Channel.Key, err)
	}
}

// newBlog returns the post with a new id and a new revision.
func (p Posting) newBlog() domain.Blog {
	on := p.CreatedOn
	if on.IsZero() {
		on = domain.Now()
	}
	on = domain.Storable(on)
	return domain.Blog{
		Channel:   p.Channel,
		ID:        domain.NewBlogID(on),
		Title:     p.Draft.Title,
		Text:      p.Draft.Text,
		UserID:    p.By,
		Revision:  domain.NewRevision(),
		CreatedOn: on,
	}
}

// once returns the row key of the idempotency key.
func (p Posting) once() string {
	if p.Source != "" {
		// A user name holds no space, so that no user owns this key.
		return onceRow("source "+p.Source, p.Key)
	}
	return onceRow(string(p.By), p.Key)
}

func (p Posting) bodyHash() string { return hashHex(p.Draft.Title, p.Draft.Text) }

// earlierPost reads the post that the idempotency key made. If that is the post of
// this very call, its first try took effect and the reply was lost.
func (s *Store) earlierPost(ctx context.Context, p Posting, made domain.Blog) (domain.Blog, bool, error) {
	once, err := s.blogs.Get(ctx, partitionOf(p.Channel.Key), p.once())
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return domain.Blog{}, false, s.whyGateGone(ctx, p.Channel)
	case err != nil:
		return domain.Blog{}, false, err
	}
	id := domain.BlogID(once.Properties.String(propBlog))
	if id == made.ID {
		return made, true, nil
	}
	if once.Properties.String(propBody) != p.bodyHash() {
		return domain.Blog{}, false, fmt.Errorf("posting to channel %s: %w", p.Channel.Key, domain.ErrKeyReused)
	}
	blog, err := s.Blog(ctx, p.Channel, id)
	if errors.Is(err, domain.ErrNotFound) {
		err = fmt.Errorf("posting to channel %s: %w", p.Channel.Key, domain.ErrPostGone)
	}
	return blog, false, err
}
