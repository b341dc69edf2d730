package worker

import (
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestWake(t *testing.T) {
	t.Run("a deletion begins when it is asked for, not at the next look", bubble(wakesForMessage))
	t.Run("a message whose lease ran out is received when it runs out", bubble(wakesForLease))
	t.Run("a message that is given back is received at once", bubble(wakesForGivenBack))
	t.Run("a queue of another process is looked at as before", bubble(looksAtOtherQueues))
}

func wakesForMessage(t *testing.T) {
	w := newWorld(t, 5)
	defer w.start(w.sound)()
	time.Sleep(time.Hour)
	asked := time.Now()
	w.mustAsk()
	synctest.Wait()
	if took := time.Since(asked); took != 0 || !w.done() {
		t.Errorf("%s after it was asked for, the deletion reads %+v", took, w.deletion())
	}
}

// leased is a message about the victim whose receiver does nothing with it.
func (w *world) leased(lease time.Duration) driver.Message {
	w.t.Helper()
	w.mustAsk()
	messages, err := w.sound.Messages().Receive(w.t.Context(), 1, lease)
	if err != nil || len(messages) != 1 {
		w.t.Fatal(messages, err)
	}
	return messages[0]
}

func wakesForLease(t *testing.T) {
	w := newWorld(t, 5)
	began := time.Now()
	w.leased(29 * time.Second)
	defer w.start(w.sound)()
	time.Sleep(29*time.Second - 1)
	synctest.Wait()
	if w.deletion().State != domain.DeletionQueued {
		t.Errorf("the deletion reads %+v before the lease ran out", w.deletion())
	}
	time.Sleep(time.Nanosecond)
	synctest.Wait()
	if !w.done() {
		t.Errorf("%s after the message was leased, the deletion reads %+v", time.Since(began), w.deletion())
	}
}

func wakesForGivenBack(t *testing.T) {
	w := newWorld(t, 5)
	m := w.leased(time.Hour)
	defer w.start(w.sound)()
	time.Sleep(time.Minute)
	_, err := w.sound.Messages().Update(t.Context(), m, m.Text, 0)
	w.ok(err)
	given := time.Now()
	synctest.Wait()
	if took := time.Since(given); took != 0 || !w.done() {
		t.Errorf("%s after it was given back, the deletion reads %+v", took, w.deletion())
	}
}

// The store says nothing about its queues, as Azure.
func looksAtOtherQueues(t *testing.T) {
	w := newWorld(t, 5)
	defer w.start(storage.New(drivertest.Far(w.db), storage.Options{}))()
	time.Sleep(time.Hour)
	w.mustAsk()
	synctest.Wait()
	if w.done() {
		t.Error("the worker was told of the message")
	}
	time.Sleep(pollMax * 6 / 5)
	synctest.Wait()
	if !w.done() {
		t.Errorf("the deletion reads %+v after a look", w.deletion())
	}
}
