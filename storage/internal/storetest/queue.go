package storetest

import (
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Messages receives all visible messages of the queue, deletes them, and returns them.
func (w *World) Messages() []domain.Message {
	w.T.Helper()
	var decoded []domain.Message
	for {
		received, err := w.Store.Operator.Messages().Receive(w.T.Context(), 32, time.Minute)
		w.OK(err)
		if len(received) == 0 {
			return decoded
		}
		for _, m := range received {
			message, err := domain.DecodeMessage(m.Text)
			w.OK(err)
			decoded = append(decoded, message)
			w.OK(w.Store.Operator.Messages().Delete(w.T.Context(), m))
		}
	}
}

// Finish does what the worker does with messages about posts.
func (w *World) Finish(messages []domain.Message) {
	w.T.Helper()
	for _, m := range messages {
		w.OK(w.Store.Operator.FinishBlog(w.T.Context(), m, func(int) {}))
	}
}

// CarryOut does what the worker does with messages about channels.
func (w *World) CarryOut(messages []domain.Message) {
	w.T.Helper()
	for _, m := range messages {
		over, err := w.Store.Operator.RecordReceived(w.T.Context(), m)
		if w.OK(err); over {
			continue
		}
		there, err := w.Store.Operator.PassPivot(w.T.Context(), m)
		if w.OK(err); there {
			w.take(Cascade(w.Store, m.Ref())[1:])
		}
		w.OK(w.Store.Operator.UpdateRecord(w.T.Context(), m, done))
	}
}

// Poison leaves every visible message to an operator.
func (w *World) Poison() {
	w.T.Helper()
	received, err := w.Store.Operator.Messages().Receive(w.T.Context(), 32, time.Minute)
	w.OK(err)
	for _, m := range received {
		w.OK(w.Store.Operator.Poison(w.T.Context(), m))
	}
}

// Receive receives one message from the queue.
func (w *World) Receive() driver.Message {
	w.T.Helper()
	received, err := w.Store.Operator.Messages().Receive(w.T.Context(), 1, time.Minute)
	w.OK(err)
	if len(received) != 1 {
		w.T.Fatal("no message is visible")
	}
	return received[0]
}
