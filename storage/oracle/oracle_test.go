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
	news, _, err = store.Channels.Create(t.Context(), news, domain.PostersOpen, "", 0)
	ok(t, err)
	write := func(table string, ops ...driver.Operation) {
		ok(t, driver.NewTable(db, table).Transact(t.Context(), "news", ops...))
	}
	expectNothing := func(t *testing.T) {
		violations, err := oracle.Violations(t.Context(), db)
		ok(t, err)
		if len(violations) > 0 {
			t.Errorf("found %+v", violations)
		}
	}
	t.Run("the gates of a creation that died are no violation, nor is a subscription that its channel does not count", func(t *testing.T) {
		other := driver.String("Incarnation", "OTHER")
		write("Blogs", driver.Insert("gate!open!OTHER", other), driver.Insert("gate!reserved!OTHER", other), driver.Delete("sub!ada", driver.Exists))
		expectNothing(t)
	})
	t.Run("a deletion that is done has left no channel", func(t *testing.T) {
		row := driver.Insert(string(news.Incarnation), driver.String("State", "done"), driver.Time("RequestedOn", domain.Now()))
		ok(t, driver.NewTable(db, "Deletions").Transact(t.Context(), "news", row))
		violations, err := oracle.Violations(t.Context(), db)
		ok(t, err)
		if len(violations) == 0 || violations[0].Invariant != "I5" || violations[0].RowKey != string(news.Incarnation) {
			t.Errorf("found %+v", violations)
		}
	})
	t.Run("a deletion in poison that is half done is no violation", func(t *testing.T) {
		own := driver.String("Incarnation", news.Incarnation)
		write("Channels", driver.Merge("", driver.Exists, driver.String("State", "deleting")))
		on := domain.Now()
		write("Deletions", driver.Replace(string(news.Incarnation), driver.Exists,
			driver.String("State", "poisoned"), driver.String("RequestedBy", "ada"), driver.Time("RequestedOn", on)))
		ok(t, driver.NewTable(db, "Deletions").Transact(t.Context(), "poison!", driver.Insert("x", driver.String("Text0", `{"incarnation":"`+string(news.Incarnation)+`"}`))))
		ok(t, driver.NewTable(db, "Users").Transact(t.Context(), "ada", driver.Insert("requested!"+domain.RecentFirst(on)+"!news!"+string(news.Incarnation))))
		write("Blogs", driver.Delete("gate!open!"+string(news.Incarnation), driver.Exists), driver.Insert("gate!shut!"+string(news.Incarnation), own), driver.Insert("sub!eve", own))
		expectNothing(t)
	})
}

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
