package storage_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/drivertest"
)

func TestStore(t *testing.T) {
	t.Run("store is ready once it is prepared", storeIsReadyOncePrepared)
	t.Run("store is not ready while a part does not answer", storeIsNotReadyWithoutAPart)
}

func storeIsReadyOncePrepared(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	store := storage.New(db, storage.Options{})
	if err := store.Ready(t.Context()); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("ready before it is prepared: %v", err)
	}
	for range 2 { // a second process does the same
		if err := store.Prepare(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := store.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func storeIsNotReadyWithoutAPart(t *testing.T) {
	eachCall(t, "never arrives", func(w *world, n int) {
		w.arm(drivertest.FailBefore(n))
		err := w.faulty.Ready(w.t.Context())
		if failed := errors.Is(err, domain.ErrUnavailable); failed != (w.calls.Load() >= int64(n)) {
			w.t.Errorf("ready: %v", err)
		}
	})
}
