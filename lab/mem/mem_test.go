package mem_test

import (
	"testing"

	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestTables(t *testing.T) {
	drivertest.Tables(t, func(*testing.T) driver.Backend { return mem.Open(mem.Snapshot{}, "test") })
}

func TestQueues(t *testing.T) {
	drivertest.Queues(t, func(*testing.T) driver.Backend { return mem.Open(mem.Snapshot{}, "test") })
}

func TestSnapshot(t *testing.T) {
	mint := func(name string) func(int) driver.ETag {
		return func(int) driver.ETag { return driver.ETag(name) }
	}
	empty := mem.Snapshot{}.WithTable("T").WithQueue("q")
	one, _, err := empty.Transact("T", "p", []driver.Operation{driver.Insert("a", driver.Int64("N", 1))}, mint("1"))
	if err != nil {
		t.Fatal(err)
	}
	two, changes, err := one.Transact("T", "p", []driver.Operation{driver.Merge("a", driver.Exists, driver.Int64("N", 2))}, mint("2"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := one.Get("T", "p", "a"); got.Properties.Int64("N") != 1 || changes[0].Before.ETag != "1" {
		t.Errorf("a write changed the snapshot that it started from: %v", got)
	}
	gone, _, err := two.Transact("T", "p", []driver.Operation{driver.Delete("a", driver.Match("2"))}, mint("3"))
	if err != nil {
		t.Fatal(err)
	}
	sent, err := gone.Send("q", "m", "text")
	if err != nil {
		t.Fatal(err)
	}
	if gone.Sum() != empty.Sum() || sent.Forget("q", "m").Sum() != empty.Sum() {
		t.Error("a backend that was emptied has another sum than one that was never filled")
	}
	sums := map[mem.Sum]bool{empty.Sum(): true, one.Sum(): true, two.Sum(): true, sent.Sum(): true}
	if len(sums) != 4 {
		t.Errorf("four contents have %d sums", len(sums))
	}
}
