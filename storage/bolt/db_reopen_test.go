package bolt_test

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

func TestReopen(t *testing.T) {
	t.Run("keeps every row as it was", reopenedRows)
	t.Run("keeps the messages, and ends their leases", reopenedMessages)
}

func reopenedRows(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	if err := driver.NewTable(db, "T").Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, db,
		driver.Insert("", driver.String("Text", "👩‍🚀\n"), driver.Time("When", time.Unix(1, 100))),
		driver.Insert("r", driver.Int64("N", -1), driver.Bool("Yes", true)))
	before := read(t, db)
	db = reopen(t, dir, db)
	after := read(t, db)
	if len(after) != len(before) || len(after) != 2 {
		t.Fatalf("%d rows, then %d", len(before), len(after))
	}
	for i := range before {
		if before[i].Row != after[i].Row || before[i].ETag != after[i].ETag {
			t.Errorf("row %v became %v", before[i], after[i])
		}
		for j, p := range before[i].Properties {
			if after[i].Properties[j] != p {
				t.Errorf("property %v became %v", p, after[i].Properties[j])
			}
		}
	}
	write(t, db, driver.Merge("r", driver.Match(before[1].ETag)))
}

func reopenedMessages(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	if err := driver.NewQueue(db, "q").Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	queue := driver.NewQueue(db, "q")
	send(t, queue, "leased")
	leased := receive(t, queue, 1)[0]
	leased, err := queue.Update(t.Context(), leased, "leased for long", 7*24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	send(t, queue, "visible")

	for range 2 {
		db = reopen(t, dir, db)
	}
	queue = driver.NewQueue(db, "q")
	if err := queue.Delete(t.Context(), leased); !errors.Is(err, domain.ErrLeaseLost) {
		t.Errorf("settling with a receipt from before: got %v, want ErrLeaseLost", err)
	}
	again := receive(t, queue, 2)
	if again[0].Text != "leased for long" || again[0].Deliveries != 2 || again[1].Text != "visible" || again[1].Deliveries != 1 {
		t.Errorf("received %v", again)
	}
	receive(t, queue, 0)
}

func reopen(t *testing.T, dir string, db *bolt.DB) *bolt.DB {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, dir)
}

func write(t *testing.T, db *bolt.DB, ops ...driver.Operation) {
	t.Helper()
	if err := driver.NewTable(db, "T").Transact(t.Context(), "p", ops...); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, db *bolt.DB) []driver.Entity {
	t.Helper()
	page, err := driver.NewTable(db, "T").Range(t.Context(), driver.Range{Partition: "p", Paging: driver.Paging{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	return page.Rows
}

func send(t *testing.T, queue *driver.Queue, text string) {
	t.Helper()
	if err := queue.Send(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

// receive must find exactly n messages.
func receive(t *testing.T, queue *driver.Queue, n int) []driver.Message {
	t.Helper()
	messages, err := queue.Receive(t.Context(), 32, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if len(messages) != n {
		t.Fatalf("received %d messages, want %d", len(messages), n)
	}
	return messages
}
