package storage_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestStore(t *testing.T) {
	t.Run("store is ready once it is prepared", storeIsReadyOncePrepared)
	t.Run("store is not ready while a part does not answer", storeIsNotReadyWithoutAPart)
	t.Run("creation of a store that was interrupted anywhere is completed", interruptedCreationIsCompleted)
	t.Run("creation of a store goes on while another one runs at any pace", creationsMeet)
	t.Run("store with rows whose part is missing is refused by name", partIsRefused)
}

func storeIsReadyOncePrepared(t *testing.T) {
	store := storage.New(empty(t), storage.Options{})
	if err := store.Health.Ready(t.Context()); !errors.Is(err, domain.ErrUnavailable) || !strings.Contains(err.Error(), "start a role") {
		t.Errorf("ready before it is prepared: %v", err)
	}
	for range 2 { // a second process does the same
		if err := store.Operator.Prepare(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := store.Health.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func storeIsNotReadyWithoutAPart(t *testing.T) {
	storetest.EachCall(t, "never arrives", func(w *storetest.World, n int) {
		w.Arm(drivertest.FailBefore(n))
		err := w.Faulty.Health.Ready(w.T.Context())
		if failed := errors.Is(err, domain.ErrUnavailable); failed != (w.Calls.Load() >= int64(n)) {
			w.T.Errorf("ready: %v", err)
		}
	})
}

// empty opens an empty backend.
func empty(t *testing.T) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// hooked returns a store whose calls pass a hook.
func hooked(db driver.Backend, hook func(c *driver.Call) error) *storage.Parts {
	return storage.New(driver.Wrap(db, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		if err := hook(c); err != nil {
			return err
		}
		return next(ctx)
	}), storage.Options{HashPassword: drivertest.CheapHash})
}

func creates(c *driver.Call) bool {
	return c.Method == driver.CallCreateTable || c.Method == driver.CallCreateQueue
}

func interruptedCreationIsCompleted(t *testing.T) {
	for n := range 10 { // 8 tables, the queue and the version
		db, created := empty(t), 0
		dies := hooked(db, func(c *driver.Call) error {
			if c.Writes() {
				created++
			}
			if created > n {
				return drivertest.ErrInjected
			}
			return nil
		})
		if err := dies.Operator.Prepare(t.Context()); !errors.Is(err, drivertest.ErrInjected) {
			t.Fatal(err)
		}
		next := storage.New(db, storage.Options{})
		if err := next.Health.Ready(t.Context()); !errors.Is(err, domain.ErrMissing) {
			t.Errorf("ready with %d of 10: %v", n, err)
		}
		if err := errors.Join(next.Operator.Prepare(t.Context()), next.Health.Ready(t.Context())); err != nil {
			t.Errorf("with %d of 10: %v", n, err)
		}
	}
}

// One process creates a store and signs a user up, and makes some calls before each call of another,
// which creates it as well.
func creationsMeet(t *testing.T) {
	for seed := range uint64(200) {
		db, random := empty(t), rand.New(rand.NewPCG(seed, 0))
		turn, ended := make(chan bool), make(chan bool)
		first := hooked(db, func(c *driver.Call) error {
			if creates(c) {
				<-turn
			}
			return nil
		})
		go func() {
			defer close(ended)
			err := first.Operator.Prepare(t.Context())
			if err == nil {
				_, err = first.Operator.SignUp(t.Context(), "ada", "correct horse battery")
			}
			if err != nil {
				t.Error(err)
			}
		}()
		second := hooked(db, func(*driver.Call) error {
			for range random.IntN(4) {
				select {
				case turn <- true:
				case <-ended:
				}
			}
			return nil
		})
		if err := second.Operator.Prepare(t.Context()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		close(turn)
		<-ended
	}
}

func partIsRefused(t *testing.T) {
	db := empty(t)
	store := storage.New(db, storage.Options{HashPassword: drivertest.CheapHash})
	ok(t, store.Operator.Prepare(t.Context()))
	if _, err := store.Operator.SignUp(t.Context(), "ada", "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	parts := append(schema.Tables(), domain.QueueName)
	for _, lost := range parts {
		calls := 0
		without := hooked(db, func(c *driver.Call) error {
			if calls++; creates(c) {
				t.Errorf("%s of %s without %s", c.Method, c.Target, lost)
			}
			if c.Target == lost {
				return domain.ErrMissing
			}
			return nil
		})
		err := without.Operator.Prepare(t.Context())
		if ready := without.Health.Ready(t.Context()); err == nil || !errors.Is(ready, domain.ErrMissing) || !strings.HasSuffix(ready.Error(), err.Error()) {
			t.Errorf("without %s a role says %v, and a command %v", lost, err, ready)
		}
		for _, name := range parts {
			said := fmt.Sprint(err, ",")
			if names := strings.Contains(said, " "+name+";"); err == nil || errors.Is(err, domain.ErrUnavailable) || names != (name == lost) {
				t.Errorf("without %s: %v", lost, err)
			}
		}
		if calls > 30 {
			t.Errorf("%d calls", calls)
		}
	}
}
