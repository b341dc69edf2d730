package storage

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// SignInLink makes a sign-in link for a user and returns its token. The token can be
// exchanged for a session once, within an hour.
func (s *Store) SignInLink(ctx context.Context, user domain.UserName) (string, error) {
	return s.insertToken(ctx, driver.String(propUser, user), driver.Bool(propLink, true),
		driver.Time(propExpiresOn, domain.Now().Add(linkLifetime)))
}

// FollowSignInLink exchanges the token of a link for a session, and returns the
// session and its token. A link that was used, has expired or never was is
// domain.ErrNotSignedIn. Of several who follow one link, the one whose call deletes
// its row is signed in.
func (s *Store) FollowSignInLink(ctx context.Context, link string) (token string, session domain.Session, err error) {
	row, err := s.sessions.Get(ctx, sessionPartition(link), singleRow)
	if err == nil && (!row.Properties.Bool(propLink) || !time.Now().Before(row.Properties.Time(propExpiresOn))) {
		err = domain.ErrNotFound
	}
	if err == nil {
		err = s.sessions.Transact(ctx, sessionPartition(link), driver.Delete(singleRow, driver.Match(row.ETag)))
	}
	switch {
	case raced(err):
		return "", domain.Session{}, fmt.Errorf("sign-in link: %w", domain.ErrNotSignedIn)
	case err != nil:
		return "", domain.Session{}, err
	}
	account, err := s.readUser(ctx, domain.UserName(row.Properties.String(propUser)))
	if err != nil {
		return "", domain.Session{}, err
	}
	return s.startSession(ctx, account)
}
