package storage

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Properties of a post, besides its channel's incarnation, its creation time and
// its revisions.
const (
	propTitle    = "Title"
	propText     = "Text"
	propUserID   = "UserId"
	propRating   = "Rating"
	propEditedOn = "EditedOn"
)

// blogEntity is a post as it was read, with the version that a conditional write
// needs and the history that bears and stamp need.
type blogEntity struct {
	domain.Blog
	etag       driver.ETag
	properties driver.Properties
}

// Blog reads one post. A post that is not there, or that belongs to another
// incarnation of the channel's name, is domain.ErrNotFound.
func (s *Store) Blog(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) (domain.Blog, error) {
	row, err := s.readBlog(ctx, ref, id)
	return row.Blog, err
}

func (s *Store) readBlog(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) (blogEntity, error) {
	blog, err := s.readAnyBlog(ctx, ref.Key, id)
	if err == nil {
		err = blog.of(ref)
	}
	if err != nil {
		return blogEntity{}, err
	}
	return blog, nil
}

// readAnyBlog reads a post of any incarnation of the channel's name.
func (s *Store) readAnyBlog(ctx context.Context, key domain.ChannelKey, id domain.BlogID) (blogEntity, error) {
	//lab: Read the post, with its version.
	row, err := s.blogs.Get(ctx, partitionOf(key), blogRow(id))
	if err != nil {
		return blogEntity{}, fmt.Errorf("post %s of channel %s: %w", id, key, err)
	}
	return decodeBlog(row), nil
}

// of returns domain.ErrNotFound if the post is not of this incarnation.
func (b blogEntity) of(ref domain.ChannelRef) error {
	if b.Channel.Incarnation != ref.Incarnation {
		return fmt.Errorf("post %s of channel %s: %w", b.ID, ref.Key, domain.ErrNotFound)
	}
	return nil
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
