package azure_test

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// TestEcho does not state wishes but facts that callers must expect: if the SDK sent
// a request twice, the answer may be the echo of the first try. A caller that must
// know what happened has to read again.
func TestEcho(t *testing.T) {
	t.Run("of a transaction", echoOfTransaction)
	t.Run("of a call of a queue", echoOfQueue)
}

func echoOfTransaction(t *testing.T) {
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
			table := newName()
			transact(t, sound, table, driver.Insert("r", driver.Int64("N", 1)), driver.Insert("guard"))
			op := test.op(driver.Match(get(t, sound, table, "r").ETag))
			err := driver.NewTable(faulty, table).Transact(t.Context(), "p", driver.Merge("guard", driver.Exists), op)
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

func echoOfQueue(t *testing.T) {
	for what, test := range map[string]struct {
		call    func(t *testing.T, q *driver.Queue, m driver.Message) error
		meaning error
		visible int // messages, of which one was sent before, or received if it is held
		held    bool
	}{
		"of a send is a second message": {func(t *testing.T, q *driver.Queue, _ driver.Message) error { return q.Send(t.Context(), "m") }, nil, 3, false},
		"of a receive is no message while it is hidden": {func(t *testing.T, q *driver.Queue, _ driver.Message) error {
			got, err := q.Receive(t.Context(), 32, time.Minute)
			if len(got) > 0 {
				t.Errorf("the second try received %v", got)
			}
			return err
		}, nil, 0, false},
		"of an update is a lost lease": {func(t *testing.T, q *driver.Queue, m driver.Message) error {
			_, err := q.Update(t.Context(), m, "m", time.Minute)
			return err
		}, domain.ErrLeaseLost, 0, true},
		"of a delete is a lost lease": {func(t *testing.T, q *driver.Queue, m driver.Message) error { return q.Delete(t.Context(), m) },
			domain.ErrLeaseLost, 0, true},
	} {
		t.Run(what, func(t *testing.T) {
			sound, faulty := pair(t, losesReply())
			name := newName()
			if err := driver.NewQueue(sound, name).Send(t.Context(), "m"); err != nil {
				t.Fatal(err)
			}
			var m driver.Message
			if test.held {
				m = receive(t, sound, name)[0]
			}
			if err := test.call(t, driver.NewQueue(faulty, name), m); !errors.Is(err, test.meaning) {
				t.Errorf("got %v, want %v", err, test.meaning)
			}
			if got := receive(t, sound, name); len(got) != test.visible {
				t.Errorf("%d messages, want %d", len(got), test.visible)
			}
		})
	}
}

func receive(t *testing.T, q driver.Backend, queue string) []driver.Message {
	t.Helper()
	messages, err := driver.NewQueue(q, queue).Receive(t.Context(), 32, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}
