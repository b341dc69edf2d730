package blog

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Entity is a post as it was read, with the version that a conditional write
// needs and the history that bears and stamp need.
type Entity struct {
	domain.Blog
	ETag       driver.ETag
	properties driver.Properties
}

// Get reads one post. A post that is not there, or that belongs to another
// incarnation of the channel's name, is domain.ErrNotFound.
func (s *Posts) Get(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) (domain.Blog, error) {
	row, err := s.readBlog(ctx, ref, id)
	shown, is := s.fence.Leaving.Shown(row.Blog)
	if err == nil && !is {
		return domain.Blog{}, fmt.Errorf("post %s, whose author leaves: %w", id, domain.ErrNotFound)
	}
	return shown, err
}

func (s *Posts) readBlog(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) (Entity, error) {
	//lab: Read the post, with its version.
	row, err := s.blogs.Get(ctx, schema.ChannelPartition(ref.Key), schema.BlogRow(id))
	blog := Decode(row)
	if err == nil && blog.Channel.Incarnation != ref.Incarnation {
		err = domain.ErrNotFound
	}
	if err != nil {
		return Entity{}, fmt.Errorf("post %s of channel %s: %w", id, ref.Key, err)
	}
	return blog, nil
}

func encodeBlog(b domain.Blog) driver.Properties {
	p := append(schema.EncodeFields(b.Fields()),
		driver.String(schema.PropUserID, b.UserID),
		driver.Int64(schema.PropRating, b.Rating),
		driver.Time(schema.PropCreatedOn, b.CreatedOn),
		driver.String(schema.PropIncarnation, b.Channel.Incarnation))
	return append(p, optimistic.Stamp(nil, b.Revision)...)
}

func Decode(row driver.Entity) Entity {
	p := row.Properties
	blog := Entity{ETag: row.ETag, properties: p, Blog: domain.Blog{
		ID:        schema.BlogIDOf(row.Row),
		Channel:   domain.ChannelRef{Key: domain.ChannelKey(row.Partition), Incarnation: domain.Incarnation(p.String(schema.PropIncarnation))},
		UserID:    domain.UserName(p.String(schema.PropUserID)),
		Revision:  domain.Revision(p.String(schema.PropRevision)),
		Rating:    p.Int64(schema.PropRating),
		CreatedOn: p.Time(schema.PropCreatedOn),
		EditedOn:  p.Time(schema.PropEditedOn),
		RepliedOn: p.Time(schema.PropRepliedOn),
	}}
	schema.DecodeFields(p, blog.Fields())
	return blog
}

// ofPost is the error of an operation on one post. If another channel has the name now, the post is gone
// with its incarnation: then ofPost returns domain.ErrNotFound instead of the *domain.ReplacedError.
func ofPost(ref domain.ChannelRef, err error) error {
	var replaced *domain.ReplacedError
	if errors.As(err, &replaced) {
		return fmt.Errorf("a post of channel %s: %w", ref.Key, domain.ErrNotFound)
	}
	return err
}
