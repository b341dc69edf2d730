package storage_test

import (
	"context"
	"errors"
	"fmt"
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

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ada, grace and eve are users. They need no accounts: only the operations on accounts
// and sessions read them.
const (
	ada   domain.UserName = "ada"
	grace domain.UserName = "grace"
	eve   domain.UserName = "eve"
)

// A world is an embedded store with two sides. Calls on the sound side reach the
// backend as they are. Calls on the faulty side go through a hook.
type world struct {
	t  testing.TB
	db *bolt.DB
	// store is the sound side.
	store *storage.Parts
	// faulty is the faulty side. Its calls go through hook, which arm sets, and are
	// counted in calls.
	faulty *storage.Parts
	hook   drivertest.Hook
	calls  atomic.Int64
	// hashing is done while a password is hashed, in a slot. A password is compared immediately.
	hashing func()
	// beside are requests that go on during the test, which ends after them.
	beside sync.WaitGroup
}

func newWorld(t testing.TB) *world {
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
	w := &world{t: t, db: db, hook: drivertest.Pass, hashing: func() {}}
	w.store = w.on(db)
	w.faulty = w.through(w.hooked)
	if err := w.store.Operator.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) hooked(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
	call.Seq = int(w.calls.Add(1))
	return w.hook(ctx, call, send)
}

// through returns another store on the same backend, whose calls go through this hook.
// It stands for another process.
func (w *world) through(hook drivertest.Hook) *storage.Parts {
	return w.on(drivertest.NewFaults(w.db, hook))
}

// other is the sound side of another process.
func (w *world) other() *storage.Parts { return w.on(w.db) }

// overNetwork makes the faulty side one that makes concurrent calls, as on a network.
func (w *world) overNetwork() { w.faulty = w.on(drivertest.Far(drivertest.NewFaults(w.db, w.hooked))) }

func (w *world) on(backend driver.Backend) *storage.Parts {
	return storage.New(backend, storage.Options{Around: []driver.Around{w.known}, HashPassword: func(password string) string {
		w.hashing()
		return drivertest.CheapHash(password)
	}})
}

// known fails the test if an operation writes a property that its kind of row does not list.
func (w *world) known(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
	for _, op := range c.Operations {
		kind := schema.Of(c.Target, c.Partition, op.Row)
		for _, p := range op.Properties {
			if kind != schema.Undecodable && kind.Property(p.Name) == nil {
				w.t.Errorf("an operation writes %s into %s %s, whose kind has no such property", p.Name, c.Target, op.Row)
			}
		}
	}
	return next(ctx)
}

// arm sets the hook of the faulty side and counts its calls from 1.
func (w *world) arm(hook drivertest.Hook) {
	w.hook = hook
	w.calls.Store(0)
}

// inBubble runs a test on a world of its own, in the fake time of a synctest bubble. So
// no wait takes real time.
func inBubble(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.beside.Wait()
		test(t, w)
	})
}

// bubble is inBubble for t.Run.
func bubble(test func(t *testing.T, w *world)) func(*testing.T) {
	return func(t *testing.T) { inBubble(t, test) }
}

// ok ends the test if a step that must succeed has failed.
func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// channel returns a channel that is not created yet.
func (w *world) channel(name string, owner domain.UserName) domain.Channel {
	w.t.Helper()
	channel, err := domain.NewChannel(name, domain.About{}, owner)
	w.ok(err)
	return channel
}

func (w *world) create(name string, owner domain.UserName) domain.Channel {
	w.t.Helper()
	channel, _, err := w.store.Channels.Create(w.t.Context(), w.channel(name, owner), "", 0)
	w.ok(err)
	return channel
}

// posting returns a request to post whose idempotency key is its text.
func posting(to domain.Channel, by domain.UserName, text string) storage.Posting {
	return storage.Posting{Channel: to, By: by, Key: text, Draft: domain.Draft{Text: text}}
}

func (w *world) post(to domain.Channel, by domain.UserName, text string) domain.Blog {
	w.t.Helper()
	blog, created, err := w.store.Posts.Create(w.t.Context(), posting(to, by, text))
	w.ok(err)
	if !created {
		w.t.Fatalf("posting %q made no post", text)
	}
	return blog
}

// texts lists a channel's posts, newest first.
func (w *world) texts(ref domain.ChannelRef) []string {
	w.t.Helper()
	var texts []string
	q := storage.BlogQuery{Limit: 100}
	for {
		page, err := w.store.Posts.List(w.t.Context(), ref, q)
		w.ok(err)
		for _, blog := range page.Items {
			texts = append(texts, blog.Text)
		}
		if page.Next == "" {
			return texts
		}
		q.After = page.Next
	}
}

// table returns one of the store's tables. Tests read rows there, and write what no
// operation writes.
func (w *world) table(name string) *driver.Table { return driver.NewTable(w.db, name) }

// foreign writes a row as another program can, past what our tables refuse.
func (w *world) foreign(table, partition string, op driver.Operation) {
	w.t.Helper()
	w.ok(w.db.Do(w.t.Context(), &driver.Call{
		Method: driver.CallTransact, Target: table, Partition: partition, Operations: []driver.Operation{op},
	}))
}

// rows reads a whole table, without the index of open deletions.
func (w *world) rows(table string) []driver.Entity {
	w.t.Helper()
	return slices.DeleteFunc(w.allRows(table), isIndex)
}

func isIndex(row driver.Entity) bool {
	return strings.HasPrefix(row.Partition, "open!")
}

func (w *world) allRows(table string) []driver.Entity {
	w.t.Helper()
	var rows []driver.Entity
	for row, err := range w.table(table).All(w.t.Context(), driver.Scan{}) {
		w.ok(err)
		rows = append(rows, row)
	}
	return rows
}

// has reports whether a row of a Blogs partition is there.
func (w *world) has(key domain.ChannelKey, row string) bool {
	w.t.Helper()
	_, err := w.table("Blogs").Get(w.t.Context(), string(key), row)
	if errors.Is(err, domain.ErrNotFound) {
		return false
	}
	w.ok(err)
	return true
}

// ungate deletes the Blogs rows of a new channel, as if the channel's row had landed
// after the deletion.
func (w *world) ungate(channel domain.Channel) {
	w.t.Helper()
	w.ok(w.table("Blogs").Transact(w.t.Context(), string(channel.Key()),
		driver.Delete(openGateRow(channel.Incarnation), driver.Exists),
		driver.Delete("sub!"+string(channel.Owner), driver.Exists)))
}

func openGateRow(i domain.Incarnation) string { return "gate!open!" + string(i) }

func reservedGateRow(i domain.Incarnation) string { return "gate!reserved!" + string(i) }

func shutGateRow(i domain.Incarnation) string { return "gate!shut!" + string(i) }

func rateRow(rating int64, id domain.BlogID) string {
	return fmt.Sprintf("rate!%010d!%s", 9_999_999_999-rating, id)
}

// atOnce starts n calls at the same time, and waits for them.
func atOnce(n int, call func(i int)) {
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			call(i)
		})
	}
	close(start)
	all.Wait()
}

// text returns a different text for each number.
func text(n int) string { return fmt.Sprintf("post %d", n) }

// postdate moves every time in a table forward by a day.
func (w *world) postdate(table string) {
	w.t.Helper()
	for _, row := range w.allRows(table) {
		var times driver.Properties
		for _, p := range row.Properties {
			if on := row.Properties.Time(p.Name); !on.IsZero() {
				times = append(times, driver.Time(p.Name, on.Add(24*time.Hour)))
			}
		}
		if len(times) > 0 {
			w.ok(w.table(table).Transact(w.t.Context(), row.Partition, driver.Merge(row.Row, driver.Exists, times...)))
		}
	}
}
