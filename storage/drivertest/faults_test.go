package drivertest_test

import (
	"errors"
	"testing"

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
