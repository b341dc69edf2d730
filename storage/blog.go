package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Properties of a post, beside its channel's incarnation and its revisions.
const (
	propTitle    = "Title"
	propText     = "Text"
	propUserID   = "UserId"
	propRating   = "Rating"
	propEditedOn = "EditedOn"
)

// blogEntity is a post as it was read, with what a conditional write needs.
type blogEntity struct {
	domain.Blog
	etag       driver.ETag
	properties driver.Properties
}

// BlogQuery narrows a list of posts.
type BlogQuery struct {
	// Since is the first instant wanted, Until the first not wanted. Zero leaves
	// that side open.
	Since, Until time.Time
	// After is the cursor of the page before; empty for the first.
	After string
	// Limit is the most posts that the page may hold, 1 to 100.
	Limit int
}

// BlogPage is part of a list of posts.
type BlogPage struct {
	Items []domain.Blog
	// Next continues the list; it is empty on the last page.
	Next string
}

// Blogs lists a channel's posts, newest first, by one read of a range of row
// keys: its cost does not depend on how many posts there are. A cursor that is
// not of this channel's list is an InvalidError.
func (s *Store) Blogs(ctx context.Context, ref domain.ChannelRef, q BlogQuery) (BlogPage, error) {
	list := "blogs/" + partitionOf(ref.Key) + "/" + string(ref.Incarnation)
	from, to := blogRange(q.Since, q.Until)
	if q.After != "" {
		position, err := decodeCursor(list, q.After)
		if err != nil {
			return BlogPage{}, err
		}
		from = max(from, successor(blogRow(domain.BlogID(position))))
	}
	rows, err := s.blogs.First(ctx, q.Limit+1, driver.Range{Partition: partitionOf(ref.Key), From: from, To: to})
	if err != nil {
		return BlogPage{}, fmt.Errorf("posts of channel %s: %w", ref.Key, err)
	}
	var next string
	if len(rows) > q.Limit {
		rows = rows[:q.Limit]
		next = encodeCursor(list, string(blogIDOf(rows[q.Limit-1].Row)))
	}
	items := make([]domain.Blog, 0, len(rows))
	for _, row := range rows {
		// Between the read of the channel and this one, the name may have gone
		// through a whole deletion and creation.
		if blog := decodeBlog(row); blog.Channel.Incarnation == ref.Incarnation {
			items = append(items, blog.Blog)
		}
	}
	return BlogPage{Items: items, Next: next}, nil
}

// Blog reads one post.
func (s *Store) Blog(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) (domain.Blog, error) {
	row, err := s.readBlog(ctx, ref, id)
	return row.Blog, err
}

func (s *Store) readBlog(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) (blogEntity, error) {
	row, err := s.blogs.Get(ctx, partitionOf(ref.Key), blogRow(id))
	if err != nil {
		return blogEntity{}, fmt.Errorf("post %s of channel %s: %w", id, ref.Key, err)
	}
	blog := decodeBlog(row)
	if blog.Channel.Incarnation != ref.Incarnation {
		return blogEntity{}, fmt.Errorf("post %s of channel %s: %w", id, ref.Key, domain.ErrNotFound)
	}
	return blog, nil
}

// Edit replaces the title and text of a post. Only its author may. A
// precondition that does not hold is a *domain.StaleError with the post as it
// is; one that always holds overwrites whatever stands, but never blindly: the
// write is conditional on what was read, so that a vote in between is kept.
func (s *Store) Edit(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName,
	expected domain.Precondition[domain.Revision], draft domain.Draft,
) (domain.Blog, error) {
	mine := domain.NewRevision()
	var edited domain.Blog
	err := s.contend(ctx, func() error {
		row, err := s.readBlog(ctx, ref, id)
		switch {
		case err != nil:
			return err
		case bears(row.properties, mine):
			edited = row.Blog // the conflict was the echo of our own write
			return nil
		case row.UserID != by:
			return fmt.Errorf("editing post %s: %w", id, domain.ErrForbidden)
		case !expected.Holds(row.Revision):
			return &domain.StaleError{Current: row.Blog}
		}
		edited = row.Blog
		edited.Title, edited.Text = draft.Title, draft.Text
		edited.EditedOn, edited.Revision = domain.Now(), mine
		changes := append(stamp(row.properties, mine),
			driver.String(propTitle, edited.Title),
			driver.String(propText, edited.Text),
			driver.Time(propEditedOn, edited.EditedOn))
		err = s.blogs.Transact(ctx, partitionOf(ref.Key), driver.Merge(blogRow(id), driver.Match(row.etag), changes...))
		if raced(err) {
			return errTryAgain
		}
		return err
	})
	return edited, err
}

// DeleteBlog removes a post. Its author and the channel's owner may. The
// message is queued first, so that what hangs from the post goes too if this
// process dies in between.
func (s *Store) DeleteBlog(ctx context.Context, channel domain.Channel, id domain.BlogID, by domain.UserName,
	expected domain.Precondition[domain.Revision],
) error {
	var queued domain.Revision
	return s.contend(ctx, func() error {
		row, err := s.readBlog(ctx, channel.Ref(), id)
		switch {
		case errors.Is(err, domain.ErrNotFound) && queued != "":
			return nil // the echo of our own delete, or the worker was faster
		case err != nil:
			return err
		case row.UserID != by && channel.Owner != by:
			return fmt.Errorf("deleting post %s: %w", id, domain.ErrForbidden)
		case !expected.Holds(row.Revision):
			return &domain.StaleError{Current: row.Blog}
		}
		if row.Revision != queued {
			if err := s.queue.Send(ctx, blogMessage(channel, row.Blog, by).Encode()); err != nil {
				return fmt.Errorf("queueing the deletion of post %s: %w", id, err)
			}
			queued = row.Revision
		}
		return s.removeBlog(ctx, row)
	})
}

func blogMessage(channel domain.Channel, blog domain.Blog, by domain.UserName) domain.Message {
	return domain.Message{
		Kind:        domain.MessageBlog,
		Channel:     blog.Channel.Key,
		Incarnation: blog.Channel.Incarnation,
		Name:        channel.Name,
		By:          by,
		AskedOn:     domain.Now(),
		Blog:        blog.ID,
		Revision:    blog.Revision,
	}
}

// FinishBlog completes the deletion of a post that a message asks for, in
// whatever state it was left, and removes the post's votes, however many. The post is removed only at the revision that the
// message names: another one means that its author edited it after the request
// had failed, and that it stays.
func (s *Store) FinishBlog(ctx context.Context, m domain.Message) error {
	return s.contend(ctx, func() error {
		row, err := s.readBlog(ctx, m.Ref(), m.Blog)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return s.sweepVotes(ctx, m.Ref(), m.Blog)
		case err != nil:
			return err
		case row.Revision != m.Revision:
			return nil
		}
		if err := s.removeBlog(ctx, row); err != nil {
			return err
		}
		return s.sweepVotes(ctx, m.Ref(), m.Blog)
	})
}

// removeBlog deletes the post in the version that was read, with its index row.
func (s *Store) removeBlog(ctx context.Context, row blogEntity) error {
	err := s.blogs.Transact(ctx, partitionOf(row.Channel.Key),
		driver.Delete(blogRow(row.ID), driver.Match(row.etag)),
		driver.Delete(rateRow(row.Rating, row.ID), driver.Exists))
	if raced(err) {
		return errTryAgain
	}
	return err
}

func encodeBlog(b domain.Blog) driver.Properties {
	p := driver.Properties{
		driver.String(propTitle, b.Title),
		driver.String(propText, b.Text),
		driver.String(propUserID, b.UserID),
		driver.Int64(propRating, b.Rating),
		driver.Time(propCreatedOn, b.CreatedOn),
		driver.String(propIncarnation, b.Channel.Incarnation),
	}
	return append(p, stamp(nil, b.Revision)...)
}

func decodeBlog(row driver.Entity) blogEntity {
	blog := blogEntity{etag: row.ETag, properties: row.Properties}
	blog.ID = blogIDOf(row.Row)
	blog.Channel.Key = domain.ChannelKey(row.Partition)
	for _, p := range row.Properties {
		switch p.Name {
		case propTitle:
			blog.Title = p.Value.Text()
		case propText:
			blog.Text = p.Value.Text()
		case propUserID:
			blog.UserID = domain.UserName(p.Value.Text())
		case propRating:
			blog.Rating = p.Value.Number()
		case propCreatedOn:
			blog.CreatedOn = p.Value.Instant()
		case propEditedOn:
			blog.EditedOn = p.Value.Instant()
		case propIncarnation:
			blog.Channel.Incarnation = domain.Incarnation(p.Value.Text())
		case propRevision:
			blog.Revision = domain.Revision(p.Value.Text())
		}
	}
	return blog
}
