package protocol

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/worker"
)

// The fresh workers that carry on when all actors have stopped.

// WorkerOptions are the options of all workers in the lab. Nothing depends on
// time: progress is recorded after the first rows, and then at the end. The first
// attempt that counts makes a message poison, so that the invariants notice each attempt
// that must not count.
func WorkerOptions() worker.Options {
	return worker.Options{
		Lease: 30 * time.Second, Progress: time.Hour, Concurrency: 1, MaxAttempts: 1,
		Log: slog.New(slog.DiscardHandler),
	}
}

// A crew is the fresh workers that run when all actors have stopped.
type crew struct {
	db     *mem.DB
	store  *storage.Parts
	worker *worker.Worker
	deeds  []lab.Deed
}

func newCrew(db mem.Snapshot, around func() driver.Around) *crew {
	c := &crew{db: mem.Open(db, "rest.")}
	options := storage.Options{Pause: lab.NoPause, ActivePartitions: -1}
	if around != nil {
		options.Around = []driver.Around{around()}
	}
	c.store = storage.New(c.db, options)
	c.worker = worker.New(c.store.Steps, WorkerOptions())
	return c
}

// maxTurns is how many turns the crew gets to come to rest. A run of the lab
// leaves a few messages, and each is handled a few times at most.
const maxTurns = 64

// quiesce runs the workers until nothing moves: until no message is left and,
// with reconcile, a reconciling pass changes nothing. It is an error if that takes
// more than maxTurns.
func (c *crew) quiesce(ctx context.Context, reconcile bool) error {
	for range maxTurns {
		if messages := c.db.Snapshot().Messages(domain.QueueName); len(messages) > 0 {
			if err := c.handle(ctx, messages[0].ID); err != nil {
				return err
			}
			continue
		}
		if !reconcile {
			return nil
		}
		before := c.db.Snapshot().Sum()
		_, err := c.store.Operator.Reconcile(ctx, 0, time.Now())
		c.deeds = append(c.deeds, lab.Deed{Err: err})
		if err != nil {
			return fmt.Errorf("reconciling pass: %w", err)
		}
		if c.db.Snapshot().Sum() == before {
			return nil
		}
	}
	return fmt.Errorf("no end after %d messages", maxTurns)
}

// requeue does what an operator does with poison, and lets the workers finish.
func (c *crew) requeue(ctx context.Context) error {
	n, err := c.store.Operator.Requeue(ctx, "")
	if err != nil {
		return fmt.Errorf("requeueing: %w", err)
	}
	if n == 0 {
		return nil
	}
	return c.quiesce(ctx, false)
}

// handle delivers one message to a fresh worker. If the worker fails, the message
// stays on the queue; only a panic is an error.
func (c *crew) handle(ctx context.Context, id string) error {
	delivered, err := c.db.Deliver(domain.QueueName, id)
	if err != nil {
		return fmt.Errorf("delivering a message: %w", err)
	}
	err = c.worker.Handle(ctx, delivered)
	c.deeds = append(c.deeds, lab.Deed{Message: delivered.Text, Err: err})
	if errors.Is(err, worker.ErrPanic) {
		return fmt.Errorf("handling a message: %w", err)
	}
	return nil
}

// check runs the program's own checker. An active row without a gate or other rows is no violation:
// the next creator of the name removes it, or an operator, who repairs the store here.
func (c *crew) check(ctx context.Context) (violations []domain.Violation) {
	found := c.run(ctx, false)
	if slices.ContainsFunc(found, ungated) {
		found = c.run(ctx, true)
	}
	for _, b := range found {
		if !ungated(b) || b.Repaired != "deleted" {
			violations = append(violations, b)
		}
	}
	return violations
}

func ungated(b domain.Violation) bool {
	return b.Invariant == "I9" && b.Detail == "active without a gate"
}

// run runs the checker once.
func (c *crew) run(ctx context.Context, repair bool) (violations []domain.Violation) {
	checker := c.store.Operator.NewChecker(0, repair, func(b domain.Violation) { violations = append(violations, b) })
	if _, err := checker.Run(ctx); err != nil {
		violations = append(violations, violationOf("I5", "checking: %v", err))
	}
	return violations
}

// again is I6: each message that was ever sent is delivered once more, and changes
// nothing. Those that no worker has ever handled are left out.
func (c *crew) again(ctx context.Context, v lab.View, unhandled func(lab.View, lab.SentMessage) bool) []domain.Violation {
	before := v.DB.Sum()
	for _, m := range v.Sent {
		if m.Kind == "" || unhandled(v, m) {
			continue
		}
		if err := driver.NewQueue(c.db, domain.QueueName).Send(ctx, m.Text); err != nil {
			return []domain.Violation{violationOf("I6", "%v", err)}
		}
		if err := c.quiesce(ctx, false); err != nil {
			return []domain.Violation{violationOf("I6", "%v", err)}
		}
		if c.db.Snapshot().Sum() != before {
			return []domain.Violation{violationOf("I6", "handling a message about %s again changed the store", cmp.Or(string(m.Blog), string(m.Incarnation)))}
		}
	}
	return nil
}
