package erasure_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/account"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestErasure(t *testing.T) {
	t.Run("an account goes with all that its user has made, but for posts that shall stay, without author", bubble(goesWithEverything))
	t.Run("a process that finds an account leaving shows nothing of it until it finds that undone", bubble(leavingIsNotShown))
	t.Run("the address of the personal feed ends with the request, and an undo does not bring it back", bubble(digestEndsWithTheRequest))
	t.Run("what was undone is untouched, and can be deleted again", bubble(erasureIsUndone))
	t.Run("the name is free again after its time, and no earlier row comes back", drivertest.Long(bubble(nameIsFreeAgain)))
	t.Run("an account that came back with a backup is deleted again, when it was promised", bubble(erasureIsRepeated))
	t.Run("a restore deletes no account of a later user of the name", bubble(laterAccountIsSpared))
	t.Run("one whose undoing was not recorded is not deleted by a restore", bubble(undoneIsNotRepeated))
	t.Run("one that came back pending, and was undone later, is not deleted after a restore", bubble(undoneStaysUndoneAfterRestore))
	t.Run("a restore whose clock is ahead does not end the time early", bubble(repeatedNotEarly))
	t.Run("no clock and no crash ends the time to undo early", drivertest.Long(bubble(undoIsKept)))
	t.Run("nothing waits for a worker while it can be undone", bubble(nothingWaitsForUndo))
	t.Run("the old password does not delete the account after it was changed", bubble(changedPasswordDeletesNothing))
	t.Run("what arrives late at an account that is gone signs no client in", bubble(lateWritesFindNoAccount))
	t.Run("an entry of a list that leads to no channel keeps no account", bubble(damagedEntryKeepsNoAccount))
	t.Run("a worker that is told to stop does so in the middle of a step", bubble(erasureStops))
	t.Run("a later user of the name is not blocked for it", drivertest.Long(bubble(nextIsNotBlocked)))
	t.Run("a later user of the name does not read what was deleted before", drivertest.Long(bubble(nextReadsNoDeletion)))
	t.Run("a delayed duplicate of a channel’s insert shows no user what it said", drivertest.Long(bubble(lateRowShowsNothing)))
}

func (l *leaving) attempt() account.Attempt {
	return account.Attempt{Name: string(leaver), Password: leaverPass}
}

func (l *leaving) createBy(name string, by domain.UserName) domain.Channel {
	l.T.Helper()
	channel, err := domain.NewChannel(name, domain.About{}, by)
	l.OK(err)
	channel, _, err = l.Store.Channels.Create(l.T.Context(), channel, domain.PostersOpen, "key of "+name, 0)
	l.OK(err)
	return channel
}

func (l *leaving) askOn(s *storage.Parts, keep bool) (domain.Erasure, error) {
	return s.Accounts.Delete(l.T.Context(), l.attempt(), keep)
}

func (l *leaving) ask(keep bool) domain.Erasure {
	l.T.Helper()
	asked, err := l.askOn(l.Store, keep)
	l.OK(err)
	return asked
}

func (l *leaving) undo() {
	l.T.Helper()
	_, err := l.Store.Accounts.Undo(l.T.Context(), leaver, domain.By(leaver))
	l.OK(err)
}

// state is what the account's row says.
func (l *leaving) state() domain.Erasure {
	l.T.Helper()
	e, err := l.Store.Accounts.Erasure(l.T.Context(), leaver)
	l.OK(err)
	return e
}

// gone waits until the account is gone, and their channel with it.
func (l *leaving) gone() {
	l.T.Helper()
	stop := l.start(l.Store)
	l.until("the account is gone", func() bool {
		_, err := l.Store.Operator.ReadChannel(l.T.Context(), l.own.Key())
		e := l.state()
		d, unread := l.Store.Deletions.Get(l.T.Context(), e.Ref(), domain.By(leaver))
		return e.State == domain.AccountGone && errors.Is(err, domain.ErrNotFound) && unread == nil && d.State == domain.DeletionDone
	})
	stop()
}

// mustBeErased checks what is left: nothing but the name, and what others have made.
func (l *leaving) mustBeErased() {
	l.T.Helper()
	ctx := l.T.Context()
	l.mustBeSound()
	partition := driver.Range{Partition: schema.UserPartition(leaver)}
	for row, err := range driver.NewTable(l.DB, schema.TableUsers).Within(ctx, partition) {
		l.OK(err)
		if row.Row != "" {
			l.T.Errorf("a row %q is left next to the account", row.Row)
		}
	}
	for row, err := range driver.NewTable(l.DB, schema.TableSubscriptions).Within(ctx, partition) {
		l.OK(err)
		l.T.Errorf("a subscription is left: %s", row.Row)
	}
	if n, err := l.Store.Posts.Get(ctx, l.voted.Channel, l.voted.ID); err != nil || n.Rating != 0 {
		l.T.Errorf("the post that they voted on is %+v, %v", n, err)
	}
	if _, err := l.Store.Accounts.Get(ctx, leaver); !errors.Is(err, domain.ErrNotFound) {
		l.T.Errorf("their page is read as %v", err)
	}
	if _, _, err := l.Store.Accounts.SignIn(ctx, l.attempt()); !errors.Is(err, domain.ErrNotSignedIn) {
		l.T.Errorf("they are signed in with %v", err)
	}
	if blogs, err := l.Store.Posts.List(ctx, l.victim.Ref(), storage.BlogQuery{Limit: 10}); err != nil || len(blogs.Items) < 3 {
		l.T.Errorf("of others, %d posts are left, %v", len(blogs.Items), err)
	}
}

func goesWithEverything(t *testing.T) {
	for _, keep := range []bool{false, true} {
		l := newLeaving(t, storage.Options{})
		l.ask(keep)
		if _, err := l.Store.Accounts.Session(t.Context(), l.token, ""); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("asked, their session is %v", err)
		}
		l.gone()
		l.mustBeErased()
		post, err := l.Store.Posts.Get(t.Context(), l.post.Channel, l.post.ID)
		stays := err == nil && post.UserID == domain.DeletedUser && post.Rating == 1 && post.Text == "mine"
		if keep != stays || !keep && !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("with posts that shall stay: %t, their post is read as %+v, %v", keep, post, err)
		}
		want := map[bool]string{true: `"my reply" by "deleted user", "reply to mine" by "grace"`}[keep]
		if got := l.replies(); got != want {
			t.Errorf("with posts that shall stay: %t, the replies are %s, want %s", keep, got, want)
		}
	}
}

// replies are those to the post that they voted on, and to their own, with their authors as readers see them.
func (l *leaving) replies() string {
	l.T.Helper()
	var all []string
	for _, to := range []domain.Blog{l.voted, l.post} {
		page, err := l.Store.Posts.Replies(l.T.Context(), to.Channel, to.ID, "", 10)
		l.OK(err)
		for _, reply := range page.Items {
			all = append(all, fmt.Sprintf("%q by %q", reply.Text, reply.UserID))
		}
	}
	return strings.Join(all, ", ")
}

const undoAccount = 6 * time.Hour

func erasureIsUndone(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	asked := l.ask(false)
	again, err := l.askOn(l.Store, true)
	if err != nil || again.ID != asked.ID || again.KeepPosts {
		t.Errorf("asked twice, it is %+v, %v", again, err)
	}
	stop := l.start(l.Store)
	time.Sleep(undoAccount - time.Minute)
	token, _, err := l.Store.Accounts.SignIn(t.Context(), l.attempt())
	l.OK(err)
	if s, err := l.Store.Accounts.Session(t.Context(), token, ""); err != nil || !s.Ends.Equal(asked.UndoableUntil) {
		t.Errorf("the session is %+v, %v", s, err)
	}
	for what, act := range map[string]func() error{
		"post": func() error {
			_, _, err := l.Store.Posts.Create(t.Context(), storage.NewPost{Channel: l.victim, By: leaver, Key: "k", Draft: domain.Draft{Text: "x"}})
			return err
		},
		"reply": func() error {
			_, _, err := l.Store.Posts.Reply(t.Context(), storetest.NewReply(l.victim, l.post.ID, leaver, "late"))
			return err
		},
		"vote":      func() error { return l.Store.Posts.Vote(t.Context(), l.victim.Ref(), l.kept[1].ID, leaver) },
		"subscribe": func() error { return l.Store.Subscriptions.Create(t.Context(), l.bystander, leaver) },
		"create": func() error {
			channel, err := domain.NewChannel("Other", domain.About{}, leaver)
			l.OK(err)
			_, _, err = l.Store.Channels.Create(t.Context(), channel, domain.PostersOpen, "", 0)
			return err
		},
	} {
		if err := act(); !errors.Is(err, domain.ErrAccountEnds) {
			t.Errorf("a user who leaves may %s: %v", what, err)
		}
	}
	l.undo()
	time.Sleep(2 * time.Minute)
	if s, err := l.Store.Accounts.Session(t.Context(), token, ""); err != nil || !s.Ends.IsZero() {
		t.Errorf("undone, the session is %+v, %v", s, err)
	}
	if post, err := l.Store.Posts.Get(t.Context(), l.post.Channel, l.post.ID); err != nil || post.UserID != leaver {
		t.Errorf("undone, a post is %+v, %v", post, err)
	}
	l.Post(l.own, leaver, "back")
	l.mustBeSound()
	l.ask(false)
	time.Sleep(undoAccount + time.Hour)
	if _, err := l.Store.Accounts.Undo(t.Context(), leaver, domain.By(leaver)); !errors.Is(err, domain.ErrTooLate) {
		t.Errorf("undone too late: %v", err)
	}
	stop()
	l.gone()
	l.mustBeErased()
}

func nameIsFreeAgain(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.ask(false)
	l.gone()
	l.SleepClosed(domain.NameKept - time.Hour)
	if _, err := l.Store.Operator.SignUp(t.Context(), string(leaver), leaverPass); !errors.Is(err, domain.ErrExists) {
		t.Errorf("before its time, the name is given with %v", err)
	}
	time.Sleep(2 * time.Hour)
	_, err := l.Store.Operator.SignUp(t.Context(), string(leaver), "another password")
	l.OK(err)
	if _, _, err := l.Store.Accounts.SignIn(t.Context(), l.attempt()); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("the former password signs in: %v", err)
	}
	if _, err := l.Store.Accounts.Session(t.Context(), l.token, ""); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("a former session: %v", err)
	}
	if posts, err := l.Store.Feeds.BlogsBy(t.Context(), leaver, "", 10); err != nil || len(posts.Items) > 0 {
		t.Errorf("the next of the name wrote %d posts, %v", len(posts.Items), err)
	}
	l.Post(l.victim, leaver, "new")
	l.mustBeSound()
}

func erasureIsRepeated(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	asked := l.ask(true)
	records, err := l.Store.Operator.DeletionRecords(t.Context())
	l.OK(err)
	l.undo()
	users := driver.NewTable(l.DB, schema.TableUsers) // as an earlier backup has the account
	l.OK(users.Transact(t.Context(), string(leaver), driver.Merge("", driver.Exists, driver.Time(schema.PropRequestedOn, asked.RequestedOn.Add(-time.Hour)))))
	time.Sleep(time.Hour)
	n, err := l.Store.Operator.RepeatDeletions(t.Context(), records)
	if e := l.state(); err != nil || n != 1 || e.ID == asked.ID || !e.KeepPosts || !e.UndoableUntil.Equal(asked.UndoableUntil) {
		t.Errorf("%d deletions were repeated as %+v, %v", n, e, err)
	}
	time.Sleep(undoAccount + time.Hour)
	l.gone()
	l.mustBeErased()
}

// The record is of the account that had the name before.
func laterAccountIsSpared(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	before := l.account().CreatedOn.Add(-domain.NameKept - time.Hour)
	m := domain.Erasure{User: leaver, ID: domain.NewIncarnation(), RequestedOn: before}.Message()
	done := domain.Deletion{Channel: m.Ref(), Name: m.Name, RequestedBy: leaver, RequestedOn: before, State: domain.DeletionDone}
	n, err := l.Store.Operator.RepeatDeletions(t.Context(), []domain.Deletion{done})
	if e := l.state(); err != nil || n != 0 || e.State != domain.AccountActive {
		t.Errorf("%d deletions were repeated as %+v, %v", n, e, err)
	}
}

// The restore runs on a machine whose clock is ahead by as much as may be.
func repeatedNotEarly(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	asked := l.ask(false)
	records, err := l.Store.Operator.DeletionRecords(t.Context())
	l.OK(err)
	l.undo()
	users := driver.NewTable(l.DB, schema.TableUsers)
	l.OK(users.Transact(t.Context(), string(leaver), driver.Merge("", driver.Exists, driver.Time(schema.PropRequestedOn, asked.RequestedOn.Add(-time.Hour)))))
	time.Sleep(time.Until(asked.UndoableUntil.Add(domain.ClockMargin - time.Minute)))
	if _, err := l.Store.Operator.RepeatDeletions(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	stop := l.start(l.Store)
	time.Sleep(domain.ClockMargin - time.Minute)
	stop()
	if e := l.state(); e.State != domain.AccountPending {
		t.Errorf("repeated within the margin, the account is %s", e.State)
	}
}

func undoneIsNotRepeated(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	l.ask(true)
	records, err := l.Store.Operator.DeletionRecords(t.Context())
	l.OK(err)
	l.undo()
	n, err := l.Store.Operator.RepeatDeletions(t.Context(), records)
	if e := l.state(); err != nil || n != 0 || e.State != domain.AccountActive {
		t.Errorf("%d deletions were repeated as %+v, %v", n, e, err)
	}
}

// The process that was asked may have a clock that is off, and may die once it has marked the account.
func undoIsKept(t *testing.T) {
	for _, dies := range []bool{false, true} {
		for _, by := range []time.Duration{-domain.ClockMargin, -30 * time.Second, 0, 4 * time.Minute, domain.ClockMargin} {
			l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
			if dies {
				l.Hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
					if drivertest.Writes(call) && call.Target == schema.TableDeletions && call.Partition == string(domain.Erasure{User: leaver}.Ref().Key) || call.Target == domain.QueueName {
						return drivertest.ErrInjected
					}
					return send(ctx)
				}
			}
			asked, _ := l.askOn(l.Faulty, false)
			for _, table := range []string{schema.TableChannels, schema.TableDeletions, schema.TableUsers} {
				l.Postdate(table, by, schema.PropRequestedOn) // which the message has as well
			}
			stop := l.start(l.Store)
			time.Sleep(time.Until(asked.UndoableUntil.Add(-time.Second)))
			if e := l.state(); e.State != domain.AccountPending {
				t.Errorf("with a clock off by %s, before the time is over, the account is %s", by, e.State)
			}
			time.Sleep(3 * domain.ClockMargin)
			stop()
			if e := l.state(); e.State != domain.AccountGone {
				t.Errorf("with a clock off by %s, long after the time, the account is %s", by, e.State)
			}
		}
	}
}

// A message that no worker may handle would keep a worker up, and a copy of the store waiting.
func nothingWaitsForUndo(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	l.ask(false)
	stop := l.start(l.Store)
	for range 7 {
		time.Sleep(undoAccount/7 - time.Second)
		if b, err := l.Store.Operator.Backlog(t.Context()); err != nil || b != (storage.Backlog{}) {
			t.Errorf("what waits is %+v, %v", b, err)
		}
		l.mustBeSoundWithin(0)
	}
	stop()
	l.Arm(drivertest.Pass)
	_, err := l.Faulty.Operator.Reconcile(t.Context(), 0, time.Now())
	if n := l.Calls.Load(); err != nil || n != 1 {
		t.Errorf("a pass makes %d calls about an account that can be undone, want the scan of the index (%v)", n, err)
	}
	time.Sleep(time.Hour)
	if b, err := l.Store.Operator.Backlog(t.Context()); err != nil || b.Open != 1 || time.Since(b.Oldest) > time.Hour {
		t.Errorf("once it is due, what waits is %+v, %v", b, err)
	}
	l.gone()
	l.mustBeErased()
}

func changedPasswordDeletesNothing(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	changed := false
	l.Hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if !changed && drivertest.Writes(call) {
			changed = true
			l.OK(l.Store.Accounts.ChangePassword(t.Context(), l.token, l.attempt(), "another password"))
		}
		return send(ctx)
	}
	var invalid *domain.InvalidError
	if _, err := l.askOn(l.Faulty, false); !errors.As(err, &invalid) || l.state().State != domain.AccountActive {
		t.Errorf("asked with the previous password: %v, and the account is %q", err, l.state().State)
	}
}

func lateWritesFindNoAccount(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	begun := false
	l.Hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if !begun && call.Target == schema.TableUsers && drivertest.Writes(call) { // the sign-in counts
			begun = true
			l.ask(false)
			l.gone()
		}
		return send(ctx)
	}
	if _, _, err := l.Faulty.Accounts.SignIn(t.Context(), l.attempt()); !begun || !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("signing in while the account goes: %v", err)
	}
	if _, err := l.Store.Accounts.NewDigestAddress(t.Context(), leaver); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("an address is made for a missing user: %v", err)
	}
	if err := l.Store.Accounts.EndSessions(t.Context(), leaver); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("sessions of a missing user are ended: %v", err)
	}
	request := storage.SignUpRequest{Attempt: l.attempt(), Key: "key"}
	if _, _, err := l.Store.Accounts.Create(t.Context(), request); !errors.Is(err, domain.ErrExists) {
		t.Errorf("the name is given: %v", err)
	}
	request.Name = "another"
	if _, _, err := l.Store.Accounts.Create(t.Context(), request); err != nil {
		t.Errorf("the key of a refused request is used up: %v", err)
	}
}

func erasureStops(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	for n := range 250 {
		l.Post(l.victim, leaver, fmt.Sprint("more ", n))
	}
	l.ask(false)
	l.Hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		time.Sleep(100 * time.Millisecond)
		return send(ctx)
	}
	stop := l.start(l.Faulty)
	l.until("a worker has begun", func() bool { return l.state().State == domain.AccountErasing })
	time.Sleep(3 * time.Second) // it removes posts
	began := time.Now()
	stop()
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it stopped after %s", took)
	}
	l.gone()
	l.mustBeErased()
}

func (l *leaving) account() domain.User {
	l.T.Helper()
	account, err := l.Store.Accounts.Get(l.T.Context(), leaver)
	l.OK(err)
	return account
}

func leavingIsNotShown(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	ctx := t.Context()
	hello := l.Post(l.victim, leaver, "hello")
	versions := map[storage.Version]bool{}
	posts := func() (by []domain.UserName) {
		l.OK(l.Store.Accounts.FindLeaving(ctx))
		list, err := l.Store.Posts.List(ctx, l.victim.Ref(), storage.BlogQuery{Limit: 100})
		l.OK(err)
		for _, post := range list.Items {
			by = append(by, post.UserID)
		}
		_, version, err := l.Store.Channels.GetVersion(ctx, l.victim.Key().Address(), "")
		l.OK(err)
		if versions[version] {
			t.Error("a version comes back, so a page that was read meanwhile is kept for it")
		}
		versions[version] = true
		return by
	}
	before := posts()
	removed := slices.DeleteFunc(slices.Clone(before), func(by domain.UserName) bool { return by == leaver })
	var unnamed []domain.UserName
	for _, by := range before {
		if by == leaver {
			by = domain.DeletedUser
		}
		unnamed = append(unnamed, by)
	}
	for keep, want := range map[bool][]domain.UserName{false: removed, true: unnamed} {
		l.ask(keep)
		if shown := posts(); !slices.Equal(shown, want) {
			t.Errorf("keep %t: posts by %q are shown, want %q", keep, shown, want)
		}
		if post, err := l.Store.Posts.Get(ctx, l.victim.Ref(), hello.ID); keep != (err == nil) || post.UserID == leaver {
			t.Errorf("keep %t: one post is shown as %+v, %v", keep, post, err)
		}
		if got, want := l.replies(), map[bool]string{true: `"my reply" by "deleted user", `}[keep]+`"reply to mine" by "grace"`; got != want {
			t.Errorf("keep %t: the replies are %s, want %s", keep, got, want)
		}
		l.undo()
		if shown := posts(); !slices.Equal(shown, before) {
			t.Errorf("after the undo, posts by %q are shown, want %q", shown, before)
		}
	}
}

// keeps keeps a transaction of the faulty side, and returns what sends it again.
func (l *leaving) keeps(is func(call drivertest.Call) bool) (again func() error) {
	var kept driver.Call
	l.Hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if len(call.Operations) > 0 && is(call) {
			kept = *call
		}
		return send(ctx)
	}
	return func() error {
		return driver.NewTable(l.DB, kept.Target).Transact(l.T.Context(), kept.Partition, kept.Operations...)
	}
}

func digestEndsWithTheRequest(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	secret, err := l.Store.Accounts.NewDigestAddress(t.Context(), leaver)
	l.OK(err)
	l.OK(l.Store.Accounts.CheckDigestAddress(t.Context(), leaver, secret))
	mustBeRevoked := func(when string) {
		t.Helper()
		if err := l.Store.Accounts.CheckDigestAddress(t.Context(), leaver, secret); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("%s, the address of the personal feed is answered with %v", when, err)
		}
	}
	l.ask(false)
	mustBeRevoked("while the deletion can be undone")
	l.undo()
	mustBeRevoked("once it is undone")
}

// signUpNext takes the name once it is free, on a process whose clock is ahead.
func (l *leaving) signUpNext() {
	l.T.Helper()
	l.SleepClosed(domain.NameKept + time.Hour)
	_, _, err := l.Store.Accounts.Create(l.T.Context(), storage.SignUpRequest{Attempt: l.attempt(), CreatedOn: time.Now().Add(15 * time.Minute)})
	l.OK(err)
}

// One of the rules blocks a user who has nothing in the channel by which it could be found.
func nextIsNotBlocked(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	ctx, third := t.Context(), l.Create("Third", ada)
	spam := l.Post(third, leaver, "spam")
	l.OK(l.Store.Posts.Delete(ctx, third, spam.ID, domain.By(ada), domain.Any[domain.Revision]()))
	for _, channel := range []domain.Channel{l.victim, third} {
		l.OK(l.Store.Posts.Block(ctx, channel, ada, l.account()))
	}
	l.ask(false)
	l.gone()
	l.signUpNext()
	l.Post(l.victim, leaver, "hello")
	l.Post(third, leaver, "hello")
	again := storage.NewPost{Channel: third, By: leaver, Key: "again", Draft: domain.Draft{Text: "again"}}
	l.OK(l.Store.Posts.Block(ctx, third, ada, l.account()))
	if _, _, err := l.Store.Posts.Create(ctx, again); !errors.Is(err, domain.ErrBlocked) {
		t.Errorf("the new user of the name is blocked now, and posts: %v", err)
	}
	l.OK(l.Store.Posts.Unblock(ctx, third, ada, leaver))
	l.Post(third, leaver, "again")
	l.mustBeSound()
}

// A delayed duplicate of the row by which the deletion was on their list takes effect once another user has the name.
func nextReadsNoDeletion(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	ctx, secret := t.Context(), l.createBy("Secret", leaver)
	late := l.keeps(func(call drivertest.Call) bool {
		return schema.Requested.Has(call.Operations[0].Row)
	})
	_, err := l.Faulty.Deletions.Request(ctx, secret.Key(), domain.By(leaver), domain.OneOf(secret.Incarnation))
	l.OK(err)
	l.ask(false)
	l.gone()
	earlier, err := l.Store.Deletions.Get(ctx, secret.Ref(), domain.By(leaver))
	if err != nil || earlier.Name != secret.Name {
		t.Errorf("before another user has the name, it is %+v, %v", earlier, err)
	}
	l.signUpNext()
	l.OK(late())
	if d, err := l.Store.Deletions.Get(ctx, secret.Ref(), domain.By(leaver)); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the next user of the name reads an earlier deletion: %+v, %v", d, err)
	}
	if _, err := l.Store.Deletions.Undo(ctx, secret.Ref(), domain.By(leaver)); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the next user of the name undoes an earlier deletion: %v", err)
	}
	rows, err := l.Store.Channels.Rows(ctx, storage.RowsQuery{Key: secret.Key(), By: leaver, Limit: 10})
	if !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("the next user of the name reads the rows of an earlier channel: %+v, %v", rows, err)
	}
	mine := l.createBy("Mine", leaver)
	_, err = l.Store.Deletions.Request(ctx, mine.Key(), domain.By(leaver), domain.OneOf(mine.Incarnation))
	l.OK(err)
	list, err := l.Store.Deletions.List(ctx, leaver, "", 10)
	if err != nil || len(list.Items) != 1 || list.Items[0].Name != mine.Name {
		t.Errorf("on the list of the next of the name: %+v, %v", list.Items, err)
	}
	if d, err := l.Store.Deletions.Get(ctx, mine.Ref(), domain.By(leaver)); err != nil || d.Name != mine.Name {
		t.Errorf("their own deletion, asked for with a clock behind: %+v, %v", d, err)
	}
	again := l.createBy("Secret", leaver)
	_, err = l.Store.Deletions.Request(ctx, again.Key(), domain.By(leaver), domain.OneOf(again.Incarnation))
	l.OK(err)
	l.OK(l.Store.Operator.Enqueue(ctx, earlier.Message()))
	rows, err = l.Store.Channels.Rows(ctx, storage.RowsQuery{Key: again.Key(), By: leaver, Limit: 10})
	if err != nil || len(rows.Messages) != 1 || rows.Messages[0].Message.Incarnation != again.Incarnation {
		t.Errorf("of the messages about the name, the next user reads %+v, %v", rows.Messages, err)
	}
}

func damagedEntryKeepsNoAccount(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.WriteForeign(schema.TableUsers, string(leaver), driver.Insert(schema.WroteRow(domain.NewBlogID(time.Now())),
		driver.String(schema.PropChannel, strings.Repeat("k", 600)), driver.String(schema.PropIncarnation, domain.NewIncarnation())))
	l.ask(false)
	l.gone()
}

// A copy of the insert of a channel's row lands, once its owner is gone.
func lateRowShowsNothing(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	ctx := t.Context()
	late := l.keeps(func(call drivertest.Call) bool {
		return call.Target == schema.TableChannels && call.Operations[0].Action == driver.ActionInsert
	})
	secret, err := domain.NewChannel("Secret", domain.About{Description: "of the former owner"}, leaver)
	l.OK(err)
	_, _, err = l.Faulty.Channels.Create(ctx, secret, domain.PostersOpen, "", 0)
	l.OK(err)
	l.ask(false)
	l.gone()
	stop := l.start(l.Store)
	l.until("the channel is gone", func() bool { _, err := l.Store.Operator.ReadChannel(ctx, secret.Key()); return err != nil })
	stop()
	l.signUpNext()
	l.OK(late())
	l.OK(l.Store.Operator.ListChannel(ctx, secret))
	for _, remembered := range []domain.Incarnation{"", secret.Incarnation} {
		if shown, _, err := l.Store.Channels.GetVersion(ctx, secret.Key().Address(), remembered); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("the channel is shown as %+v, %v", shown, err)
		}
	}
	if owned, err := l.Store.Channels.ListOwned(ctx, leaver, "", 10); err != nil || len(owned.Items) > 0 {
		t.Errorf("on the list of the new user of the name: %+v, %v", owned.Items, err)
	}
	all, err := l.Store.Channels.List(ctx, "", "", 10)
	if err != nil || len(all.Items) != 2 { // those of the world
		t.Errorf("on the list of all: %+v, %v", all.Items, err)
	}
	rows, err := l.Store.Channels.Rows(ctx, storage.RowsQuery{Key: secret.Key(), By: leaver, Limit: 10})
	if !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the new user of the name reads the rows: %+v, %v", rows, err)
	}
}

// TestErasureFaults checks that no panic in a call leaves anything of an account, or hurts what others
// have made. A sound worker does what is left. The model checker loses replies and ends
// workers (scenarios erasure-keep and erasure-workers), but its calls do not panic.
func TestErasureFaults(t *testing.T) { drivertest.Long(erasureFaults)(t) }

func erasureFaults(t *testing.T) {
	for n, last := 1, false; !last; n++ {
		t.Run(fmt.Sprintf("call %d meets a bug of a library", n), bubble(func(t *testing.T) {
			last = true // even if the test ends here
			l := newLeaving(t, storage.Options{})
			l.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				if call.Seq == n {
					panic("a bug of a library")
				}
				return send(ctx)
			})
			func() {
				defer func() { _ = recover() }() // as package web does
				_, _ = l.askOn(l.Faulty, n%2 == 0)
			}()
			stop := l.start(l.Faulty)
			time.Sleep(3 * l.options.Lease)
			stop()
			if l.state().State == domain.AccountActive {
				l.ask(false)
			}
			l.gone()
			l.mustBeErased()
			last = int(l.Calls.Load()) < n
		}))
	}
}

func undoneStaysUndoneAfterRestore(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	ctx := t.Context()
	asked := l.ask(false)
	users := driver.NewTable(l.DB, schema.TableUsers)
	before, err := users.Get(ctx, string(leaver), "")
	l.OK(err)
	record, err := driver.NewTable(l.DB, schema.TableDeletions).Get(ctx, string(asked.Ref().Key), string(asked.ID))
	l.OK(err)
	time.Sleep(time.Hour)
	l.undo()
	records, err := l.Store.Operator.DeletionRecords(ctx)
	l.OK(err)
	// the backup
	l.OK(users.Transact(ctx, before.Partition, driver.Replace(before.Row, driver.Upsert, before.Properties...)))
	l.OK(driver.NewTable(l.DB, schema.TableDeletions).Transact(ctx, record.Partition, driver.Replace(record.Row, driver.Upsert, record.Properties...)))
	other := slices.Clone(records)
	other[0].Channel.Incarnation = "OTHER"
	_, err = l.Store.Operator.RepeatDeletions(ctx, other)
	if l.OK(err); l.state().State != domain.AccountPending {
		t.Error("an undo of another request is repeated")
	}
	l.Hook = func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected }
	if _, err := l.Faulty.Operator.RepeatDeletions(ctx, records); err == nil {
		t.Error("a store that does not answer is no error")
	}
	_, err = l.Store.Operator.RepeatDeletions(ctx, records)
	l.OK(err)
	if records, err = l.Store.Operator.DeletionRecords(ctx); err != nil || records[0].State != domain.DeletionUndone {
		t.Errorf("it is recorded as %v, %v", records, err)
	}
	stop := l.start(l.Store)
	time.Sleep(undoAccount + time.Hour)
	stop()
	if e := l.state(); e.State != domain.AccountActive {
		t.Errorf("the account is %s, and the deletion was undone", e.State)
	}
}
