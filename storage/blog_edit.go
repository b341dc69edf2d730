package storage

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

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
