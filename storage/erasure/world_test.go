package erasure_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/oracle"
	"microblogging/worker"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	ada, grace = storetest.Ada, storetest.Grace

	leaver     domain.UserName = "lea"
	leaverPass string          = "correct horse battery"
)

// bubble runs a test in a bubble of fake time.
func bubble(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

// A leaving is a world in which the user who leaves has made a row of every kind.
type leaving struct {
	*storetest.World
	// options are those of the workers that start starts.
	options worker.Options
	// victim and bystander are channels of ada, in which kept are posts of grace.
	victim, bystander domain.Channel
	kept              []domain.Blog
	// own is the channel of the user who leaves; post theirs in the channel of another user, and voted
	// another user's post that they have voted on.
	own         domain.Channel
	post, voted domain.Blog
	token       string
}

func newLeaving(t *testing.T, o storage.Options) *leaving {
	t.Helper()
	l := &leaving{World: storetest.NewOf(t, o), options: worker.Options{
		Lease: 30 * time.Second, Reconcile: time.Minute, Concurrency: 4, MaxAttempts: 5, Log: slog.New(slog.DiscardHandler),
	}}
	ctx := t.Context()
	l.victim, l.bystander = l.Create("Victim", ada), l.Create("Victim.too", ada)
	for i := range 3 {
		l.Post(l.victim, grace, storetest.Text(i))
		l.kept = append(l.kept, l.Post(l.bystander, grace, storetest.Text(i)))
	}
	_, err := l.Store.Operator.SignUp(ctx, string(leaver), leaverPass)
	l.OK(err)
	l.token, _, err = l.Store.Accounts.SignIn(ctx, l.attempt())
	l.OK(err)
	l.own = l.createBy("Own", leaver)
	l.post = l.Post(l.victim, leaver, "mine")
	l.Post(l.own, leaver, "mine at home")
	l.voted = l.kept[0]
	l.OK(l.Store.Posts.Vote(ctx, l.voted.Channel, l.voted.ID, leaver))
	l.OK(l.Store.Posts.Vote(ctx, l.post.Channel, l.post.ID, grace))
	l.OK(l.Store.Subscriptions.Create(ctx, l.victim, leaver))
	l.Reply(l.bystander, l.voted.ID, leaver, "my reply")
	l.Reply(l.victim, l.post.ID, grace, "reply to mine")
	return l
}

// start runs a worker on one side of the store until stop is called. stop waits until the worker has ended.
func (l *leaving) start(s *storage.Parts) (stop func()) {
	ctx, cancel := context.WithCancel(l.T.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		worker.New(s.Steps, l.options).Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// until lets fake time pass until the condition holds, but at most an hour.
func (l *leaving) until(what string, holds func() bool) {
	l.T.Helper()
	for range int(time.Hour / (100 * time.Millisecond)) {
		if holds() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	l.T.Fatalf("an hour passed before %s", what)
}

// mustBeSound fails the test if the program's own check or package oracle finds a violation.
func (l *leaving) mustBeSound() {
	l.T.Helper()
	violations, err := oracle.Violations(l.T.Context(), l.DB)
	l.OK(err)
	told := drivertest.FailOnce(l.T)
	for _, v := range append(violations, l.Violations()...) {
		told(v)
	}
}

// mustBeSoundWithin runs the program's own check alone, with this patience.
func (l *leaving) mustBeSoundWithin(patience time.Duration) {
	l.T.Helper()
	checker := l.Store.Operator.NewChecker(patience, false, drivertest.FailOnce(l.T))
	_, err := checker.Run(l.T.Context())
	l.OK(err)
}
