package worker

import (
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// An Observer is told what a worker does. Metrics are made of it. It is safe for
// concurrent use, never panics and never waits: the work waits for it.
type Observer interface {
	// Deliver is called when the handling of a delivery begins.
	Deliver(delivery driver.Message) Handling
	// Pass is called when a reconciling pass has ended, with what it did and why it failed.
	Pass(done storage.Reconciled, err error)
}

// A Handling is told how the handling of one delivery goes. It is safe for concurrent use.
type Handling interface {
	// Step is called when a step of the cascade has ended, also if it failed. A step that is
	// taken in several deliveries is told in each.
	Step(step domain.Step, took time.Duration)
	// Removed is called after each transaction that removed rows, with their number.
	Removed(rows int)
	// End is called once, when the message was concluded or is left to its lease.
	End(End)
}

// An End is how the handling of a delivery has ended.
type End struct {
	// Outcome is "done", "retry", "permanent", "panic", "shutdown", "wait" or "lease lost".
	Outcome string
	// Kind is what the message asked for. It is empty if the message could not be read.
	Kind domain.MessageKind
	// Cause is why the work failed. It is nil if the work is done.
	Cause error
	// Unconcluded is why the message was not deleted, delayed or given back. It is then
	// handled once more.
	Unconcluded error
	// LeaseLost reports whether the message belongs to another worker: since before the work
	// ended, or before the message was concluded.
	LeaseLost bool
	// Poisoned reports whether the message now waits for an operator.
	Poisoned bool
}

// noObserver is the Observer and the Handling if Options has none.
type noObserver struct{}

func (noObserver) Deliver(driver.Message) Handling { return noObserver{} }

func (noObserver) Pass(storage.Reconciled, error) {}

func (noObserver) Step(domain.Step, time.Duration) {}

func (noObserver) Removed(int) {}

func (noObserver) End(End) {}
