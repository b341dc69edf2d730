package storage_test

import (
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// messages receives all visible messages of the queue and deletes them, which
// deletes them for good.
func (w *world) messages() []domain.Message {
	w.t.Helper()
	var decoded []domain.Message
	for {
		received, err := w.store.Operator.Messages().Receive(w.t.Context(), 32, time.Minute)
		w.ok(err)
		if len(received) == 0 {
			return decoded
		}
		for _, m := range received {
			message, err := domain.DecodeMessage(m.Text)
			w.ok(err)
			decoded = append(decoded, message)
			w.ok(w.store.Operator.Messages().Delete(w.t.Context(), m))
		}
	}
}

// finish does what the worker does with messages about posts.
func (w *world) finish(messages []domain.Message) {
	w.t.Helper()
	for _, m := range messages {
		w.ok(w.store.Operator.FinishBlog(w.t.Context(), m, func(int) {}))
	}
}

// carryOut does what the worker does with messages about channels.
func (w *world) carryOut(messages []domain.Message) {
	w.t.Helper()
	for _, m := range messages {
		w.ok(w.store.Operator.RecordDeletion(w.t.Context(), m))
		for _, step := range cascade(w.store, m.Ref()) {
			w.ok(step(w.t.Context()))
		}
		w.setDone(m.Ref())
	}
}

// poison moves every visible message to the poison queue.
func (w *world) poison() {
	w.t.Helper()
	received, err := w.store.Operator.Messages().Receive(w.t.Context(), 32, time.Minute)
	w.ok(err)
	for _, m := range received {
		w.ok(w.store.Operator.Poison(w.t.Context(), m))
	}
}

// receive receives one message from the queue.
func (w *world) receive() driver.Message {
	w.t.Helper()
	received, err := w.store.Operator.Messages().Receive(w.t.Context(), 1, time.Minute)
	w.ok(err)
	if len(received) != 1 {
		w.t.Fatal("no message is visible")
	}
	return received[0]
}
