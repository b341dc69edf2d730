package web_test

import (
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

const password = "correct horse battery staple"

// author makes an account without a session. Its password is cheap to check: a hash holds its
// own cost.
func (s *site) author(name string) domain.UserName {
	s.Helper()
	row := driver.Insert("", driver.String("Password", drivertest.CheapHash(password)), driver.Time("CreatedOn", domain.Now()), driver.Int64("Epoch", 0),
		driver.String("Revision", "r"), driver.String("Revisions", "r"))
	ok(s, driver.NewTable(s.db, "Users").Transact(s.Context(), name, row))
	return domain.UserName(name)
}

// signUp makes an account and returns the token of a session.
func (s *site) signUp(name string) string {
	s.Helper()
	return s.session(string(s.author(name)))
}

// engines makes a site with the channel Engines of ada, and a session of a user.
func engines(t testing.TB, user string) (s *site, token string, channel domain.Channel) {
	t.Helper()
	s = newSite(t)
	return s, s.signUp(user), s.channel("Engines", "ada")
}

// enginesBrowser is engines with the session in a browser.
func enginesBrowser(t testing.TB, user string) (s *site, b *browser, channel domain.Channel) {
	t.Helper()
	s = newSite(t)
	return s, s.signedIn(user), s.channel("Engines", "ada")
}

// session returns the token of one more session, without the cost of a password.
func (s *site) session(name string) string {
	s.Helper()
	link, err := s.store.Operator.SignInLink(s.Context(), domain.UserName(name))
	ok(s, err)
	token, _, err := s.store.Accounts.FollowSignInLink(s.Context(), link)
	ok(s, err)
	return token
}

// channel makes a channel.
func (s *site) channel(name, owner string) domain.Channel {
	s.Helper()
	channel, err := domain.NewChannel(name, domain.About{Description: "All about " + name}, domain.UserName(owner))
	if err == nil {
		channel, _, err = s.store.Channels.Create(s.Context(), channel, domain.PostersOpen, "", 0)
	}
	if err != nil {
		s.Fatalf("creating channel %s: %v", name, err)
	}
	return channel
}

func (s *site) ref(channel string) domain.ChannelRef {
	s.Helper()
	found, err := s.store.Channels.Get(s.Context(), domain.ChannelName(channel).Key().Address())
	ok(s, err)
	return found.Ref()
}

// post makes a post.
func (s *site) post(channel domain.Channel, by, text string) domain.Blog {
	s.Helper()
	blog, _, err := s.store.Posts.Create(s.Context(), storage.NewPost{
		Channel: channel, By: domain.UserName(by), Key: string(domain.NewRevision()), Draft: domain.Draft{Text: text},
	})
	ok(s, err)
	return blog
}

// reply makes a reply to a post.
func (s *site) reply(in domain.Channel, to domain.Blog, by domain.UserName, text string) domain.Reply {
	s.Helper()
	return s.keyedReply(in, to, by, string(domain.NewRevision()), text)
}

// keyedReply makes a reply with this idempotency key.
func (s *site) keyedReply(in domain.Channel, to domain.Blog, by domain.UserName, key, text string) domain.Reply {
	s.Helper()
	reply, _, err := s.store.Posts.Reply(s.Context(), storage.NewReply{Channel: in, Post: to.ID, By: by, Key: key, Text: text})
	ok(s, err)
	return reply
}

// postOn makes a post of the channel's owner with this time of creation.
func (s *site) postOn(on time.Time, channel domain.Channel, text string) domain.Blog {
	s.Helper()
	blog, _, err := s.store.Posts.Create(s.Context(), storage.NewPost{
		Channel: channel, By: channel.Owner, Key: string(domain.NewRevision()), Draft: domain.Draft{Text: text},
		CreatedOn: on,
	})
	ok(s, err)
	return blog
}

// subscribe subscribes a user to channels.
func (s *site) subscribe(user domain.UserName, channels ...domain.Channel) {
	s.Helper()
	for _, channel := range channels {
		if err := s.store.Subscriptions.Create(s.Context(), channel, user); err != nil {
			s.Fatalf("subscribing %s to %s: %v", user, channel.Name, err)
		}
	}
}

// vote gives a post that many votes. The voters have no accounts.
func (s *site) vote(blog domain.Blog, votes int) {
	s.Helper()
	for i := range votes {
		ok(s, s.store.Posts.Vote(s.Context(), blog.Channel, blog.ID, domain.UserName("voter"+string(rune('a'+i)))))
	}
}

// requestDeletion asks for the deletion of a channel, for its owner.
func (s *site) requestDeletion(channel domain.Channel) {
	s.Helper()
	_, err := s.store.Deletions.Request(s.Context(), channel.Key(), domain.By(channel.Owner), domain.Any[domain.Incarnation]())
	ok(s, err)
}

// record changes the record of a channel's deletion, as a worker does.
func (s *site) record(ref domain.ChannelRef, change func(d *domain.Deletion)) {
	s.Helper()
	message := domain.Message{Kind: domain.MessageChannel, Channel: ref.Key, Incarnation: ref.Incarnation}
	ok(s, s.store.Operator.UpdateRecord(s.Context(), message, func(d *domain.Deletion) bool { change(d); return true }))
}

// advance records the progress of a deletion.
func (s *site) advance(ref domain.ChannelRef, state domain.DeletionState, step domain.Step, rows int64) {
	s.Helper()
	s.record(ref, func(d *domain.Deletion) {
		d.State, d.Step, d.RowsDeleted = state, step, rows
		if state == domain.DeletionDone {
			d.FinishedOn = domain.Now()
		}
	})
}

// trace records a step of a worker.
func (s *site) trace(ref domain.ChannelRef, r domain.StepRecord) {
	s.Helper()
	s.record(ref, func(d *domain.Deletion) { d.StepLog = d.StepLog.With(r) })
}

// waiting records since when a worker waits for the store; zero if it does not.
func (s *site) waiting(ref domain.ChannelRef, since time.Time) {
	s.Helper()
	s.record(ref, func(d *domain.Deletion) { d.WaitingSince = since })
}

// cascade does all steps of a deletion, as a worker does.
func (s *site) cascade(ref domain.ChannelRef) {
	s.Helper()
	ctx := s.Context()
	if _, err := s.store.Operator.ShutGate(ctx, ref); err != nil {
		s.Fatalf("shutting the gate: %v", err)
	}
	for found := true; found; {
		page, err := s.store.Operator.Sweep(ctx, ref, "", func(int) {})
		ok(s, err)
		found = page.Found > 0
	}
	ok(s, s.store.Operator.RemoveGate(ctx, ref))
	ok(s, s.store.Operator.ReleaseName(ctx, ref))
}

// mustBeSound checks all invariants of an idle system.
func (s *site) mustBeSound() {
	s.Helper()
	checker := s.store.Operator.NewChecker(time.Hour, false, drivertest.FailOnce(s))
	if _, err := checker.Run(s.Context()); err != nil {
		s.Fatal(err)
	}
}
