package oracle_test

import (
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/oracle"
)

// Package check holds the oracle to all else: TestCheck plants what both must find, TestKinds looks
// for the invariants of each kind of row, and TestCorruption compares the two.
func TestViolations(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { ok(t, db.Close()) })
	if _, err := oracle.Violations(t.Context(), db); err == nil {
		t.Error("a store without tables was read")
	}
	store := storage.New(db, storage.Options{})
	ok(t, store.Operator.Prepare(t.Context()))
	news, err := domain.NewChannel("News", domain.About{}, "ada")
	ok(t, err)
	news, _, err = store.Channels.Create(t.Context(), news, "", 0)
	ok(t, err)
	t.Run("a deletion that is done has left no channel", func(t *testing.T) {
		row := driver.Insert(string(news.Incarnation), driver.String("State", "done"), driver.Time("RequestedOn", domain.Now()))
		ok(t, driver.NewTable(db, "Deletions").Transact(t.Context(), "news", row))
		violations, err := oracle.Violations(t.Context(), db)
		ok(t, err)
		if len(violations) == 0 || violations[0].Invariant != "I5" || violations[0].RowKey != string(news.Incarnation) {
			t.Errorf("found %+v", violations)
		}
	})
}

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
