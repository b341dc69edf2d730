package storagetest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T) *bolt.DB {
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
	if err := errors.Join(db.CreateTable(t.Context(), "T"), db.CreateQueue(t.Context(), "q")); err != nil {
		t.Fatal(err)
	}
	return db
}

// A driver that passes every call on is as good as the one behind it.
func TestFaultsThatPassEverythingKeepTheContract(t *testing.T) {
	faultless := func(t *testing.T) *storagetest.Faults {
		db := open(t)
		return storagetest.NewFaults(db, db, storagetest.Pass)
	}
	storagetest.Tables(t, func(t *testing.T) storage.Tables { return faultless(t) })
	storagetest.Queues(t, func(t *testing.T) storage.Queues { return faultless(t) })
}

func insert(t *testing.T, driver storage.Tables, row string) error {
	t.Helper()
	return driver.Transact(t.Context(), "T", "p", []storage.Operation{storage.Insert(row)})
}

// has asks the backend itself.
func has(t *testing.T, db *bolt.DB, row string) bool {
	t.Helper()
	_, err := db.Get(t.Context(), "T", "p", row)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestAHookHitsItsCallAndNoOther(t *testing.T) {
	lost := func(err error) bool {
		return errors.Is(err, storagetest.ErrInjected) && errors.Is(err, domain.ErrUnavailable)
	}
	for name, test := range map[string]struct {
		hook    storagetest.Hook
		answer  func(error) bool
		written bool
	}{
		"failed before":         {storagetest.FailBefore(2), lost, false},
		"failed after":          {storagetest.FailAfter(2), lost, true},
		"sent twice":            {storagetest.SentTwice(2), func(err error) bool { return errors.Is(err, domain.ErrExists) }, true},
		"the second write only": {storagetest.Only(storagetest.Writes, storagetest.FailBefore(2)), lost, false},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			faults := storagetest.NewFaults(db, db, test.hook)
			if err := insert(t, faults, "first"); err != nil {
				t.Errorf("the first call: %v", err)
			}
			if err := insert(t, faults, "second"); !test.answer(err) {
				t.Errorf("the second call: %v", err)
			}
			if err := insert(t, faults, "third"); err != nil {
				t.Errorf("the third call: %v", err)
			}
			if has(t, db, "second") != test.written {
				t.Errorf("the second row: written is %v", !test.written)
			}
			if faults.Calls() != 3 {
				t.Errorf("%d calls", faults.Calls())
			}
		})
	}
}

func TestOnlyTheCallsThatMatchAreCounted(t *testing.T) {
	db := open(t)
	faults := storagetest.NewFaults(db, db, storagetest.Only(storagetest.Writes, storagetest.FailBefore(2)))
	for range 3 {
		if _, err := faults.Range(t.Context(), "T", storage.Range{Partition: "p", Paging: storage.Paging{Limit: 1}}); err != nil {
			t.Fatal(err)
		}
		if err := faults.Ping(t.Context(), "q"); err != nil {
			t.Fatal(err)
		}
	}
	if err := insert(t, faults, "first"); err != nil {
		t.Error(err)
	}
	if err := faults.Send(t.Context(), "q", "second"); !errors.Is(err, storagetest.ErrInjected) {
		t.Errorf("the second write: %v", err)
	}
}

func TestAResentRequestArrivesWhenTheTestSaysSo(t *testing.T) {
	for name, test := range map[string]struct {
		first   storagetest.Hook
		answer  error
		written bool
	}{
		"after its answer":          {storagetest.Pass, nil, true},
		"after its answer was lost": {storagetest.FailAfter(1), storagetest.ErrInjected, true},
		"for the first time":        {storagetest.FailBefore(1), storagetest.ErrInjected, false},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			hook, late := storagetest.ResentLater(1, test.first)
			faults := storagetest.NewFaults(db, db, hook)
			if arrived, err := late.Arrive(t.Context()); arrived || err != nil {
				t.Errorf("arrived before it was sent: %v", err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			err := faults.Transact(ctx, "T", "p", []storage.Operation{storage.Insert("r")})
			cancel() // its caller has gone
			if !errors.Is(err, test.answer) || has(t, db, "r") != test.written {
				t.Errorf("got %v, written %v", err, has(t, db, "r"))
			}
			if test.written {
				if err := db.Transact(t.Context(), "T", "p", []storage.Operation{storage.Delete("r", storage.Exists)}); err != nil {
					t.Fatal(err)
				}
			}
			if arrived, err := late.Arrive(t.Context()); !arrived || err != nil {
				t.Errorf("arrived %v, %v", arrived, err)
			}
			if !has(t, db, "r") {
				t.Error("the late request had no effect")
			}
			if arrived, _ := late.Arrive(t.Context()); arrived {
				t.Error("it arrived again")
			}
		})
	}
}

func TestAHookSeesWhatIsAskedOfWhom(t *testing.T) {
	db := open(t)
	var seen []storagetest.Call
	faults := storagetest.NewFaults(db, db, func(ctx context.Context, call storagetest.Call, send storagetest.Send) error {
		seen = append(seen, call)
		return send(ctx)
	})
	if err := errors.Join(insert(t, faults, "r"), faults.Send(t.Context(), "q", "m")); err != nil {
		t.Fatal(err)
	}
	messages, err := faults.Receive(t.Context(), "q", 1, time.Minute)
	if err != nil || len(messages) != 1 {
		t.Fatal(messages, err)
	}
	if _, err := faults.Get(t.Context(), "T", "p", "r"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, call := range seen {
		got = append(got, fmt.Sprint(call.Seq, " ", call.Method, " ", call.Target, " ", call.Write, " ", len(call.Operations)))
	}
	want := []string{"1 Transact T true 1", "2 Send q true 0", "3 Receive q true 0", "4 Get T false 0"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFaultsCountCallsThatComeAtOnce(t *testing.T) {
	db := open(t)
	faults := storagetest.NewFaults(db, db, storagetest.FailBefore(50))
	var callers sync.WaitGroup
	failed := make(chan error, 100)
	for i := range 100 {
		callers.Go(func() {
			if err := insert(t, faults, fmt.Sprint(i)); err != nil {
				failed <- err
			}
		})
	}
	callers.Wait()
	if len(failed) != 1 || faults.Calls() != 100 {
		t.Errorf("%d of %d calls failed, want 1 of 100", len(failed), faults.Calls())
	}
}
