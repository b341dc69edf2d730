// Package storetest is what the tests of the packages of storage share: an embedded store with a side that
// fails as a test decides, and what users, workers and operators do with it. Only tests import it. What the
// tests of one package need is in that package.
package storetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
)

// Main is the TestMain of the packages. It fails if a test leaves a goroutine behind.
func Main(m *testing.M) { goleak.VerifyTestMain(m) }

// Users. They need no accounts, because only the operations on accounts and sessions read them.
const (
	Ada   domain.UserName = "ada"
	Grace domain.UserName = "grace"
	Eve   domain.UserName = "eve"
)

// A World is an embedded store with two sides. Calls on the sound side reach the
// backend as they are. Calls on the faulty side go through a hook.
type World struct {
	T testing.TB
	// DB is the backend of both sides.
	DB *bolt.DB
	// Store is the sound side.
	Store *storage.Parts
	// Faulty is the faulty side. Its calls go through Hook.
	Faulty *storage.Parts
	Hook   drivertest.Hook
	// Calls counts the calls of the faulty side.
	Calls atomic.Int64
	// Hashing is called while a password is hashed, in a slot. A password is compared immediately.
	Hashing func()
	// Repairs lets each row be deleted without a gate, as repairs do.
	Repairs bool
	// Concurrent has the requests that run during a test in a bubble, which ends after them.
	Concurrent sync.WaitGroup

	dir     string
	options storage.Options
}

// New opens a store for one test, and prepares it.
func New(t testing.TB) *World {
	t.Helper()
	return NewOf(t, storage.Options{})
}

// NewOf is New with other options. It sets how passwords are hashed.
func NewOf(t testing.TB, o storage.Options) *World {
	t.Helper()
	w := &World{T: t, dir: t.TempDir(), options: o, Hook: drivertest.Pass, Hashing: func() {}}
	w.open()
	t.Cleanup(func() { w.OK(w.DB.Close()) })
	w.OK(w.Store.Operator.Prepare(t.Context()))
	return w
}

func (w *World) open() {
	w.T.Helper()
	var err error
	w.DB, err = bolt.Open(w.dir, bolt.Options{NoSync: true})
	w.OK(err)
	w.Store = w.on(w.DB)
	w.Faulty = w.Through(w.hooked)
}

// SleepClosed lets time pass while no process has the store open. An open store looks at its file every ten
// seconds, which costs seconds of processor time for each month of fake time.
func (w *World) SleepClosed(d time.Duration) {
	w.T.Helper()
	w.OK(w.DB.Close())
	time.Sleep(d)
	w.open()
}

// Restore puts the store of a backup in the place of this one.
func (w *World) Restore(backup []byte) {
	w.T.Helper()
	w.OK(w.DB.Close())
	w.OK(os.WriteFile(filepath.Join(w.dir, "microblogging.db"), backup, 0o600))
	w.open()
}

func (w *World) hooked(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
	call.Seq = int(w.Calls.Add(1))
	return w.Hook(ctx, call, send)
}

// Through returns another store on the same backend, whose calls go through this hook.
// It represents another process.
func (w *World) Through(hook drivertest.Hook) *storage.Parts {
	return w.on(drivertest.NewFaults(w.DB, hook))
}

// Other is the sound side of another process.
func (w *World) Other() *storage.Parts { return w.on(w.DB) }

// OverNetwork makes the faulty side one that makes concurrent calls, as on a network.
func (w *World) OverNetwork() { w.Faulty = w.on(drivertest.Far(drivertest.NewFaults(w.DB, w.hooked))) }

func (w *World) on(backend driver.Backend) *storage.Parts {
	o := w.options
	o.Around = []driver.Around{w.known}
	o.HashPassword = func(password string) string {
		w.Hashing()
		return drivertest.CheapHash(password)
	}
	return storage.New(backend, o)
}

// known ends the tests of the package if an operation writes a property that its kind of row does not list,
// or lists with another type, or if a transaction in a channel's partition begins with no gate: it could take
// effect after the channel has gone. Only rows of a kind that is Ungated, and what a repair finds, are deleted
// without it.
func (w *World) known(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
	for _, op := range c.Operations {
		kind := schema.Of(c.Target, c.Partition, op.Row)
		ungated := op.Action == driver.ActionDelete && (w.Repairs || kind != nil && kind.Ungated)
		if c.Target == schema.TableBlogs && !ungated && !strings.HasPrefix(c.Operations[0].Row, schema.GatePrefix) {
			w.end("a transaction changes %q of %s and begins with no gate: send it by TransactIfOpen of package fence. "+
				"If to delete the row without one is meant and does no harm, its kind in package schema is Ungated", op.Row, c.Target)
		}
		for _, p := range op.Properties {
			if kind != schema.Poison && kind.PropertyType(p.Name) != p.Value.Kind() {
				w.end("a row %q of %s has %s, which its kind in package schema does not list in its Properties, or of which typeOf says another type", op.Row, c.Target, p.Name)
			}
		}
	}
	return next(ctx)
}

// end ends the process with one line about a fault of the program. Else each test would tell of it, for each
// operation, in thousands of lines.
func (w *World) end(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s: %s\n", w.T.Name(), fmt.Sprintf(format, args...))
	os.Exit(1)
}

// Arm sets the hook of the faulty side and counts its calls from 1.
func (w *World) Arm(hook drivertest.Hook) {
	w.Hook = hook
	w.Calls.Store(0)
}

// Bubble runs a test on a world of its own, in the fake time of a synctest bubble. So
// no wait takes real time.
func Bubble(test func(t *testing.T, w *World)) func(*testing.T) {
	return func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := New(t)
			defer w.Concurrent.Wait()
			test(t, w)
		})
	}
}

// BubbleOf is Bubble for the world of a package: a World with what the tests of that package do.
func BubbleOf[W ~struct{ *World }](test func(t *testing.T, w *W)) func(*testing.T) {
	return Bubble(func(t *testing.T, w *World) { test(t, &W{w}) })
}

// OK ends the test if a step that must succeed has failed.
func (w *World) OK(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// NewChannel returns a channel that is not created yet.
func (w *World) NewChannel(name string, owner domain.UserName) domain.Channel {
	w.T.Helper()
	channel, err := domain.NewChannel(name, domain.About{}, owner)
	w.OK(err)
	return channel
}

// Create creates a channel.
func (w *World) Create(name string, owner domain.UserName) domain.Channel {
	w.T.Helper()
	channel, _, err := w.Store.Channels.Create(w.T.Context(), w.NewChannel(name, owner), domain.PostersOpen, "", 0)
	w.OK(err)
	return channel
}

// NewPost returns a request to post whose idempotency key is its text.
func NewPost(to domain.Channel, by domain.UserName, text string) storage.NewPost {
	return storage.NewPost{Channel: to, By: by, Key: text, Draft: domain.Draft{Text: text}}
}

// Post makes a post, and ends the test if there is one with its key.
func (w *World) Post(to domain.Channel, by domain.UserName, text string) domain.Blog {
	w.T.Helper()
	blog, created, err := w.Store.Posts.Create(w.T.Context(), NewPost(to, by, text))
	w.OK(err)
	if !created {
		w.T.Fatalf("posting %q made no post", text)
	}
	return blog
}

// Texts lists a channel's posts, newest first.
func (w *World) Texts(ref domain.ChannelRef) (texts []string) {
	w.T.Helper()
	for _, blog := range slices.Concat(Pages(w, 100, Nothing, func(after string) (storage.Page[domain.Blog], error) {
		return w.Store.Posts.List(w.T.Context(), ref, storage.BlogQuery{Limit: 100, After: after})
	})...) {
		texts = append(texts, blog.Text)
	}
	return texts
}

// Text returns a different text for each number.
func Text(n int) string { return fmt.Sprintf("post %d", n) }
