package blog

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The posts of an author are in as many partitions as they post to. So each has a row in the
// author's own partition of Users, wrote!, which names it and its channel. The row is written
// before the post, which no transaction can hold together with it: so no post is without its row. A
// row without its post is dangling, and nobody is shown it: whoever reads the list reads the
// channel and the post too, and believes these.
//
// A dangling row may be of a post that is still under way, however old it is: nothing bounds how
// late a transaction lands behind a gate that is open. So it is removed only once its post can
// never land again, and then by anybody, at any time:
//
//   - The incarnation is gone, and with it the gate: the next reader of the list removes the row.
//   - Another post has the idempotency key: that row stays until the gate is gone.
//   - The post was there, and was deleted: the row of its key stays as well.
//
// What is left is of a process that died beside its post. It goes once the channel has gone.

// ListPosts puts posts on the lists of their authors. It may be called again.
func (s *Posts) ListPosts(ctx context.Context, posts ...domain.Blog) error {
	//lab: Put the posts on their author's list.
	return s.onLists(ctx, posts, func(post domain.Blog) driver.Operation {
		return driver.Merge(schema.WroteRow(post.ID), driver.Upsert,
			driver.String(schema.PropChannel, post.Channel.Key), driver.String(schema.PropIncarnation, post.Channel.Incarnation))
	})
}

// UnlistPosts takes posts of which none can land any more off the lists of their authors. Somebody
// else may have done so with some of them. Then the others may stay, for the next who looks.
func (s *Posts) UnlistPosts(ctx context.Context, posts ...domain.Blog) error {
	//lab: Take posts off their author's list.
	err := s.onLists(ctx, posts, func(post domain.Blog) driver.Operation {
		return driver.Delete(schema.WroteRow(post.ID), driver.Exists)
	})
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}

// onLists does something to the rows of posts on the lists of their authors: one transaction for
// up to 100 posts of one author that follow each other.
func (s *Posts) onLists(ctx context.Context, posts []domain.Blog, do func(domain.Blog) driver.Operation) error {
	for len(posts) > 0 {
		author := posts[0].UserID
		var rows []driver.Operation
		for len(rows) < min(len(posts), driver.MaxOperations) && posts[len(rows)].UserID == author {
			rows = append(rows, do(posts[len(rows)]))
		}
		if err := s.users.Transact(ctx, schema.UserPartition(author), rows...); err != nil {
			return fmt.Errorf("the list of what %s wrote: %w", author, err)
		}
		posts = posts[len(rows):]
	}
	return nil
}
