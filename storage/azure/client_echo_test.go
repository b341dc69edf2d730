package azure_test

import (
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// TestEcho does not state wishes but facts that callers must expect: if the SDK sent
// a request twice, the answer may be the echo of the first try. A caller that must
// know what happened has to read again.
func TestEcho(t *testing.T) {
	t.Run("of an insert is that the row exists", echoOfInsert)
	t.Run("of a conditional merge is a conflict", echoOfConditionalMerge)
	t.Run("of a delete is that the row is not found", echoOfDelete)
	t.Run("of an unconditional merge is success", echoOfMerge)
	t.Run("of a send is a second message", echoOfSend)
	t.Run("of a receive is no message while it is hidden", echoOfReceive)
	t.Run("of an update or delete is a lost lease", echoOfUpdateOrDelete)
}

func echoOfInsert(t *testing.T) {
	sound, faulty := pair(t, losesReply())
	table := newName()
	transact(t, sound, table, driver.Insert("other"))
	err := faulty.Transact(t.Context(), table, "p", []driver.Operation{
		driver.Merge("other", driver.Exists), driver.Insert("r", driver.Int64("N", 1)),
	})
	wantOperation(t, err, 1, domain.ErrExists)
	if n := get(t, sound, table, "r").Properties.Int64("N"); n != 1 {
		t.Errorf("N is %d", n)
	}
}

func echoOfConditionalMerge(t *testing.T) {
	sound, faulty := pair(t, losesReply())
	table := newName()
	transact(t, sound, table, driver.Insert("r", driver.Int64("N", 1)))
	match := driver.Match(get(t, sound, table, "r").ETag)
	err := faulty.Transact(t.Context(), table, "p", []driver.Operation{driver.Merge("r", match, driver.Int64("N", 2))})
	wantOperation(t, err, 0, domain.ErrConflict)
	if n := get(t, sound, table, "r").Properties.Int64("N"); n != 2 {
		t.Errorf("N is %d", n)
	}
}

func echoOfDelete(t *testing.T) {
	sound, faulty := pair(t, losesReply())
	table := newName()
	transact(t, sound, table, driver.Insert("r"), driver.Insert("guard"))
	err := faulty.Transact(t.Context(), table, "p", []driver.Operation{
		driver.Merge("guard", driver.Exists), driver.Delete("r", driver.Exists),
	})
	wantOperation(t, err, 1, domain.ErrNotFound)
	absent(t, sound, table, "r")
}

func echoOfMerge(t *testing.T) {
	sound, faulty := pair(t, losesReply())
	table := newName()
	transact(t, sound, table, driver.Insert("r"))
	transact(t, faulty, table, driver.Merge("r", driver.Exists, driver.Int64("N", 1)))
}

func echoOfSend(t *testing.T) {
	sound, faulty := pair(t, losesReply())
	queue := newName()
	if err := sound.CreateQueue(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	if err := faulty.Send(t.Context(), queue, "m"); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, sound, queue); len(got) != 2 {
		t.Errorf("%d messages, want 2", len(got))
	}
}

func echoOfReceive(t *testing.T) {
	sound, faulty := pair(t, losesReply())
	queue := newName()
	if err := sound.Send(t.Context(), queue, "m"); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, faulty, queue); len(got) != 0 {
		t.Errorf("the second try received %v", got)
	}
	if got := receive(t, sound, queue); len(got) != 0 {
		t.Errorf("another receiver got %v", got)
	}
}

func echoOfUpdateOrDelete(t *testing.T) {
	for name, call := range map[string]func(driver.Queues, string, driver.Message) error{
		"update": func(q driver.Queues, queue string, m driver.Message) error {
			_, err := q.Update(t.Context(), queue, m, time.Minute)
			return err
		},
		"delete": func(q driver.Queues, queue string, m driver.Message) error {
			return q.Delete(t.Context(), queue, m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			sound, faulty := pair(t, losesReply())
			queue := newName()
			if err := sound.Send(t.Context(), queue, "m"); err != nil {
				t.Fatal(err)
			}
			want(t, call(faulty, queue, receive(t, sound, queue)[0]), domain.ErrLeaseLost)
		})
	}
}

func receive(t *testing.T, q driver.Queues, queue string) []driver.Message {
	t.Helper()
	messages, err := q.Receive(t.Context(), queue, 32, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}
