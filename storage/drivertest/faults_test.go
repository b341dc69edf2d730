package drivertest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { ok(t, db.Close()) })
	ok(t, driver.NewTable(db, "T").Create(t.Context()))
	ok(t, driver.NewQueue(db, "q").Create(t.Context()))
	return db
}

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFaults(t *testing.T) {
	t.Run("that pass everything keep the contract", passesKeepContract)
	t.Run("hit one call and no other", hookHitsItsCall)
	t.Run("count only the calls that match", onlyMatchingCalls)
	t.Run("show each call to the hook", hookSeesCall)
	t.Run("count concurrent calls", concurrentCalls)
}

func passesKeepContract(t *testing.T) {
	faultless := func(t *testing.T) driver.Backend {
		return drivertest.NewFaults(drivertest.Far(open(t)), drivertest.Pass)
	}
	drivertest.Tables(t, faultless)
	drivertest.Queues(t, faultless)
}

func insert(t *testing.T, tables driver.Backend, row string) error {
	t.Helper()
	return driver.NewTable(tables, "T").Transact(t.Context(), "p", driver.Insert(row))
}

// has reports whether the backend behind the faults has a row.
func has(t *testing.T, db *bolt.DB, row string) bool {
	t.Helper()
	_, err := driver.NewTable(db, "T").Get(t.Context(), "p", row)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func hookHitsItsCall(t *testing.T) {
	lost := func(err error) bool {
		return errors.Is(err, drivertest.ErrInjected) && errors.Is(err, domain.ErrUnavailable)
	}
	for name, test := range map[string]struct {
		hook    drivertest.Hook
		answer  func(error) bool
		written bool
	}{
		"failed before":         {drivertest.FailBefore(2), lost, false},
		"failed after":          {drivertest.FailAfter(2), lost, true},
		"sent twice":            {drivertest.SentTwice(2), func(err error) bool { return errors.Is(err, domain.ErrExists) }, true},
		"the second write only": {drivertest.Only(drivertest.Writes, drivertest.FailBefore(2)), lost, false},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			faults := drivertest.NewFaults(drivertest.Far(db), test.hook)
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

func onlyMatchingCalls(t *testing.T) {
	db := open(t)
	faults := drivertest.NewFaults(drivertest.Far(db), drivertest.Only(drivertest.Writes, drivertest.FailBefore(2)))
	for range 3 {
		if _, err := driver.NewTable(faults, "T").Range(t.Context(), driver.Range{Partition: "p", Paging: driver.Paging{Limit: 1}}); err != nil {
			t.Fatal(err)
		}
		if _, err := driver.NewQueue(faults, "q").Length(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := insert(t, faults, "first"); err != nil {
		t.Error(err)
	}
	if err := driver.NewQueue(faults, "q").Send(t.Context(), "second"); !errors.Is(err, drivertest.ErrInjected) {
		t.Errorf("the second write: %v", err)
	}
}

func hookSeesCall(t *testing.T) {
	db := open(t)
	var seen []drivertest.Call
	faults := drivertest.NewFaults(drivertest.Far(db), func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		seen = append(seen, call)
		return send(ctx)
	})
	ok(t, errors.Join(insert(t, faults, "r"), driver.NewQueue(faults, "q").Send(t.Context(), "m")))
	messages, err := driver.NewQueue(faults, "q").Receive(t.Context(), 1, time.Minute)
	if err != nil || len(messages) != 1 {
		t.Fatal(messages, err)
	}
	if _, err := driver.NewTable(faults, "T").Get(t.Context(), "p", "r"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, call := range seen {
		got = append(got, fmt.Sprint(call.Seq, " ", call.Method, " ", call.Target, " ", call.Writes(), " ", len(call.Operations)))
	}
	want := []string{"1 Transact T true 1", "2 Send q true 0", "3 Receive q true 0", "4 Get T false 0"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func concurrentCalls(t *testing.T) {
	db := open(t)
	faults := drivertest.NewFaults(drivertest.Far(db), drivertest.FailBefore(50))
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
