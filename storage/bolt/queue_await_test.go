package bolt

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage/driver"
)

func TestAwait(t *testing.T) {
	t.Run("returns at once if a message is visible", awaitsVisible)
	t.Run("returns to all who wait, for their queue alone", awaitsItsQueue)
	t.Run("returns when its context ends or the store is closed", awaitEnds)
}

// awaiting starts an Await and returns the channel that is closed when it returns.
func awaiting(ctx context.Context, db *DB, queue string) <-chan struct{} {
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		db.await(ctx, queue)
	}()
	synctest.Wait()
	return returned
}

func isClosed(c <-chan struct{}) bool {
	synctest.Wait()
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func awaitsVisible(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		if err := driver.NewQueue(db, "q").Send(t.Context(), "text"); err != nil {
			t.Fatal(err)
		}
		db.await(t.Context(), "q")
		if _, err := driver.NewQueue(db, "q").Receive(t.Context(), 1, time.Minute); err != nil {
			t.Fatal(err)
		}
		leased := time.Now()
		db.await(t.Context(), "q")
		if waited := time.Since(leased); waited != time.Minute {
			t.Errorf("waited %s for the end of a lease of a minute", waited)
		}
	})
}

func awaitsItsQueue(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		if err := driver.NewQueue(db, "other").Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		one, two := awaiting(t.Context(), db, "q"), awaiting(t.Context(), db, "q")
		if err := driver.NewQueue(db, "other").Send(t.Context(), "text"); err != nil {
			t.Fatal(err)
		}
		if isClosed(one) || isClosed(two) {
			t.Error("a message on another queue ended the wait")
		}
		if err := driver.NewQueue(db, "q").Send(t.Context(), "text"); err != nil {
			t.Fatal(err)
		}
		if !isClosed(one) || !isClosed(two) {
			t.Error("somebody still waits for the message")
		}
	})
}

func awaitEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		ctx, cancel := context.WithCancel(t.Context())
		waiting := awaiting(ctx, db, "q")
		cancel()
		if !isClosed(waiting) {
			t.Error("it waits although its context has ended")
		}
		waiting = awaiting(t.Context(), db, "q")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if !isClosed(waiting) {
			t.Error("it waits for a store that is closed")
		}
	})
}
