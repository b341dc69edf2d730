package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/flight"
	"microblogging/storage/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A world is an embedded store with two sides. Calls on the sound side reach it as they are.
// Calls on the faulty side go through a hook, which arm sets, and are counted in calls.
type world struct {
	t             testing.TB
	db            *bolt.DB
	store, faulty *account.Accounts
	hook          drivertest.Hook
	calls         atomic.Int64
	// hashing is done while a password is hashed, in a slot. A password is compared at once.
	hashing func()
	// beside are requests that go on beside the test, which ends after them.
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
	for _, table := range schema.Tables() {
		w.ok(driver.NewTable(db, table).Create(t.Context()))
	}
	w.store = w.other()
	w.faulty = w.on(w.faults(), true)
	return w
}

// other is the sound side of another process.
func (w *world) other() *account.Accounts { return w.on(w.db, true) }

func (w *world) on(tables driver.Backend, inTurn bool) *account.Accounts {
	return account.New(tables, flight.Reads{InTurn: inTurn}, nil, func(password string) string {
		w.hashing()
		return drivertest.CheapHash(password)
	})
}

// overNetwork makes the faulty side one that makes calls at once, as on a network.
func (w *world) overNetwork() { w.faulty = w.on(w.faults(), false) }

func (w *world) faults() driver.Backend {
	return drivertest.NewFaults(w.db, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		call.Seq = int(w.calls.Add(1))
		return w.hook(ctx, call, send)
	})
}

// arm sets the hook of the faulty side and counts its calls from 1.
func (w *world) arm(hook drivertest.Hook) {
	w.hook = hook
	w.calls.Store(0)
}

// bubble makes a test for t.Run on a world of its own, in the fake time of a synctest bubble.
func bubble(test func(t *testing.T, w *world)) func(*testing.T) {
	return func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			defer w.beside.Wait()
			test(t, w)
		})
	}
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) table(name string) *driver.Table { return driver.NewTable(w.db, name) }

func (w *world) rows(table string) (rows []driver.Entity) {
	w.t.Helper()
	for row, err := range w.table(table).All(w.t.Context(), driver.Scan{}) {
		w.ok(err)
		rows = append(rows, row)
	}
	return rows
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

const (
	right = "correct horse"
	wrong = "incorrect horse"
)

// account writes the row of a user whose password is right, with a cheap hash.
func (w *world) account(name domain.UserName) {
	w.t.Helper()
	w.ok(w.table("Users").Transact(w.t.Context(), string(name), driver.Insert("",
		driver.String("Password", drivertest.CheapHash(right)), driver.Time("CreatedOn", domain.Now()), driver.Int64("Epoch", 0))))
}

// from returns an attempt from one of many addresses.
func from(address int, name, password string) account.Attempt {
	return account.Attempt{Name: name, Password: password, Address: fmt.Sprintf("198.51.100.%d", address)}
}

func attempt(name, password string) account.Attempt {
	return account.Attempt{Name: name, Password: password, Address: "192.0.2.1"}
}

func (w *world) signIn(s *account.Accounts, name, password string) (string, error) {
	token, _, err := s.SignIn(w.t.Context(), attempt(name, password))
	return token, err
}

func (w *world) signedIn(name, password string) string {
	w.t.Helper()
	token, err := w.signIn(w.store, name, password)
	w.ok(err)
	return token
}

func (w *world) mustBeSignedIn(token string, as domain.UserName) {
	w.t.Helper()
	if session, err := w.store.Session(w.t.Context(), token); err != nil || session.User != as {
		w.t.Errorf("signed in as %q, %v; want %q", session.User, err, as)
	}
}

func (w *world) mustNotBeSignedIn(token string) {
	w.t.Helper()
	for _, likely := range []domain.UserName{"", "ada", "eve"} {
		if session, err := w.store.SessionAhead(w.t.Context(), token, likely)(); !errors.Is(err, domain.ErrNotSignedIn) {
			w.t.Errorf("still signed in as %q, %v", session.User, err)
		}
	}
}

// expire removes what has ended, and returns how many rows.
func (w *world) expire() int {
	w.t.Helper()
	n, err := w.store.Expire(w.t.Context())
	w.ok(err)
	return n
}
