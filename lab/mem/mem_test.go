package mem_test

import (
	"testing"
	"time"

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
	do := func(s mem.Snapshot, name string, c driver.Call) (mem.Snapshot, []mem.Change) {
		c.Target = "t"
		next, changes, err := s.Do(&c, time.Now(), func(int) string { return name })
		if err != nil {
			t.Fatal(err)
		}
		return next, changes
	}
	write := func(op driver.Operation) driver.Call {
		return driver.Call{Method: driver.CallTransact, Partition: "p", Operations: []driver.Operation{op}}
	}
	empty, _ := do(mem.Snapshot{}, "", driver.Call{Method: driver.CallCreateQueue})
	one, _ := do(empty, "1", write(driver.Insert("a", driver.Int64("N", 1))))
	two, changes := do(one, "2", write(driver.Merge("a", driver.Exists, driver.Int64("N", 2))))
	if got, _ := one.Get("t", "p", "a"); got.Properties.Int64("N") != 1 || changes[0].Before.ETag != "1" {
		t.Errorf("a write changed the snapshot that it started from: %v", got)
	}
	gone, _ := do(two, "3", write(driver.Delete("a", driver.Match("2"))))
	sent, _ := do(gone, "m", driver.Call{Method: driver.CallSend, Message: driver.Message{Text: "text"}})
	if gone.Sum() != empty.Sum() || sent.Forget("t", "m").Sum() != empty.Sum() {
		t.Error("a backend that was emptied has another sum than one that was never filled")
	}
	sums := map[mem.Sum]bool{empty.Sum(): true, one.Sum(): true, two.Sum(): true, sent.Sum(): true}
	if len(sums) != 4 {
		t.Errorf("four contents have %d sums", len(sums))
	}
}
