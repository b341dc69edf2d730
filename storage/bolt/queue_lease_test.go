package bolt

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// withQueue runs a test of a queue in a synctest bubble, where time is fake.
func withQueue(t *testing.T, test func(t *testing.T, queue *driver.Queue)) {
	t.Helper()
	inBubble(t, func(t *testing.T, db *DB) { test(t, driver.NewQueue(db, "q")) })
}

func received(t *testing.T, queue *driver.Queue, lease time.Duration) []driver.Message {
	t.Helper()
	messages, err := queue.Receive(t.Context(), 32, lease)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

func TestLease(t *testing.T) {
	t.Run("hides a message for exactly its time", leaseTime)
	t.Run("ends by the time since the opening, and not by the clock of the machine", leaseSinceOpening)
	t.Run("is given to a message of an earlier version", messageOfEarlierVersion)
	t.Run("that is over keeps its receipt until another delivery", receiptAfterLease)
	t.Run("that ends earlier shows its message earlier", orderOfVisibility)
	t.Run("that is renewed in the same instant has another receipt", renewalAtOnce)
	t.Run("with a malformed receipt is lost", malformedReceipt)
	t.Run("that ended is followed by another delivery, however many messages come", endedLeaseIsNoStarvation)
	t.Run("that ends again and again keeps no other message waiting", endingLeasesAreNoStarvation)
}

func leaseTime(t *testing.T) {
	withQueue(t, func(t *testing.T, queue *driver.Queue) {
		if err := queue.Send(t.Context(), "m"); err != nil {
			t.Fatal(err)
		}
		received(t, queue, 30*time.Second)
		time.Sleep(30*time.Second - time.Nanosecond)
		if got := received(t, queue, time.Second); len(got) > 0 {
			t.Error("visible a nanosecond too early")
		}
		time.Sleep(time.Nanosecond)
		if got := received(t, queue, time.Second); len(got) != 1 || got[0].Deliveries != 2 {
			t.Errorf("got %v when the lease was over, want the second delivery", got)
		}
	})
}

// The clock of the machine can be set back. The place of a hidden message must not wait for it.
func leaseSinceOpening(t *testing.T) {
	withQueue(t, func(t *testing.T, queue *driver.Queue) {
		send(t, queue, "m")
		time.Sleep(time.Minute)
		m := received(t, queue, time.Hour)[0]
		place, err := hex.DecodeString(m.Receipt)
		if err != nil {
			t.Fatal(err)
		}
		hidden := time.Duration(binary.BigEndian.Uint64(place))
		if most := time.Hour + time.Minute + time.Second; hidden < time.Hour || hidden > most {
			t.Errorf("hidden until %s after the opening, want %s at most", hidden, most)
		}
	})
}

// An earlier version put what was never hidden at 0.
func messageOfEarlierVersion(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		err := db.submit(t.Context(), change{check: func(tx *bbolt.Tx) (func() error, error) {
			return func() error {
				return tx.Bucket([]byte(queuePrefix+"q")).Put(newPlace(0, 1), []byte{messageVersion, 7, 0, 'o', 'l', 'd'})
			}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		queue := driver.NewQueue(db, "q")
		send(t, queue, "new")
		if got := received(t, queue, time.Minute); len(got) != 2 || got[0].Text != "old" || got[0].Deliveries != 1 {
			t.Errorf("received %v", got)
		}
	})
}

func receiptAfterLease(t *testing.T) {
	withQueue(t, func(t *testing.T, queue *driver.Queue) {
		if err := queue.Send(t.Context(), "m"); err != nil {
			t.Fatal(err)
		}
		m := received(t, queue, time.Second)[0]
		time.Sleep(time.Hour)
		m, err := queue.Update(t.Context(), m, "late, but nobody took it", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		taken := received(t, queue, time.Minute)
		if len(taken) != 1 || taken[0].Text != "late, but nobody took it" {
			t.Fatalf("received %v", taken)
		}
		if err := queue.Delete(t.Context(), m); !errors.Is(err, domain.ErrLeaseLost) {
			t.Errorf("got %v, want ErrLeaseLost", err)
		}
	})
}

func orderOfVisibility(t *testing.T) {
	withQueue(t, func(t *testing.T, queue *driver.Queue) {
		for _, text := range []string{"first", "second", "third"} {
			if err := queue.Send(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
		for i, m := range received(t, queue, time.Minute) {
			if _, err := queue.Update(t.Context(), m, m.Text, time.Duration(3-i)*time.Second); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		var got []string
		for _, m := range received(t, queue, time.Minute) {
			got = append(got, m.Text)
		}
		if len(got) != 3 || got[0] != "third" || got[1] != "second" || got[2] != "first" {
			t.Errorf("got %q", got)
		}
	})
}

func renewalAtOnce(t *testing.T) {
	withQueue(t, func(t *testing.T, queue *driver.Queue) {
		if err := queue.Send(t.Context(), "m"); err != nil {
			t.Fatal(err)
		}
		stale := received(t, queue, time.Minute)[0]
		current, err := queue.Update(t.Context(), stale, "m", time.Minute) // time stands still
		if err != nil {
			t.Fatal(err)
		}
		if err := queue.Delete(t.Context(), stale); !errors.Is(err, domain.ErrLeaseLost) {
			t.Errorf("the stale receipt: got %v, want ErrLeaseLost", err)
		}
		if err := queue.Delete(t.Context(), current); err != nil {
			t.Error(err)
		}
	})
}

func malformedReceipt(t *testing.T) {
	withQueue(t, func(t *testing.T, queue *driver.Queue) {
		if err := queue.Send(t.Context(), "m"); err != nil {
			t.Fatal(err)
		}
		m := received(t, queue, time.Minute)[0]
		for _, made := range []driver.Message{
			{}, {ID: m.ID}, {ID: m.ID, Receipt: "made up"}, {ID: m.ID, Receipt: "00"}, {ID: "other", Receipt: m.Receipt},
		} {
			if err := queue.Delete(t.Context(), made); !errors.Is(err, domain.ErrLeaseLost) {
				t.Errorf("%v: got %v, want ErrLeaseLost", made, err)
			}
		}
	})
}

// A message was given back, and another is hidden for a while. There are always more new
// messages than can be received.
func endedLeaseIsNoStarvation(t *testing.T) {
	for what, hidden := range map[string]time.Duration{"given back": 0, "hidden": 2 * time.Second} {
		t.Run(what, func(t *testing.T) {
			withQueue(t, func(t *testing.T, queue *driver.Queue) {
				send(t, queue, "old")
				m := received(t, queue, time.Minute)[0]
				if _, err := queue.Update(t.Context(), m, m.Text, hidden); err != nil {
					t.Fatal(err)
				}
				for range 10 {
					send(t, queue, "new", "new")
					messages, err := queue.Receive(t.Context(), 1, time.Minute)
					if err != nil || len(messages) != 1 {
						t.Fatalf("received %v, %v", messages, err)
					}
					if messages[0].Text == "old" {
						return
					}
					time.Sleep(time.Second)
				}
				t.Error("the message was passed over 10 times")
			})
		})
	}
}

// Two messages come back each second, and one is received. Another was sent last.
func endingLeasesAreNoStarvation(t *testing.T) {
	withQueue(t, func(t *testing.T, queue *driver.Queue) {
		send(t, queue, "failing", "failing")
		received(t, queue, time.Second)
		send(t, queue, "new")
		for range 5 {
			time.Sleep(time.Second)
			messages, err := queue.Receive(t.Context(), 1, time.Second)
			if err != nil || len(messages) != 1 {
				t.Fatalf("received %v, %v", messages, err)
			}
			if messages[0].Text == "new" {
				return
			}
		}
		t.Error("the message was passed over 5 times")
	})
}

func send(t *testing.T, queue *driver.Queue, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := queue.Send(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
}
