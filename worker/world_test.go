package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/oracle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bubble runs a test in a bubble of fake time.
func bubble(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

// A world is an embedded store with one channel to delete and one to leave
// alone. It has two sides: a sound one, and one whose calls fail as a test
// decides. It lives in a bubble of fake time.
type world struct {
	t  *testing.T
	db *bolt.DB
	// sound is the store without faults.
	sound *storage.Parts
	// faulty is the same store, with each call going through hook.
	faulty *storage.Parts
	hook   drivertest.Hook
	// options are those of the workers that start starts.
	options Options

	victim, bystander domain.Channel
	// kept are the posts of the bystander.
	kept []domain.Blog
}

const (
	owner   domain.UserName = "ada"
	visitor domain.UserName = "grace"
)

// newWorld makes both channels. The victim gets this many posts.
func newWorld(t *testing.T, posts int) *world {
	t.Helper()
	return newWorldOf(t, posts, storage.Options{})
}

func newWorldOf(t *testing.T, posts int, options storage.Options) *world {
	t.Helper()
	w := &world{t: t, hook: drivertest.Pass, options: testOptions}
	w.open(t.TempDir(), options)
	w.ok(w.sound.Operator.Prepare(t.Context()))
	w.victim = w.create("Victim")
	for i := range posts {
		w.post(w.victim, fmt.Sprintf("post %d", i))
	}
	w.bystander = w.create("Victim.too") // its key starts with the victim's
	for i := range 3 {
		w.kept = append(w.kept, w.post(w.bystander, fmt.Sprintf("kept %d", i)))
	}
	return w
}

// open opens the store in a directory.
func (w *world) open(dir string, options storage.Options) {
	w.t.Helper()
	var err error
	w.db, err = bolt.Open(dir, bolt.Options{NoSync: true})
	w.ok(err)
	w.t.Cleanup(func() { w.ok(w.db.Close()) })
	w.sound = storage.New(w.db, options)
	faults := drivertest.NewFaults(w.db, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		return w.hook(ctx, call, send)
	})
	w.faulty = storage.New(faults, options)
}

// ok ends the test if a step that must succeed has failed.
func (w *world) ok(err error) { w.t.Helper(); ok(w.t, err) }

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) create(name string) domain.Channel {
	w.t.Helper()
	channel, err := domain.NewChannel(name, domain.About{}, owner)
	if err == nil {
		channel, _, err = w.sound.Channels.Create(w.t.Context(), channel, domain.PostersOpen, "", 0)
	}
	if err != nil {
		w.t.Fatalf("creating %s: %v", name, err)
	}
	return channel
}

func (w *world) post(to domain.Channel, text string) domain.Blog {
	w.t.Helper()
	blog, _, err := w.sound.Posts.Create(w.t.Context(), storage.NewPost{
		Channel: to, By: visitor, Key: text, Draft: domain.Draft{Text: text},
	})
	if err != nil {
		w.t.Fatalf("posting %q: %v", text, err)
	}
	return blog
}

// ask asks for the victim's deletion on one side of the store.
func (w *world) ask(s *storage.Parts) error {
	_, err := s.Deletions.Request(w.t.Context(), w.victim.Key(), domain.By(owner), domain.OneOf(w.victim.Incarnation))
	return err
}

// mustAsk asks for the victim's deletion on the sound side.
func (w *world) mustAsk() {
	w.t.Helper()
	w.ok(w.ask(w.sound))
}

var testOptions = Options{
	Lease:       30 * time.Second,
	Reconcile:   time.Minute,
	Concurrency: 4,
	MaxAttempts: 5,
	Log:         slog.New(slog.DiscardHandler),
}

// start runs a worker on one side of the store until stop is called. stop waits
// until the worker has ended.
func (w *world) start(s *storage.Parts) (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		New(s.Steps, w.options).Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// finish runs a sound worker until the victim's deletion is done.
func (w *world) finish() {
	w.t.Helper()
	w.finishOn(w.sound)
}

// finishOn runs a worker on one side of the store until the victim's deletion is
// done.
func (w *world) finishOn(s *storage.Parts) {
	w.t.Helper()
	defer w.start(s)()
	w.until("the deletion is done", w.done)
}

func (w *world) done() bool { return w.deletion().State == domain.DeletionDone }

// deletion reads the Deletions row of the victim. It is zero before there is one.
func (w *world) deletion() domain.Deletion {
	w.t.Helper()
	d, err := w.sound.Deletions.Get(w.t.Context(), w.victim.Ref(), domain.By(owner))
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		w.t.Fatal(err)
	}
	return d
}

// receive takes the one message that the queue holds.
func (w *world) receive() driver.Message {
	w.t.Helper()
	messages, err := w.sound.Operator.Messages().Receive(w.t.Context(), 1, w.options.Lease)
	if err != nil || len(messages) != 1 {
		w.t.Fatalf("%d messages were received, %v", len(messages), err)
	}
	return messages[0]
}

// visible counts the messages that the queue would deliver now, and makes them
// visible again.
func (w *world) visible() (n int) {
	w.t.Helper()
	q := w.sound.Operator.Messages()
	messages, err := q.Receive(w.t.Context(), 32, time.Second)
	w.ok(err)
	for _, m := range messages {
		_, err := q.Update(w.t.Context(), m, m.Text, 0)
		w.ok(err)
	}
	return len(messages)
}

// until lets fake time pass until the condition holds, but at most an hour.
func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	for range int(time.Hour / (100 * time.Millisecond)) {
		if holds() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	w.t.Fatalf("an hour passed before %s", what)
}

// mustBeDeleted checks what every test demands in the end: the victim and all its
// rows are gone, and the bystander is whole.
func (w *world) mustBeDeleted() {
	w.t.Helper()
	if _, err := w.sound.Channels.Get(w.t.Context(), w.victim.Key().Address()); !errors.Is(err, domain.ErrNotFound) {
		w.t.Errorf("the deleted channel is read as %v, want not found", err)
	}
	w.mustBeSound()
	for _, blog := range w.kept {
		if _, err := w.sound.Posts.Get(w.t.Context(), blog.Channel, blog.ID); err != nil {
			w.t.Errorf("a post of another channel is lost: %v", err)
		}
	}
}

// mustCount checks that the deletion is done, and that its record counts no row twice: of a
// channel with so many rows.
func (w *world) mustCount(rows int64) {
	w.t.Helper()
	if d := w.deletion(); d.State != domain.DeletionDone || d.RowsDeleted > rows {
		w.t.Errorf("the deletion is %s and counts %d rows of %d", d.State, d.RowsDeleted, rows)
	}
}

// mustBeSound holds the store against the invariants, with the program's own
// checker and with the plain words of package oracle.
func (w *world) mustBeSound() {
	w.t.Helper()
	violations, err := oracle.Violations(w.t.Context(), w.db)
	w.ok(err)
	told := drivertest.FailOnce(w.t)
	for _, v := range violations {
		told(v)
	}
	w.mustBeSoundWithin(time.Hour)
}

// mustBeSoundWithin runs the program's own checker alone, with this patience.
func (w *world) mustBeSoundWithin(patience time.Duration) {
	w.t.Helper()
	checker := w.sound.Operator.NewChecker(patience, false, drivertest.FailOnce(w.t))
	_, err := checker.Run(w.t.Context())
	w.ok(err)
}
