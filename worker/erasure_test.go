package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/account"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
)

func TestErasure(t *testing.T) {
	t.Run("an account goes with all that its user has made, and nothing else does", bubble(goesWithEverything))
	t.Run("posts that shall stay have no author any more", bubble(postsStayWithoutAuthor))
	t.Run("what was undone is untouched, and can be deleted again", bubble(erasureIsUndone))
	t.Run("the name is free again after its time, and no earlier row comes back", drivertest.Long(bubble(nameIsFreeAgain)))
	t.Run("an account that came back with a backup is deleted again, when it was promised", bubble(erasureIsRepeated))
	t.Run("one whose undoing was not recorded is not deleted by a restore", bubble(undoneIsNotRepeated))
	t.Run("a restore whose clock is ahead does not end the time early", bubble(repeatedNotEarly))
	t.Run("no clock and no crash ends the time to undo early", drivertest.Long(bubble(undoIsKept)))
	t.Run("nothing waits for a worker while it can be undone", bubble(nothingWaitsForUndo))
	t.Run("the old password does not delete the account after it was changed", bubble(changedPasswordDeletesNothing))
	t.Run("what arrives late at an account that is gone signs no client in", bubble(lateWritesFindNoAccount))
	t.Run("a worker that is told to stop does so in the middle of a step", bubble(erasureStops))
	t.Run("a later user of the name is not blocked for it", drivertest.Long(bubble(nextIsNotBlocked)))
	t.Run("a later user of the name does not read what was deleted before", drivertest.Long(bubble(nextReadsNoDeletion)))
	t.Run("a channel goes with its owner, although its creation stalled", bubble(stalledChannelGoes(func(*leaving, string) func() { time.Sleep(11 * time.Minute); return func() {} })))
	t.Run("a channel goes with its owner, although another had its name while its creation stalled", bubble(stalledChannelGoes((*leaving).otherComesAndGoes)))
}

const (
	leaver     domain.UserName = "lea"
	leaverPass string          = "correct horse battery"
)

// A leaving is a world in which the user who leaves has made a row of every kind.
type leaving struct {
	*world
	// own is their channel; post theirs in the channel of another user, and voted
	// another user's post that they have voted on.
	own         domain.Channel
	post, voted domain.Blog
	token       string
}

func newLeaving(t *testing.T, o storage.Options) *leaving {
	t.Helper()
	o.HashPassword = drivertest.CheapHash
	l := &leaving{world: newWorldOf(t, 3, o)}
	ctx := t.Context()
	_, err := l.sound.Operator.SignUp(ctx, string(leaver), leaverPass)
	l.ok(err)
	l.token, _, err = l.sound.Accounts.SignIn(ctx, l.attempt())
	l.ok(err)
	l.own = l.createBy("Own", leaver)
	l.post = l.postBy(l.victim, leaver, "mine")
	l.postBy(l.own, leaver, "mine at home")
	l.voted = l.kept[0]
	l.ok(l.sound.Posts.Vote(ctx, l.voted.Channel, l.voted.ID, leaver))
	l.ok(l.sound.Posts.Vote(ctx, l.post.Channel, l.post.ID, visitor))
	l.ok(l.sound.Subscriptions.Create(ctx, l.victim, leaver))
	return l
}

func (l *leaving) attempt() account.Attempt {
	return account.Attempt{Name: string(leaver), Password: leaverPass}
}

func (w *world) createBy(name string, by domain.UserName) domain.Channel {
	w.t.Helper()
	channel, err := domain.NewChannel(name, domain.About{}, by)
	w.ok(err)
	channel, _, err = w.sound.Channels.Create(w.t.Context(), channel, "key of "+name, 0)
	w.ok(err)
	return channel
}

func (w *world) postBy(to domain.Channel, by domain.UserName, text string) domain.Blog {
	w.t.Helper()
	blog, _, err := w.sound.Posts.Create(w.t.Context(), storage.Posting{Channel: to, By: by, Key: text, Draft: domain.Draft{Text: text}})
	w.ok(err)
	return blog
}

func (l *leaving) askOn(s *storage.Parts, keep bool) (domain.Erasure, error) {
	return s.Accounts.Delete(l.t.Context(), l.attempt(), keep)
}

func (l *leaving) undo(s *storage.Parts) {
	l.t.Helper()
	_, err := s.Accounts.Undo(l.t.Context(), leaver)
	l.ok(err)
}

// state is what the account's row says.
func (l *leaving) state() domain.Erasure {
	l.t.Helper()
	e, err := l.sound.Operator.Entry(l.t.Context(), leaver)
	l.ok(err)
	return e.Erasure
}

// gone waits until the account is gone, and their channel with it.
func (l *leaving) gone() {
	l.t.Helper()
	stop := l.start(l.sound)
	l.until("the account is gone", func() bool {
		_, err := l.sound.Operator.ReadChannel(l.t.Context(), l.own.Key())
		e := l.state()
		d, unread := l.sound.Deletions.Get(l.t.Context(), e.Ref(), leaver)
		return e.State == domain.AccountGone && errors.Is(err, domain.ErrNotFound) && unread == nil && d.State == domain.DeletionDone
	})
	stop()
}

// mustBeErased checks what is left: nothing but the name, and what others have made.
func (l *leaving) mustBeErased() {
	l.t.Helper()
	ctx := l.t.Context()
	l.mustBeSound()
	partition := driver.Range{Partition: schema.UserPartition(leaver)}
	for row, err := range driver.NewTable(l.db, schema.TableUsers).Within(ctx, partition) {
		l.ok(err)
		if row.Row != "" {
			l.t.Errorf("a row %q is left next to the account", row.Row)
		}
	}
	for row, err := range driver.NewTable(l.db, schema.TableSubscriptions).Within(ctx, partition) {
		l.ok(err)
		l.t.Errorf("a subscription is left: %s", row.Row)
	}
	if n, err := l.sound.Posts.Get(ctx, l.voted.Channel, l.voted.ID); err != nil || n.Rating != 0 {
		l.t.Errorf("the post that they voted on is %+v, %v", n, err)
	}
	if _, err := l.sound.Accounts.Get(ctx, leaver); !errors.Is(err, domain.ErrNotFound) {
		l.t.Errorf("their page is read as %v", err)
	}
	if _, _, err := l.sound.Accounts.SignIn(ctx, l.attempt()); !errors.Is(err, domain.ErrNotSignedIn) {
		l.t.Errorf("they are signed in with %v", err)
	}
	if blogs, err := l.sound.Posts.List(ctx, l.victim.Ref(), storage.BlogQuery{Limit: 10}); err != nil || len(blogs.Items) < 3 {
		l.t.Errorf("of others, %d posts are left, %v", len(blogs.Items), err)
	}
}

func goesWithEverything(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	_, err := l.askOn(l.sound, false)
	l.ok(err)
	if _, err := l.sound.Accounts.Session(t.Context(), l.token, ""); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("asked, their session is %v", err)
	}
	l.gone()
	l.mustBeErased()
	if _, err := l.sound.Posts.Get(t.Context(), l.post.Channel, l.post.ID); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("their post is read with %v", err)
	}
}

func postsStayWithoutAuthor(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	_, err := l.askOn(l.sound, true)
	l.ok(err)
	l.gone()
	l.mustBeErased()
	if post, err := l.sound.Posts.Get(t.Context(), l.post.Channel, l.post.ID); err != nil || post.UserID != domain.DeletedUser || post.Rating != 1 || post.Text != "mine" {
		t.Errorf("their post is read as %+v, %v", post, err)
	}
}

const undoAccount = 6 * time.Hour

func erasureIsUndone(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	asked, err := l.askOn(l.sound, false)
	l.ok(err)
	again, err := l.askOn(l.sound, true)
	if err != nil || again.ID != asked.ID || again.KeepPosts {
		t.Errorf("asked twice, it is %+v, %v", again, err)
	}
	stop := l.start(l.sound)
	time.Sleep(undoAccount - time.Minute)
	token, _, err := l.sound.Accounts.SignIn(t.Context(), l.attempt())
	l.ok(err)
	if s, err := l.sound.Accounts.Session(t.Context(), token, ""); err != nil || !s.Ends.Equal(asked.UndoableUntil) {
		t.Errorf("the session is %+v, %v", s, err)
	}
	for what, act := range map[string]func() error{
		"post": func() error {
			_, _, err := l.sound.Posts.Create(t.Context(), storage.Posting{Channel: l.victim, By: leaver, Key: "k", Draft: domain.Draft{Text: "x"}})
			return err
		},
		"vote":      func() error { return l.sound.Posts.Vote(t.Context(), l.victim.Ref(), l.kept[1].ID, leaver) },
		"subscribe": func() error { return l.sound.Subscriptions.Create(t.Context(), l.bystander, leaver) },
		"create": func() error {
			channel, err := domain.NewChannel("Other", domain.About{}, leaver)
			l.ok(err)
			_, _, err = l.sound.Channels.Create(t.Context(), channel, "", 0)
			return err
		},
	} {
		if err := act(); !errors.Is(err, domain.ErrAccountEnds) {
			t.Errorf("a user who leaves may %s: %v", what, err)
		}
	}
	l.undo(l.sound)
	time.Sleep(2 * time.Minute)
	if s, err := l.sound.Accounts.Session(t.Context(), token, ""); err != nil || !s.Ends.IsZero() {
		t.Errorf("undone, the session is %+v, %v", s, err)
	}
	if post, err := l.sound.Posts.Get(t.Context(), l.post.Channel, l.post.ID); err != nil || post.UserID != leaver {
		t.Errorf("undone, a post is %+v, %v", post, err)
	}
	l.postBy(l.own, leaver, "back")
	l.mustBeSound()
	_, err = l.askOn(l.sound, false)
	l.ok(err)
	time.Sleep(undoAccount + time.Hour)
	if _, err := l.sound.Accounts.Undo(t.Context(), leaver); !errors.Is(err, domain.ErrTooLate) {
		t.Errorf("undone too late: %v", err)
	}
	stop()
	l.gone()
	l.mustBeErased()
}

func nameIsFreeAgain(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	_, err := l.askOn(l.sound, false)
	l.ok(err)
	l.gone()
	time.Sleep(domain.NameKept - time.Hour)
	if _, err := l.sound.Operator.SignUp(t.Context(), string(leaver), leaverPass); !errors.Is(err, domain.ErrExists) {
		t.Errorf("before its time, the name is given with %v", err)
	}
	time.Sleep(2 * time.Hour)
	_, err = l.sound.Operator.SignUp(t.Context(), string(leaver), "another password")
	l.ok(err)
	if _, _, err := l.sound.Accounts.SignIn(t.Context(), l.attempt()); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("the former password signs in: %v", err)
	}
	if _, err := l.sound.Accounts.Session(t.Context(), l.token, ""); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("a former session: %v", err)
	}
	if posts, err := l.sound.Feeds.BlogsBy(t.Context(), leaver, "", 10); err != nil || len(posts.Items) > 0 {
		t.Errorf("the next of the name wrote %d posts, %v", len(posts.Items), err)
	}
	l.postBy(l.victim, leaver, "new")
	l.mustBeSound()
}

func erasureIsRepeated(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	asked, err := l.askOn(l.sound, true)
	l.ok(err)
	records, err := l.sound.Operator.DeletionRecords(t.Context())
	l.ok(err)
	l.undo(l.sound)
	users := driver.NewTable(l.db, schema.TableUsers) // as an earlier backup has the account
	l.ok(users.Transact(t.Context(), string(leaver), driver.Merge("", driver.Exists, driver.Time(schema.PropRequestedOn, asked.RequestedOn.Add(-time.Hour)))))
	time.Sleep(time.Hour)
	n, err := l.sound.Operator.RepeatDeletions(t.Context(), records)
	if e := l.state(); err != nil || n != 1 || e.ID == asked.ID || !e.KeepPosts || !e.UndoableUntil.Equal(asked.UndoableUntil) {
		t.Errorf("%d deletions were repeated as %+v, %v", n, e, err)
	}
	time.Sleep(undoAccount + time.Hour)
	l.gone()
	l.mustBeErased()
}

// The restore runs on a machine whose clock is ahead by as much as may be.
func repeatedNotEarly(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	asked, err := l.askOn(l.sound, false)
	l.ok(err)
	records, err := l.sound.Operator.DeletionRecords(t.Context())
	l.ok(err)
	l.undo(l.sound)
	users := driver.NewTable(l.db, schema.TableUsers)
	l.ok(users.Transact(t.Context(), string(leaver), driver.Merge("", driver.Exists, driver.Time(schema.PropRequestedOn, asked.RequestedOn.Add(-time.Hour)))))
	time.Sleep(time.Until(asked.UndoableUntil.Add(domain.ClockMargin - time.Minute)))
	if _, err := l.sound.Operator.RepeatDeletions(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	stop := l.start(l.sound)
	time.Sleep(domain.ClockMargin - time.Minute)
	stop()
	if e := l.state(); e.State != domain.AccountPending {
		t.Errorf("repeated within the margin, the account is %s", e.State)
	}
}

func undoneIsNotRepeated(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	_, err := l.askOn(l.sound, true)
	l.ok(err)
	records, err := l.sound.Operator.DeletionRecords(t.Context())
	l.ok(err)
	l.undo(l.sound)
	n, err := l.sound.Operator.RepeatDeletions(t.Context(), records)
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
				l.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
					if drivertest.Writes(call) && call.Target == schema.TableDeletions && call.Partition == string(domain.Erasure{User: leaver}.Ref().Key) || call.Target == domain.QueueName {
						return drivertest.ErrInjected
					}
					return send(ctx)
				}
			}
			asked, _ := l.askOn(l.faulty, false)
			l.skewed(by)
			stop := l.start(l.sound)
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
	_, err := l.askOn(l.sound, false)
	l.ok(err)
	stop := l.start(l.sound)
	for range 7 {
		time.Sleep(undoAccount/7 - time.Second)
		if b, err := l.sound.Operator.Backlog(t.Context()); err != nil || b != (storage.Backlog{}) {
			t.Errorf("what waits is %+v, %v", b, err)
		}
		l.mustBeSoundWithin(0)
	}
	stop()
	calls := newCounted()
	l.hook = calls.hook
	_, err = l.faulty.Operator.Reconcile(t.Context(), 0, time.Now())
	if l.ok(err); calls.total() != 1 {
		t.Errorf("a pass makes %d calls about an account that can be undone, want the scan of the index", calls.total())
	}
	time.Sleep(time.Hour)
	if b, err := l.sound.Operator.Backlog(t.Context()); err != nil || b.Open != 1 || time.Since(b.Oldest) > time.Hour {
		t.Errorf("once it is due, what waits is %+v, %v", b, err)
	}
	l.gone()
	l.mustBeErased()
}

func changedPasswordDeletesNothing(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	changed := false
	l.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if !changed && drivertest.Writes(call) {
			changed = true
			l.ok(l.sound.Accounts.ChangePassword(t.Context(), l.token, l.attempt(), "another password"))
		}
		return send(ctx)
	}
	var invalid *domain.InvalidError
	if _, err := l.askOn(l.faulty, false); !errors.As(err, &invalid) || l.state().State != domain.AccountActive {
		t.Errorf("asked with the previous password: %v, and the account is %q", err, l.state().State)
	}
}

func lateWritesFindNoAccount(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	begun := false
	l.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if !begun && call.Target == schema.TableUsers && drivertest.Writes(call) { // the sign-in counts
			begun = true
			_, err := l.askOn(l.sound, false)
			l.ok(err)
			l.gone()
		}
		return send(ctx)
	}
	if _, _, err := l.faulty.Accounts.SignIn(t.Context(), l.attempt()); !begun || !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("signing in while the account goes: %v", err)
	}
	if _, err := l.sound.Accounts.NewDigestAddress(t.Context(), leaver); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("an address is made for a missing user: %v", err)
	}
	if err := l.sound.Accounts.EndSessions(t.Context(), leaver); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("sessions of a missing user are ended: %v", err)
	}
	request := storage.SignUpRequest{Attempt: l.attempt(), Key: "key"}
	if _, _, err := l.sound.Accounts.Create(t.Context(), request); !errors.Is(err, domain.ErrExists) {
		t.Errorf("the name is given: %v", err)
	}
	request.Name = "another"
	if _, _, err := l.sound.Accounts.Create(t.Context(), request); err != nil {
		t.Errorf("the key of a refused request is used up: %v", err)
	}
}

func erasureStops(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	for n := range 250 {
		l.postBy(l.victim, leaver, fmt.Sprint("more ", n))
	}
	_, err := l.askOn(l.sound, false)
	l.ok(err)
	l.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		time.Sleep(100 * time.Millisecond)
		return send(ctx)
	}
	stop := l.start(l.faulty)
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
	l.t.Helper()
	account, err := l.sound.Accounts.Get(l.t.Context(), leaver)
	l.ok(err)
	return account
}

// signUpNext takes the name once it is free, on a process whose clock is ahead.
func (l *leaving) signUpNext() {
	l.t.Helper()
	time.Sleep(domain.NameKept + time.Hour)
	_, _, err := l.sound.Accounts.Create(l.t.Context(), storage.SignUpRequest{Attempt: l.attempt(), CreatedOn: time.Now().Add(15 * time.Minute)})
	l.ok(err)
}

// One of the rules blocks a user who has nothing in the channel by which it could be found.
func nextIsNotBlocked(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	ctx, third := t.Context(), l.create("Third")
	spam := l.postBy(third, leaver, "spam")
	l.ok(l.sound.Posts.Delete(ctx, third, spam.ID, owner, domain.Any[domain.Revision]()))
	for _, channel := range []domain.Channel{l.victim, third} {
		l.ok(l.sound.Posts.Block(ctx, channel, owner, l.account()))
	}
	_, err := l.askOn(l.sound, false)
	l.ok(err)
	l.gone()
	l.signUpNext()
	l.postBy(l.victim, leaver, "hello")
	l.postBy(third, leaver, "hello")
	posting := storage.Posting{Channel: third, By: leaver, Key: "again", Draft: domain.Draft{Text: "again"}}
	l.ok(l.sound.Posts.Block(ctx, third, owner, l.account()))
	if _, _, err := l.sound.Posts.Create(ctx, posting); !errors.Is(err, domain.ErrBlocked) {
		t.Errorf("the new user of the name is blocked now, and posts: %v", err)
	}
	l.ok(l.sound.Posts.Unblock(ctx, third, owner, leaver))
	l.postBy(third, leaver, "again")
	l.mustBeSound()
}

// A delayed duplicate of the row by which the deletion was on their list takes effect once another user has the name.
func nextReadsNoDeletion(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	ctx, secret := t.Context(), l.createBy("Secret", leaver)
	var late func() error
	l.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if len(call.Operations) > 0 && schema.Requested.Has(call.Operations[0].Row) {
			partition, operations := call.Partition, call.Operations
			late = func() error {
				return driver.NewTable(l.db, call.Target).Transact(t.Context(), partition, operations...)
			}
		}
		return send(ctx)
	}
	_, err := l.faulty.Deletions.Request(ctx, secret.Key(), leaver, domain.OneOf(secret.Incarnation))
	l.ok(err)
	_, err = l.askOn(l.sound, false)
	l.ok(err)
	l.gone()
	if d, err := l.sound.Deletions.Get(ctx, secret.Ref(), leaver); err != nil || d.Name != secret.Name {
		t.Errorf("before another user has the name, it is %+v, %v", d, err)
	}
	l.signUpNext()
	l.ok(late())
	if d, err := l.sound.Deletions.Get(ctx, secret.Ref(), leaver); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the next user of the name reads an earlier deletion: %+v, %v", d, err)
	}
	if _, err := l.sound.Deletions.Undo(ctx, secret.Ref(), leaver); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the next user of the name undoes an earlier deletion: %v", err)
	}
	rows, err := l.sound.Channels.Rows(ctx, storage.RowsQuery{Key: secret.Key(), By: leaver, Limit: 10})
	if !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("the next user of the name reads the rows of an earlier channel: %+v, %v", rows, err)
	}
	mine := l.createBy("Mine", leaver)
	_, err = l.sound.Deletions.Request(ctx, mine.Key(), leaver, domain.OneOf(mine.Incarnation))
	l.ok(err)
	list, err := l.sound.Deletions.List(ctx, leaver, "", 10)
	if err != nil || len(list.Items) != 1 || list.Items[0].Name != mine.Name {
		t.Errorf("on the list of the next of the name: %+v, %v", list.Items, err)
	}
	if d, err := l.sound.Deletions.Get(ctx, mine.Ref(), leaver); err != nil || d.Name != mine.Name {
		t.Errorf("their own deletion, asked for with a clock behind: %+v, %v", d, err)
	}
}

// A copy of the insert of a channel's row lands, once its owner is gone.
func lateRowShowsNothing(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	ctx := t.Context()
	var late func() error
	l.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == schema.TableChannels && len(call.Operations) > 0 && call.Operations[0].Action == driver.ActionInsert {
			partition, operations := call.Partition, call.Operations
			late = func() error {
				return driver.NewTable(l.db, call.Target).Transact(t.Context(), partition, operations...)
			}
		}
		return send(ctx)
	}
	secret, err := domain.NewChannel("Secret", domain.About{Description: "of the former owner"}, leaver)
	l.ok(err)
	_, _, err = l.faulty.Channels.Create(ctx, secret, "", 0)
	l.ok(err)
	_, err = l.askOn(l.sound, false)
	l.ok(err)
	l.gone()
	stop := l.start(l.sound)
	l.until("the channel is gone", func() bool { _, err := l.sound.Operator.ReadChannel(ctx, secret.Key()); return err != nil })
	stop()
	l.signUpNext()
	l.ok(late())
	l.ok(l.sound.Operator.ListChannel(ctx, secret))
	for _, remembered := range []domain.Incarnation{"", secret.Incarnation} {
		if shown, _, err := l.sound.Channels.GetVersion(ctx, secret.Key().Address(), remembered); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("the channel is shown as %+v, %v", shown, err)
		}
	}
	if owned, err := l.sound.Channels.ListOwned(ctx, leaver, "", 10); err != nil || len(owned.Items) > 0 {
		t.Errorf("on the list of the new user of the name: %+v, %v", owned.Items, err)
	}
	all, err := l.sound.Channels.List(ctx, "", "", 10)
	if err != nil || len(all.Items) != 2 { // those of the world
		t.Errorf("on the list of all: %+v, %v", all.Items, err)
	}
	rows, err := l.sound.Channels.Rows(ctx, storage.RowsQuery{Key: secret.Key(), By: leaver, Limit: 10})
	if !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the new user of the name reads the rows: %+v, %v", rows, err)
	}
}

// stalledChannelGoes makes a creation stall before it opens its gate, until its row on the owner's list
// was removed, because the owner had no room for another channel.
func stalledChannelGoes(outlive func(l *leaving, name string) (after func())) func(t *testing.T) {
	return func(t *testing.T) {
		l := newLeaving(t, storage.Options{})
		create := func(s *storage.Parts, name string) domain.Channel {
			channel, err := domain.NewChannel(name, domain.About{}, leaver)
			l.ok(err)
			channel, _, err = s.Channels.Create(t.Context(), channel, "", 2)
			l.ok(err)
			return channel
		}
		stalled := false
		l.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			opens := func(op driver.Operation) bool { return op.Action == driver.ActionInsert && schema.OpenGate.Has(op.Row) }
			if !stalled && slices.ContainsFunc(call.Operations, opens) {
				stalled = true
				after := outlive(l, "Slow")
				create(l.sound, "Other")
				after()
			}
			return send(ctx)
		}
		slow := create(l.faulty, "Slow")
		l.world.post(slow, "of another user")
		_, err := l.askOn(l.sound, false)
		l.ok(err)
		l.gone()
		if now, err := l.sound.Operator.ReadChannel(t.Context(), slow.Key()); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("the account is gone, and its channel is %s of %s, %v", now.State, now.Owner, err)
		}
		l.mustBeErased()
	}
}

// otherComesAndGoes creates a channel of another owner. Afterwards it deletes it.
func (l *leaving) otherComesAndGoes(name string) (after func()) {
	other := l.create(name)
	return func() {
		_, err := l.sound.Deletions.Request(l.t.Context(), other.Key(), owner, domain.OneOf(other.Incarnation))
		l.ok(err)
		defer l.start(l.sound)()
		l.until("the name is free", func() bool { _, err := l.sound.Operator.ReadChannel(l.t.Context(), other.Key()); return err != nil })
	}
}

// TestErasureFaults checks that no panic in a call leaves anything of an account, or hurts what others
// have made. As in TestCascade, a sound worker does what is left. The model checker loses replies and ends
// workers (scenarios erasure-keep and erasure-workers), but its calls do not panic.
func TestErasureFaults(t *testing.T) { drivertest.Long(erasureFaults)(t) }

func erasureFaults(t *testing.T) {
	for n, last := int64(1), false; !last; n++ {
		t.Run(fmt.Sprintf("call %d meets a bug of a library", n), bubble(func(t *testing.T) {
			last = true // even if the test ends here
			l := newLeaving(t, storage.Options{})
			var calls atomic.Int64
			l.hook = panicsIn(func(drivertest.Call) bool { return calls.Add(1) == n })
			_ = guarded(func() error { _, err := l.askOn(l.faulty, n%2 == 0); return err })
			stop := l.start(l.faulty)
			time.Sleep(3 * testOptions.Lease)
			stop()
			if l.state().State == domain.AccountActive {
				_, err := l.askOn(l.sound, false)
				l.ok(err)
			}
			l.gone()
			l.mustBeErased()
			last = calls.Load() < n
		}))
	}
}
