package bolt

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestQueue(t *testing.T) {
	for sentence, test := range map[string]func(t *testing.T, db *DB, queue *driver.Queue){
		"a leased message is invisible for exactly its time":                              leaseTime,
		"a lease ends by the time since the opening, and not by the clock of the machine": leaseSinceOpening,
		"a lease that is over keeps its receipt until another delivery":                   receiptAfterLease,
		"a lease that is renewed in the same instant has another receipt":                 immediateRenewal,
		"a lease with a malformed receipt is lost":                                        malformedReceipt,
		"a message that comes back is received, however many new ones come":               noStarvation,
		"a wait ends immediately if a message is visible, or when its lease ends":         awaitsVisible,
		"a wait ends for all who wait, for their queue alone":                             awaitsItsQueue,
		"a wait ends with its context, or when the store is closed":                       awaitEnds,
		"a restart leaves a delayed message the rest of its delay":                        delayGoesOn,
	} {
		t.Run(sentence, func(t *testing.T) {
			inBubble(t, func(t *testing.T, db *DB) { test(t, db, driver.NewQueue(db, "q")) })
		})
	}
}

func leaseTime(t *testing.T, _ *DB, queue *driver.Queue) {
	send(t, queue, "m")
	received(t, queue, 30*time.Second)
	time.Sleep(30*time.Second - time.Nanosecond)
	if got := received(t, queue, time.Second); len(got) > 0 {
		t.Error("visible a nanosecond too early")
	}
	time.Sleep(time.Nanosecond)
	if got := received(t, queue, time.Second); len(got) != 1 || got[0].Deliveries != 2 {
		t.Errorf("got %v when the lease was over, want the second delivery", got)
	}
}

// The clock of the machine can be set back. The place of an invisible message must not wait for it.
func leaseSinceOpening(t *testing.T, _ *DB, queue *driver.Queue) {
	send(t, queue, "m")
	time.Sleep(time.Minute)
	place, err := hex.DecodeString(received(t, queue, time.Hour)[0].Receipt)
	ok(t, err)
	invisible := time.Duration(binary.BigEndian.Uint64(place))
	if most := time.Hour + time.Minute + time.Second; invisible < time.Hour || invisible > most {
		t.Errorf("invisible until %s after the opening, want %s at most", invisible, most)
	}
}

func receiptAfterLease(t *testing.T, _ *DB, queue *driver.Queue) {
	send(t, queue, "m")
	m := received(t, queue, time.Second)[0]
	time.Sleep(time.Hour)
	m, err := queue.Update(t.Context(), m, "late, but not received again", time.Second)
	ok(t, err)
	time.Sleep(time.Hour)
	if taken := received(t, queue, time.Minute); len(taken) != 1 || taken[0].Text != "late, but not received again" {
		t.Fatalf("received %v", taken)
	}
	is(t, domain.ErrLeaseLost, queue.Delete(t.Context(), m))
}

func immediateRenewal(t *testing.T, _ *DB, queue *driver.Queue) {
	send(t, queue, "m")
	stale := received(t, queue, time.Minute)[0]
	current, err := queue.Update(t.Context(), stale, "m", time.Minute) // the clock does not advance
	ok(t, err)
	is(t, domain.ErrLeaseLost, queue.Delete(t.Context(), stale))
	ok(t, queue.Delete(t.Context(), current))
}

func malformedReceipt(t *testing.T, _ *DB, queue *driver.Queue) {
	send(t, queue, "m")
	m := received(t, queue, time.Minute)[0]
	for _, made := range []driver.Message{
		{}, {ID: m.ID}, {ID: m.ID, Receipt: "made up"}, {ID: m.ID, Receipt: "00"}, {ID: "other", Receipt: m.Receipt},
	} {
		is(t, domain.ErrLeaseLost, queue.Delete(t.Context(), made))
	}
}

// One message was given back, and another is invisible for a while. There are always more new
// messages than can be received.
func noStarvation(t *testing.T, _ *DB, queue *driver.Queue) {
	for text, invisible := range map[string]time.Duration{"given back": 0, "invisible": 2 * time.Second} {
		send(t, queue, text)
		_, err := queue.Update(t.Context(), received(t, queue, time.Minute)[0], text, invisible)
		ok(t, err)
		passed := 0
		for found := false; !found && passed < 10; passed++ {
			send(t, queue, "new", "new")
			messages, err := queue.Receive(t.Context(), 1, time.Minute)
			ok(t, err)
			found = len(messages) == 1 && messages[0].Text == text
			time.Sleep(time.Second)
		}
		if passed == 10 {
			t.Errorf("the message that was %s was passed over 10 times", text)
		}
		received(t, queue, time.Hour)
	}
}

// awaiting starts an Await and returns the channel that is closed when it returns.
func awaiting(ctx context.Context, db *DB) <-chan struct{} {
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		db.await(ctx, "q")
	}()
	synctest.Wait()
	return returned
}

// wantWaiting requires that a wait has ended, or that it has not.
func wantWaiting(t *testing.T, want bool, waits ...<-chan struct{}) {
	t.Helper()
	synctest.Wait()
	for _, c := range waits {
		waiting := false
		select {
		case <-c:
		default:
			waiting = true
		}
		if waiting != want {
			t.Errorf("it waits: %t", waiting)
		}
	}
}

func awaitsVisible(t *testing.T, db *DB, queue *driver.Queue) {
	send(t, queue, "text")
	db.await(t.Context(), "q")
	received(t, queue, time.Minute)
	leased := time.Now()
	db.await(t.Context(), "q")
	if waited := time.Since(leased); waited != time.Minute {
		t.Errorf("waited %s for the end of a lease of a minute", waited)
	}
}

func awaitsItsQueue(t *testing.T, db *DB, queue *driver.Queue) {
	other := driver.NewQueue(db, "other")
	ok(t, other.Create(t.Context()))
	one, two := awaiting(t.Context(), db), awaiting(t.Context(), db)
	send(t, other, "text")
	wantWaiting(t, true, one, two)
	send(t, queue, "text")
	wantWaiting(t, false, one, two)
}

func awaitEnds(t *testing.T, db *DB, _ *driver.Queue) {
	ctx, cancel := context.WithCancel(t.Context())
	waiting := awaiting(ctx, db)
	cancel()
	wantWaiting(t, false, waiting)
	waiting = awaiting(t.Context(), db)
	ok(t, db.Close())
	wantWaiting(t, false, waiting)
}

// The store is closed, or the process is killed after another commit.
func delayGoesOn(t *testing.T, _ *DB, _ *driver.Queue) {
	for how, stop := range map[string]func(db *DB){
		"it is closed": func(db *DB) { ok(t, db.Close()) },
		"it is killed": func(db *DB) {
			put(t, db, driver.Insert("row"))
			path := db.bolt.Path()
			killed, err := os.ReadFile(path)
			ok(t, err, db.Close(), os.WriteFile(path, killed, 0o600))
		},
	} {
		dir := t.TempDir()
		db := opened(t, dir)
		ok(t, driver.NewQueue(db, "q").SendDelayed(t.Context(), "m", 5*time.Minute))
		time.Sleep(3 * time.Minute)
		stop(db)
		time.Sleep(time.Hour)
		db = opened(t, dir)
		queue := driver.NewQueue(db, "q")
		time.Sleep(2*time.Minute - time.Second)
		early := received(t, queue, time.Second)
		time.Sleep(time.Second)
		if due := received(t, queue, time.Second); len(early) > 0 || len(due) != 1 {
			t.Errorf("%s: %d messages are visible early, and %d once they are due", how, len(early), len(due))
		}
		ok(t, db.Close())
	}
}
