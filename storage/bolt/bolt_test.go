package bolt_test

import (
	"testing"

	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestTables(t *testing.T) {
	drivertest.Tables(t, func(t *testing.T) driver.Backend { return open(t, t.TempDir()) })
}

func TestQueues(t *testing.T) {
	drivertest.Queues(t, func(t *testing.T) driver.Backend { return open(t, t.TempDir()) })
}

// open opens a durable store and closes it when the test ends.
func open(t testing.TB, dir string) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(dir, bolt.Options{})
	if err != nil {
		t.Fatalf("opening the store: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return db
}
