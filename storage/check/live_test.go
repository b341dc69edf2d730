package check_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

// undoAccount is how long the deletion of an account can be undone in these tests.
const undoAccount = time.Minute

// A live is what users and workers do while a check runs. Nothing of it breaks an invariant.
type live struct {
	// prepare is done before the check begins. It may be nil.
	prepare func(w *world, s *storage.Parts)
	// run is done concurrently, one call of the store after another.
	run func(w *world, s *storage.Parts)
}

// lives are done in the store of newTown.
func lives() map[string]live {
	leave := func(keep bool) func(w *world, s *storage.Parts) {
		return func(w *world, s *storage.Parts) {
			_, err := s.Accounts.Delete(w.T.Context(), storage.Attempt{Name: string(lea), Password: password}, keep)
			w.OK(err)
		}
	}
	ask := func(w *world, s *storage.Parts) {
		_, err := s.Deletions.Request(w.T.Context(), "garden", domain.By(ada), storetest.AnyIncarnation)
		w.OK(err)
	}
	erase := func(w *world, s *storage.Parts) {
		time.Sleep(undoAccount + domain.ClockMargin + storetest.Patience + 30*time.Second) // then the next pass comes
		for range 2 {
			_, err := s.Operator.Reconcile(w.T.Context(), storetest.Patience, time.Now())
			w.OK(err)
			w.workOn(s)
		}
	}
	return map[string]live{
		"posts, votes, replies, edits, subscriptions and rules": {run: use},
		"a channel is created and posted to": {run: func(w *world, s *storage.Parts) {
			channel, _, err := s.Channels.Create(w.T.Context(), w.NewChannel("gardens", lea), domain.PostersOpen, "key", 9)
			w.OK(err)
			_, _, err = s.Posts.Create(w.T.Context(), storetest.NewPost(channel, lea, "new"))
			w.OK(err)
		}},
		"a channel is undone, and deleted later": {prepare: ask, run: func(w *world, s *storage.Parts) {
			garden, err := s.Operator.ReadChannel(w.T.Context(), "garden")
			w.OK(err)
			_, err = s.Deletions.Undo(w.T.Context(), garden.Ref(), domain.By(ada))
			w.OK(err)
			_, err = s.Operator.Reconcile(w.T.Context(), 0, time.Now())
			w.OK(err)
			ask(w, s)
			erase(w, s)
		}},
		"a channel is deleted, and its name taken again": {prepare: ask, run: func(w *world, s *storage.Parts) {
			erase(w, s)
			channel, _, err := s.Channels.Create(w.T.Context(), w.NewChannel("garden", eve), domain.PostersOpen, "", 0)
			w.OK(err)
			_, _, err = s.Posts.Create(w.T.Context(), storetest.NewPost(channel, grace, "new"))
			w.OK(err)
		}},
		"an account is undone, and deleted later": {prepare: leave(false), run: func(w *world, s *storage.Parts) {
			_, err := s.Accounts.Undo(w.T.Context(), lea, domain.By(lea))
			w.OK(err)
			_, err = s.Operator.Reconcile(w.T.Context(), 0, time.Now())
			w.OK(err)
			leave(false)(w, s)
			erase(w, s)
		}},
		"what deletions have left is removed": {prepare: func(*world, *storage.Parts) {
			time.Sleep(time.Hour) // the store was made by a clock that is ahead of this one
		}, run: func(w *world, s *storage.Parts) {
			if n, err := s.Operator.Prune(w.T.Context(), 0); n == 0 || err != nil {
				w.T.Errorf("%d rows go, %v", n, err)
			}
		}},
		"an account is deleted with its posts":      {run: func(w *world, s *storage.Parts) { leave(false)(w, s); erase(w, s) }},
		"an account is deleted, and its posts stay": {prepare: leave(true), run: erase},
		"a worker makes progress as its deletion would be overdue": {prepare: func(w *world, _ *storage.Parts) {
			w.Forget(w.Create("halfway", ada))
			time.Sleep(storetest.Patience - time.Second)
		}, run: func(w *world, s *storage.Parts) {
			w.OK(s.Operator.UpdateRecord(w.T.Context(), storetest.MessageAbout(w.deletionUnderWay()), addRows(1)))
			time.Sleep(2 * time.Second)
		}},
	}
}

// use makes each kind of change in a channel that stays.
func use(w *world, s *storage.Parts) {
	ctx := w.T.Context()
	garden, err := s.Operator.ReadChannel(ctx, "garden")
	w.OK(err)
	post, _, err := s.Posts.Create(ctx, storetest.NewPost(garden.Channel, grace, "more"))
	w.OK(err)
	w.OK(s.Posts.Vote(ctx, garden.Ref(), post.ID, lea))
	w.OK(s.Posts.Vote(ctx, garden.Ref(), post.ID, eve))
	for _, by := range []domain.UserName{lea, ada, eve} {
		reply, _, err := s.Posts.Reply(ctx, storetest.NewReply(garden.Channel, post.ID, by, "reply of "+string(by)))
		if w.OK(err); by == eve {
			_, err = s.Posts.DeleteReply(ctx, garden.Channel, post.ID, reply.ID, domain.By(eve))
			w.OK(err)
		}
	}
	w.OK(s.Subscriptions.Create(ctx, garden.Channel, eve))
	post, err = s.Posts.Update(ctx, garden.Channel, post.ID, grace, domain.OneOf(post.Revision), domain.Draft{Text: "edited"})
	w.OK(err)
	w.OK(s.Posts.Unvote(ctx, garden.Ref(), post.ID, lea))
	w.OK(s.Subscriptions.Delete(ctx, garden.Ref(), eve))
	w.OK(s.Subscriptions.Delete(ctx, garden.Ref(), lea))
	w.OK(s.Posts.Block(ctx, garden.Channel, ada, domain.User{Name: eve}))
	w.OK(s.Posts.Delete(ctx, garden.Channel, post.ID, domain.By(grace), storetest.AnyRevision))
	w.workOn(s)
	_, err = s.Operator.Reconcile(ctx, storetest.Patience, time.Now())
	w.OK(err)
}

// newTown fills a store in which ada has a garden, and lea a house, posts, votes and subscriptions.
func (w *world) newTown() {
	w.T.Helper()
	ctx := w.T.Context()
	w.account(lea)
	garden, house := w.Create("garden", ada), w.Create("house", lea)
	for _, to := range []domain.Channel{garden, house} {
		for _, by := range []domain.UserName{grace, lea} {
			post := w.Post(to, by, "of "+string(by))
			w.OK(w.Store.Posts.Vote(ctx, to.Ref(), post.ID, lea))
			w.OK(w.Store.Posts.Vote(ctx, to.Ref(), post.ID, grace))
			w.OK(w.Store.Subscriptions.Create(ctx, to, by))
			w.Reply(to, post.ID, lea, "reply of lea to "+string(by))
			w.Reply(to, post.ID, grace, "reply of grace to "+string(by))
		}
	}
	w.Ask(w.Create("done", ada))
	w.Ask(w.Create("former", lea))
	w.work()
}

// checkBesideLifeReportsNothing lets users and workers make a number of calls before each call of a
// check, from each call of the check on.
func checkBesideLifeReportsNothing(t *testing.T) {
	every := 10
	if thorough() {
		every = 1
	}
	var town bytes.Buffer
	t.Run("a store to begin with", bubble(func(t *testing.T, w *world) {
		w.newTown()
		w.OK(w.DB.Backup(t.Context(), &town))
	}))
	for what, live := range lives() {
		for _, stride := range []int{1, 4, 1000} {
			for _, repair := range []bool{false, true} {
				for n, more := 1, true; more; n += every {
					more = false // also if the test ends early, or is left out
					t.Run(fmt.Sprintf("%s, %d calls from call %d on, repair %t", what, stride, n, repair), bubble(func(_ *testing.T, w *world) {
						w.Restore(town.Bytes())
						more = w.checkBeside(live, n, stride, repair)
					}))
				}
			}
		}
	}
}

// checkBeside checks the store of newTown, and reports whether the check made n calls.
func (w *world) checkBeside(live live, n, stride int, repair bool) (more bool) {
	w.T.Helper()
	if live.prepare != nil {
		live.prepare(w, w.undoable(w.DB))
	}
	turn, over := make(chan struct{}), make(chan struct{})
	concurrent := w.undoable(drivertest.NewFaults(w.DB, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		<-turn
		return send(ctx)
	}))
	go func() {
		defer close(over)
		<-turn
		live.run(w, concurrent)
	}()
	calls := 0
	checked := w.undoable(drivertest.NewFaults(w.DB, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		if calls++; calls >= n {
			for range stride {
				select {
				case turn <- struct{}{}:
					synctest.Wait()
				case <-over:
				}
			}
		}
		return send(ctx)
	}))
	_, err := checked.Operator.NewChecker(storetest.Patience, repair, func(b domain.Violation) { w.T.Errorf("reported %+v", b) }).Run(w.T.Context())
	w.OK(err)
	close(turn)
	<-over
	time.Sleep(undoAccount + domain.ClockMargin)
	w.rest()
	w.rest()
	for _, b := range append(w.Violations(), w.oracle()...) {
		w.T.Errorf("afterwards, %+v", b)
	}
	return calls >= n
}

// undoable is a store on which deletions can be undone, and that makes one call after another.
func (w *world) undoable(backend driver.Backend) *storage.Parts {
	return storage.New(backend, storage.Options{
		Undo: 30 * time.Second, UndoAccount: undoAccount, Flight: 1, HashPassword: drivertest.CheapHash,
	})
}

// thorough asks for every case of the tests that have thousands, which takes minutes. Otherwise a run
// takes each tenth.
func thorough() bool { return os.Getenv("MICROBLOGGING_TEST_ALL") != "" }

// account makes a user, and returns the token of a session.
func (w *world) account(name domain.UserName) (token string) {
	w.T.Helper()
	_, err := w.Store.Operator.SignUp(w.T.Context(), string(name), password)
	if !errors.Is(err, domain.ErrExists) {
		w.OK(err)
	}
	token, _, err = w.Store.Accounts.SignIn(w.T.Context(), storage.Attempt{Name: string(name), Password: password})
	w.OK(err)
	return token
}

const password = "correct horse"
