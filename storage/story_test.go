package storage_test

import (
	"context"
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/internal/storetest"
)

// A story makes each kind of call that a request makes.
type story struct {
	*storetest.World
	// Ctx is the context of its requests, whose calls are in CallLog.
	Ctx     context.Context
	CallLog *storage.CallLog
	// Secrets are what must not be shown of the calls.
	Secrets []string
}

// newStory returns a story in a world of its own.
func newStory(t *testing.T) *story {
	t.Helper()
	s := &story{World: storetest.New(t), CallLog: &storage.CallLog{}}
	s.CallLog.List(10_000)
	s.Ctx = s.CallLog.Context(t.Context())
	return s
}

const (
	storyPassword = "planted password of ada"
	storyKey      = "planted-idempotency-key"
	storyAddress  = "203.0.113.77"
)

// Did ends the test if the last result of an operation is an error. It returns the first.
func (s *story) Did(results ...any) any {
	s.T.Helper()
	if err, failed := results[len(results)-1].(error); failed {
		s.T.Fatal(err)
	}
	return results[0]
}

// Tell makes the calls.
func (s *story) Tell() {
	s.T.Helper()
	ctx, attempt := s.Ctx, storage.Attempt{Name: "ada", Password: storyPassword, Address: storyAddress}
	s.Did(s.Store.Accounts.Create(ctx, storage.SignUpRequest{Attempt: attempt, Key: storyKey, PerHour: 5}))
	if _, _, err := s.Store.Accounts.SignIn(ctx, storage.Attempt{Name: "plantedname", Password: "x", Address: storyAddress}); !errors.Is(err, domain.ErrNotSignedIn) {
		s.T.Fatal(err)
	}
	token := s.Did(s.Store.Accounts.SignIn(ctx, attempt)).(string)
	link := s.Did(s.Store.Operator.SignInLink(ctx, ada)).(string)
	second := s.Did(s.Store.Accounts.FollowSignInLink(ctx, link)).(string)
	s.Did(s.Store.Accounts.Session(ctx, token, ""))
	digest := s.Did(s.Store.Accounts.NewDigestAddress(ctx, ada)).(string)
	s.Did(s.Store.Accounts.CheckDigestAddress(ctx, ada, digest))
	s.Did(s.Store.Accounts.ChangePassword(ctx, token, attempt, "another password of hers"))
	s.Secrets = append(s.Secrets, storyPassword, storyKey, storyAddress, "plantedname", token, link, second, digest)
	s.tellOfChannels()
	s.Did(s.Store.Accounts.SignOut(ctx, second))
	s.Did(s.Store.Health.Ready(ctx))
	for _, table := range []string{"Sessions", "Throttle"} {
		for _, row := range s.Rows(table) {
			s.Secrets = append(s.Secrets, row.Partition, row.Row)
		}
	}
}

func (s *story) tellOfChannels() {
	s.T.Helper()
	ctx := s.Ctx
	channel := s.Did(s.Store.Channels.Create(ctx, s.NewChannel("garden", ada), domain.PostersOpen, storyKey, 5)).(domain.Channel)
	ref, request := channel.Ref(), storetest.NewPost(channel, grace, "one")
	request.Key = storyKey
	blog := s.Did(s.Store.Posts.Create(ctx, request)).(domain.Blog)
	s.Did(s.Store.Posts.Create(ctx, request))
	s.OK(s.Store.Posts.Block(ctx, channel, ada, domain.User{Name: eve}))
	s.Did(s.Store.Posts.Vote(ctx, ref, blog.ID, ada))
	s.Did(s.Store.Posts.Unvote(ctx, ref, blog.ID, ada))
	s.Did(s.Store.Posts.Vote(ctx, ref, blog.ID, ada))
	s.Did(s.Store.Posts.Update(ctx, channel, blog.ID, grace, domain.OneOf(blog.Revision), domain.Draft{Text: "two"}))
	s.Did(s.Store.Channels.Update(ctx, ref, ada, storetest.DescribedAs("All about gardens")))
	s.Did(s.Store.Subscriptions.Create(ctx, channel, grace))
	s.read(channel, blog)
	s.Did(s.Store.Subscriptions.Delete(ctx, ref, grace))
	s.Did(s.Store.Posts.Delete(ctx, channel, blog.ID, domain.By(grace), storetest.AnyRevision))
	s.Did(s.Store.Deletions.Request(ctx, channel.Key(), domain.By(ada), storetest.AnyIncarnation))
	s.Did(s.Store.Deletions.Get(ctx, ref, domain.By(ada)))
	s.Did(s.Store.Deletions.List(ctx, ada, "", 10))
}

func (s *story) read(channel domain.Channel, blog domain.Blog) {
	s.T.Helper()
	ctx, ref := s.Ctx, channel.Ref()
	s.Did(s.Store.Channels.List(ctx, "gar", "", 10))
	s.Did(s.Store.Channels.ListOwned(ctx, ada, "", 10))
	page := s.Did(s.Store.Posts.List(ctx, ref, storage.BlogQuery{Limit: 10})).(storage.Page[domain.Blog])
	s.Did(s.Store.Posts.ListByRating(ctx, ref, storage.RatingQuery{Limit: 10}))
	s.Did(s.Store.Posts.VotedOn(ctx, ref, page.Items, ada))
	s.Did(s.Store.Posts.Voted(ctx, ref, blog.ID, ada))
	s.Did(s.Store.Subscriptions.Count(ctx, ref))
	s.Did(s.Store.Feeds.List(ctx, grace, "", 10))
	s.Did(s.Store.Subscriptions.List(ctx, grace, "", 10))
	s.Did(s.Store.Channels.Rows(ctx, storage.RowsQuery{Key: channel.Key(), By: ada, Limit: 10}))
}
