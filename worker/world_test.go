package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/atrest"
	"microblogging/storage/bolt"
	"microblogging/storage/drivertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A world is an embedded store with one channel to delete and one to leave
// alone, looked at from two sides: one that is sound, and one whose calls fail
// as a test decides. It lives in a bubble of fake time.
type world struct {
	t *testing.T
	// sound sees the store as it is.
	sound *storage.Store
	// faulty goes through hook.
	faulty *storage.Store
	db     *bolt.DB
	hook   drivertest.Hook
	// options are those of the workers that it starts.
	options Options

	victim, bystander domain.Channel
	kept              []domain.Blog
}

const (
	owner   domain.UserName = "ada"
	visitor domain.UserName = "grace"
)

// newWorld makes the channels, with this many posts in the one to delete.
func newWorld(t *testing.T, posts int) *world {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{t: t, db: db, hook: drivertest.Pass, options: testOptions}
	w.sound = storage.New(db, db)
	faults := drivertest.NewFaults(db, db, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		return w.hook(ctx, call, send)
	})
	w.faulty = storage.New(faults, faults)
	if err := w.sound.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
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

func (w *world) create(name string) domain.Channel {
	w.t.Helper()
	channel, err := domain.NewChannel(name, "", owner)
	if err == nil {
		channel, err = w.sound.CreateChannel(w.t.Context(), channel)
	}
	if err != nil {
		w.t.Fatalf("creating %s: %v", name, err)
	}
	return channel
}

func (w *world) post(to domain.Channel, text string) domain.Blog {
	w.t.Helper()
	blog, _, err := w.sound.Post(w.t.Context(), storage.Posting{
		Channel: to.Ref(), By: visitor, Key: text, Draft: domain.Draft{Text: text},
	})
	if err != nil {
		w.t.Fatalf("posting %q: %v", text, err)
	}
	return blog
}

// ask asks for the victim's deletion on one side of the store.
func (w *world) ask(s *storage.Store) error {
	_, err := s.AskDeletion(w.t.Context(), w.victim.Key(), owner, domain.OneOf(w.victim.Incarnation))
	return err
}

var testOptions = Options{
	Lease:       30 * time.Second,
	Reconcile:   time.Minute,
	Concurrency: 4,
	MaxAttempts: 5,
	Log:         slog.New(slog.DiscardHandler),
}

// start runs a worker on one side of the store until the returned function is
// called, which waits for its end.
func (w *world) start(s *storage.Store) (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		New(s, w.options).Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// finish runs a sound worker until the victim's deletion is done.
func (w *world) finish() {
	w.t.Helper()
	defer w.start(w.sound)()
	w.until("the deletion is done", w.done)
}

func (w *world) done() bool { return w.deletion().State == domain.DeletionDone }

// deletion is the Deletions row of the victim, or nothing before there is one.
func (w *world) deletion() domain.Deletion {
	w.t.Helper()
	d, err := w.sound.Deletion(w.t.Context(), w.victim.Ref(), owner)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		w.t.Fatal(err)
	}
	return d
}

// until lets fake time pass until the condition holds, or for an hour of it.
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

// elapsed holds once this much fake time has passed.
func elapsed(d time.Duration) func() bool {
	end := time.Now().Add(d)
	return func() bool { return !time.Now().Before(end) }
}

// mustBeDeleted checks what every test demands in the end: the victim is gone
// with all its rows, and the bystander is whole.
func (w *world) mustBeDeleted() {
	w.t.Helper()
	if _, err := w.sound.Channel(w.t.Context(), w.victim.Key()); !errors.Is(err, domain.ErrNotFound) {
		w.t.Errorf("the deleted channel is read as %v, want not found", err)
	}
	w.mustBeSound()
	for _, blog := range w.kept {
		if _, err := w.sound.Blog(w.t.Context(), blog.Channel, blog.ID); err != nil {
			w.t.Errorf("a post of another channel is lost: %v", err)
		}
	}
}

// mustBeSound holds the store against the invariants, with the program's own
// checker and with the plain words of package atrest.
func (w *world) mustBeSound() {
	w.t.Helper()
	breaches, err := atrest.Breaches(w.t.Context(), w.db)
	if err != nil {
		w.t.Error(err)
	}
	for _, b := range breaches {
		w.t.Errorf("breach in row %q of partition %q of %s: %v", b.RowKey, b.PartitionKey, b.Table, b)
	}
	checker := w.sound.NewChecker(time.Hour, false, func(b domain.Breach) { w.t.Errorf("breach: %+v", b) })
	if _, err := checker.Run(w.t.Context()); err != nil {
		w.t.Error(err)
	}
}
