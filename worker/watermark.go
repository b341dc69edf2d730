package worker

import (
	"sync"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A watermark is a time before which every queued message has been received at least
// once, by this worker or another, as far as this worker has seen. It rests on the
// queue being a queue: nearly in order. If a message is much later than those that
// were sent after it, the reconciling pass may send a copy, which does no harm. A
// watermark is safe for concurrent use.
type watermark struct {
	mu sync.Mutex
	at time.Time
}

// note takes in what a fetch received that began at the given time. If it is nothing,
// the queue held no visible message: all have been received. A first delivery tells
// that those queued before it have been received.
func (w *watermark) note(asked time.Time, received []driver.Message) {
	asked = domain.Storable(asked) // without the monotonic reading: stored times have none
	if len(received) == 0 {
		w.raise(asked, asked)
		return
	}
	for _, m := range received {
		message, err := domain.DecodeMessage(m.Text)
		if err != nil || m.Deliveries != 1 {
			continue
		}
		if message.QueuedOn.After(asked) { // the sender's clock is ahead of ours
			message.QueuedOn = asked
		}
		w.raise(message.QueuedOn, asked)
	}
}

func (w *watermark) raise(to, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if to.After(w.at) || w.at.After(now) { // the clock was set back since
		w.at = to
	}
}

// time returns the watermark. It is zero at first.
func (w *watermark) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}
