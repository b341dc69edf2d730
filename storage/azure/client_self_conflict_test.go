package azure_test

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// TestSelfConflict does not state wishes but facts that callers must expect: if the SDK sent
// a request twice, the answer may be a conflict with the first try. A caller that must
// know what happened has to read again.
func TestSelfConflict(t *testing.T) {
	t.Run("of a transaction", selfConflictOfTransaction)
	t.Run("of a call of a queue", selfConflictOfQueue)
}

func selfConflictOfTransaction(t *testing.T) {
	for what, test := range map[string]struct {
		op      func(match driver.Condition) driver.Operation
		meaning error
		n       int64 // what the row r holds then; -1 if it is gone
	}{
		"of an insert is that the row exists":      {func(driver.Condition) driver.Operation { return driver.Insert("new") }, domain.ErrExists, 1},
		"of a conditional merge is a conflict":     {func(match driver.Condition) driver.Operation { return driver.Merge("r", match, driver.Int64("N", 2)) }, domain.ErrConflict, 2},
		"of a delete is that the row is not found": {func(driver.Condition) driver.Operation { return driver.Delete("r", driver.Exists) }, domain.ErrNotFound, -1},
		"of an unconditional merge is success":     {func(driver.Condition) driver.Operation { return driver.Merge("r", driver.Exists, driver.Int64("N", 2)) }, nil, 2},
	} {
		t.Run(what, func(t *testing.T) {
			sound, faulty := pair(t, losesReply())
			table := newTable(t, sound)
			transact(t, sound, table, driver.Insert("r", driver.Int64("N", 1)), driver.Insert("condition"))
			op := test.op(driver.Match(get(t, sound, table, "r").ETag))
			err := driver.NewTable(faulty, table).Transact(t.Context(), "p", driver.Merge("condition", driver.Exists), op)
			if test.meaning != nil {
				wantOperation(t, err, 1, test.meaning)
			} else if err != nil {
				t.Error(err)
			}
			if op.Action == driver.ActionInsert {
				get(t, sound, table, "new")
			}
			if test.n < 0 {
				absent(t, sound, table, "r")
			} else if n := get(t, sound, table, "r").Properties.Int64("N"); n != test.n {
				t.Errorf("N is %d", n)
			}
		})
	}
}

func selfConflictOfQueue(t *testing.T) {
	for what, test := range map[string]struct {
		call    driver.Call
		meaning error
		visible int // messages afterwards, of one that was sent before, or received if the call is about it
	}{
		"of a send is a second message":                    {driver.Call{Method: driver.CallSend}, nil, 3},
		"of a receive is no message while it is invisible": {driver.Call{Method: driver.CallReceive, Limit: 32, Lease: time.Minute}, nil, 0},
		"of an update is a lost lease":                     {driver.Call{Method: driver.CallUpdate, Lease: time.Minute}, domain.ErrLeaseLost, 0},
		"of a delete is a lost lease":                      {driver.Call{Method: driver.CallDelete}, domain.ErrLeaseLost, 0},
	} {
		t.Run(what, func(t *testing.T) {
			sound, faulty := pair(t, losesReply())
			test.call.Target = newQueue(t, sound)
			queue := driver.NewQueue(sound, test.call.Target)
			test.call.Message = driver.Message{Text: "m"}
			if test.call.Method == driver.CallUpdate || test.call.Method == driver.CallDelete {
				test.call.Message = receive(t, queue)[0]
			}
			err := faulty.Do(t.Context(), &test.call)
			if !errors.Is(err, test.meaning) || len(test.call.Messages) > 0 {
				t.Errorf("got %v and the messages %v, want %v", err, test.call.Messages, test.meaning)
			}
			if got := receive(t, queue); len(got) != test.visible {
				t.Errorf("%d messages, want %d", len(got), test.visible)
			}
		})
	}
}

func receive(t *testing.T, queue *driver.Queue) []driver.Message {
	t.Helper()
	messages, err := queue.Receive(t.Context(), 32, time.Minute)
	ok(t, err)
	return messages
}
