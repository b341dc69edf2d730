package worker

import (
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage"
	"microblogging/storage/drivertest"
)

func TestWake(t *testing.T) {
	t.Run("a deletion begins when it is asked for, not at the next look", bubble(wakesForMessage))
	t.Run("a message that is given back is received immediately", bubble(wakesForGivenBack))
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

func wakesForGivenBack(t *testing.T) {
	w := newWorld(t, 5)
	w.mustAsk()
	m := w.receive()
	defer w.start(w.sound)()
	time.Sleep(time.Second)
	_, err := w.sound.Operator.Messages().Update(t.Context(), m, m.Text, 0)
	w.ok(err)
	synctest.Wait()
	if !w.done() {
		t.Errorf("as soon as it was given back, the deletion reads %+v", w.deletion())
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
