package blog

import (
	"context"
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Update replaces the title and the text of a post, and returns the edited post. Only
// its author may, and only while they may post to the channel.
//
//   - The post is not there: domain.ErrNotFound.
//   - The channel is being deleted: domain.ErrGone.
//   - The user is not its author: domain.ErrForbidden.
//   - The author may not post there: domain.ErrOwnerPosts, ErrMembersPost, ErrBlocked or ErrAccountEnds.
//   - The precondition does not hold: a *domain.StaleError with the current post.
//
// A precondition that always holds overwrites any revision. Even then the write is
// conditional on the version that was read, so that a vote in between is kept.
func (s *Posts) Update(ctx context.Context, in domain.Channel, id domain.BlogID, by domain.UserName,
	expected domain.Precondition[domain.Revision], draft domain.Draft,
) (domain.Blog, error) {
	ref, mine := in.Ref(), domain.NewRevision()
	var edited domain.Blog
	err := s.pause.Retry(ctx, func() error {
		var row Entity
		var refused error
		p := s.postPermit(in, by)
		err := s.fence.Concurrently(ctx,
			func(ctx context.Context) (err error) { row, err = s.readBlog(ctx, ref, id); return err },
			func(ctx context.Context) error { refused = s.admit(ctx, p); return nil })
		switch {
		case err != nil:
			return err
		case optimistic.Bears(row.properties, mine):
			edited = row.Blog // the failure was a self-conflict
			return nil
		case row.UserID != by:
			return fmt.Errorf("editing post %s: %w", id, domain.ErrForbidden)
		case refused != nil:
			return fmt.Errorf("editing post %s: %w", id, refused)
		case !expected.Holds(row.Revision):
			return &domain.StaleError{Current: row.Blog}
		}
		edited = row.Blog
		edited.Draft = draft
		edited.EditedOn, edited.Revision = domain.Now(), mine
		changes := slices.Concat(schema.EncodeFields(edited.Fields()), optimistic.Stamp(row.properties, mine))
		changes = append(changes, driver.Time(schema.PropEditedOn, edited.EditedOn))
		// A post is on its author's list before it is there, so a deletion of the account finds it. The look
		// at the account is left out, unless the rule is replaced.
		p.admitted = true
		err = s.permitted(ctx, p, func(context.Context) ([]driver.Operation, error) {
			return []driver.Operation{driver.Merge(schema.BlogRow(id), driver.Match(row.ETag), changes...)}, nil
		})
		return ofPost(ref, optimistic.Again(err))
	})
	return edited, err
}
