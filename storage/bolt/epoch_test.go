package bolt

import (
	"testing"

	"microblogging/storage/driver"
)

// An ETag names one version of a row for ever, also outside of the store: a browser keeps a
// page under it, and asks whichever store has the address then.
func TestEpoch(t *testing.T) {
	t.Run("gives two stores that were written alike no ETag alike", alikeStores)
	t.Run("is another each time a store is opened", epochOfEachOpening)
}

// etagOf writes a row and returns its ETag.
func etagOf(t *testing.T, db *DB) driver.ETag {
	t.Helper()
	put(t, db, driver.Replace("row", driver.Upsert))
	row, err := driver.NewTable(db, "T").Get(t.Context(), "p", "row")
	if err != nil {
		t.Fatal(err)
	}
	return row.ETag
}

func alikeStores(t *testing.T) {
	etags := map[driver.ETag]bool{}
	for range 3 {
		db := mustOpen(t, t.TempDir(), Options{})
		if err := driver.NewTable(db, "T").Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			etags[etagOf(t, db)] = true
		}
	}
	if len(etags) != 9 {
		t.Errorf("9 versions have the ETags %v", etags)
	}
}

func epochOfEachOpening(t *testing.T) {
	dir, epochs := t.TempDir(), map[uint64]bool{}
	for range 5 {
		db := mustOpen(t, dir, Options{})
		epochs[db.epoch] = true
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(epochs) != 5 {
		t.Errorf("it was opened 5 times, in the epochs %v", epochs)
	}
}
