package azure_test

import (
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// What these tests show is no wish but a fact to build on: the answer to a
// request that the SDK sent twice may be the echo of the first try. Whoever
// relies on an answer being about one's own request must read again.

func TestTheEchoOfAnInsertIsThatItExists(t *testing.T) {
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

func TestTheEchoOfAConditionalMergeIsAConflict(t *testing.T) {
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

func TestTheEchoOfADeleteIsThatNothingWasFound(t *testing.T) {
	sound, faulty := pair(t, losesReply())
	table := newName()
	transact(t, sound, table, driver.Insert("r"), driver.Insert("guard"))
	err := faulty.Transact(t.Context(), table, "p", []driver.Operation{
		driver.Merge("guard", driver.Exists), driver.Delete("r", driver.Exists),
	})
	wantOperation(t, err, 1, domain.ErrNotFound)
	absent(t, sound, table, "r")
}

func TestTheEchoOfAnUnconditionalMergeIsSuccess(t *testing.T) {
	sound, faulty := pair(t, losesReply())
	table := newName()
	transact(t, sound, table, driver.Insert("r"))
	transact(t, faulty, table, driver.Merge("r", driver.Exists, driver.Int64("N", 1)))
}

func TestAMessageSentByALostReplyIsThereTwice(t *testing.T) {
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

func TestAMessageReceivedByALostReplyIsHiddenFromAll(t *testing.T) {
	sound, faulty := pair(t, losesReply())
	queue := newName()
	if err := sound.Send(t.Context(), queue, "m"); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, faulty, queue); len(got) != 0 {
		t.Errorf("the second try received %v", got)
	}
	if got := receive(t, sound, queue); len(got) != 0 {
		t.Errorf("somebody else received %v", got)
	}
}

func TestTheEchoOfARenewalOrASettlementIsALostLease(t *testing.T) {
	for name, settle := range map[string]func(driver.Queues, string, driver.Message) error{
		"Renewal": func(q driver.Queues, queue string, m driver.Message) error {
			_, err := q.Update(t.Context(), queue, m, time.Minute)
			return err
		},
		"Settlement": func(q driver.Queues, queue string, m driver.Message) error {
			return q.Delete(t.Context(), queue, m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			sound, faulty := pair(t, losesReply())
			queue := newName()
			if err := sound.Send(t.Context(), queue, "m"); err != nil {
				t.Fatal(err)
			}
			want(t, settle(faulty, queue, receive(t, sound, queue)[0]), domain.ErrLeaseLost)
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
