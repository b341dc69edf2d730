package blog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/storage/channel"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Edit replaces the title and the text of a post, and returns the edited post. Only
// its author may.
//
//   - The post is not there: domain.ErrNotFound.
//   - The channel is being deleted: domain.ErrGone.
//   - The user is not its author: domain.ErrForbidden.
//   - The precondition does not hold: a *domain.StaleError with the current post.
//
// A precondition that always holds overwrites any revision. Even then the write is
// conditional on the version that was read, so that a vote in between is kept.
func (s *Posts) Edit(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName,
	expected domain.Precondition[domain.Revision], draft domain.Draft,
) (domain.Blog, error) {
	mine := domain.NewRevision()
	var edited domain.Blog
	err := s.pause.Retry(ctx, func() error {
		row, err := s.readBlog(ctx, ref, id)
		switch {
		case err != nil:
			return err
		case optimistic.Bears(row.properties, mine):
			edited = row.Blog // the failure was the echo of our own write
			return nil
		case row.UserID != by:
			return fmt.Errorf("editing post %s: %w", id, domain.ErrForbidden)
		case !expected.Holds(row.Revision):
			return &domain.StaleError{Current: row.Blog}
		}
		edited = row.Blog
		edited.Draft = draft
		edited.EditedOn, edited.Revision = domain.Now(), mine
		changes := slices.Concat(schema.EncodeWords(edited.Words()), optimistic.Stamp(row.properties, mine))
		changes = append(changes, driver.Time(schema.PropEditedOn, edited.EditedOn))
		//lab: Change the post.
		err = s.Behind(ctx, ref, driver.Merge(schema.BlogRow(id), driver.Match(row.ETag), changes...))
		switch {
		case errors.Is(err, channel.ErrGateGone):
			return s.whyPostGone(ctx, ref)
		case optimistic.Raced(err):
			return optimistic.ErrAgain
		}
		return err
	})
	return edited, err
}
