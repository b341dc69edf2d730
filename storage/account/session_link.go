package account

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// SignInLink makes a sign-in link for a user and returns its token. The token can be
// exchanged for a session once, within an hour, and in the epoch in which it was made: a
// link ends with the user's sessions. An unknown user is domain.ErrNotFound.
func (s *Accounts) SignInLink(ctx context.Context, user domain.UserName) (string, error) {
	account, err := s.readUser(ctx, user)
	if err != nil {
		return "", fmt.Errorf("sign-in link: %w", err)
	}
	return s.insertToken(ctx, domain.Now().Add(linkLifetime),
		driver.String(schema.PropUser, user), driver.Bool(schema.PropLink, true), driver.Int64(schema.PropEpoch, account.epoch))
}

// FollowSignInLink exchanges the token of a link for a session, and returns the
// session and its token. A link that was used, has ended or never was is
// domain.ErrNotSignedIn. Of several who follow one link, the one who marks its row as
// used is signed in. If the process dies after that, the link is lost.
func (s *Accounts) FollowSignInLink(ctx context.Context, link string) (token string, session domain.Session, err error) {
	user, epoch, err := s.useLink(ctx, link)
	if err != nil {
		return "", domain.Session{}, fmt.Errorf("sign-in link: %w", err)
	}
	account, err := s.readUser(ctx, user)
	switch {
	case err != nil:
		return "", domain.Session{}, err
	case account.epoch != epoch:
		return "", domain.Session{}, fmt.Errorf("sign-in link: %w", domain.ErrNotSignedIn)
	}
	return s.startSession(ctx, account)
}

// useLink marks a link as used, and returns its user and its epoch. It does not delete
// the row: then a late copy of its insert would bring the link back. The row says who
// used it, since the caller may find its own mark: that is the echo of its write.
func (s *Accounts) useLink(ctx context.Context, link string) (user domain.UserName, epoch int64, err error) {
	mine := domain.NewRevision()
	err = s.pause.Retry(ctx, func() error {
		//lab: Read the sign-in link: was it used before?
		row, err := s.sessions.Get(ctx, schema.SessionPartition(link), schema.SingleRow)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return domain.ErrNotSignedIn
		case err != nil:
			return err
		case row.Properties.String(schema.PropUsedBy) == string(mine):
			return nil // user and epoch are from before, since the mark replaced the epoch
		case !row.Properties.Bool(schema.PropLink), hasEnded(row.Properties):
			return domain.ErrNotSignedIn
		}
		user, epoch = domain.UserName(row.Properties.String(schema.PropUser)), row.Properties.Int64(schema.PropEpoch)
		//lab: Mark the link as used, in the version that was read.
		return optimistic.Again(s.sessions.Transact(ctx, row.Partition,
			driver.Merge(schema.SingleRow, driver.Match(row.ETag), append(ended(), driver.String(schema.PropUsedBy, mine))...)))
	})
	return user, epoch, err
}
