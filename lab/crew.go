package lab

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/worker"
)

// WorkerOptions are those of all workers in the lab. Nothing happens by time:
// progress is recorded after the first rows, and then at the end.
func WorkerOptions() worker.Options {
	return worker.Options{
		Lease: 30 * time.Second, Progress: time.Hour, Concurrency: 1, MaxAttempts: 5,
		Log: slog.New(slog.DiscardHandler),
	}
}

// A crew is the workers that carry on when everybody else has stopped.
type crew struct {
	db     *mem.DB
	store  *storage.Store
	worker *worker.Worker
}

func newCrew(db mem.Snapshot) *crew {
	c := &crew{db: mem.Open(db, "rest.")}
	c.store = storage.NewWithPause(c.db, c.db, noPause)
	c.worker = worker.New(c.store, WorkerOptions())
	return c
}

// patience is how many messages the crew handles before it gives up hope of an
// end. A run of the lab leaves a few, and each is handled a few times at most.
const patience = 64

// settle handles messages and sweeps until nothing moves.
func (c *crew) settle(ctx context.Context, sweep bool) error {
	for range patience {
		if messages := c.db.Snapshot().Messages(domain.QueueName); len(messages) > 0 {
			if err := c.handle(ctx, messages[0].ID); err != nil {
				return err
			}
			continue
		}
		if !sweep {
			return nil
		}
		before := c.db.Snapshot().Sum()
		if _, err := c.store.Reconcile(ctx, 0); err != nil {
			return fmt.Errorf("reconciling pass: %w", err)
		}
		if c.db.Snapshot().Sum() == before {
			return nil
		}
	}
	return fmt.Errorf("no end after %d messages", patience)
}

// handle delivers one message to a fresh worker. One that fails is seen by the
// others again: only a panic is an error.
func (c *crew) handle(ctx context.Context, id string) error {
	var delivered driver.Message
	err := c.db.Change(func(s mem.Snapshot) (next mem.Snapshot, err error) {
		next, delivered, err = s.Deliver(domain.QueueName, id, time.Time{})
		return next, err
	})
	if err != nil {
		return fmt.Errorf("delivering a message: %w", err)
	}
	if err := c.worker.Handle(ctx, delivered); err != nil && strings.HasPrefix(err.Error(), "panic") {
		return fmt.Errorf("handling a message: %w", err)
	}
	return nil
}

// Rest is all invariants at rest, as the program's own checker sees them and in
// plain words.
func (l Shipped) Rest(v View) []domain.Breach {
	ctx := context.Background()
	c := newCrew(v.DB)
	if err := c.settle(ctx, !l.SweepOff); err != nil {
		return []domain.Breach{{Invariant: "I5", Detail: err.Error()}}
	}
	var breaches []domain.Breach
	checker := c.store.NewChecker(0, false, func(b domain.Breach) {
		breaches = append(breaches, domain.Breach{Invariant: b.Invariant, Detail: fmt.Sprintf("%s: %s", placeOf(b), b.Detail)})
	})
	if _, err := checker.Run(ctx); err != nil {
		breaches = append(breaches, domain.Breach{Invariant: "I5", Detail: fmt.Sprintf("checking: %v", err)})
	}
	if err := c.readFeeds(ctx); err != nil {
		breaches = append(breaches, domain.Breach{Invariant: "I8", Detail: err.Error()})
	}
	v.DB = c.db.Snapshot()
	breaches = append(breaches, atRest(v)...)
	breaches = append(breaches, l.State(v)...)
	if breaches != nil {
		return breaches
	}
	return c.again(ctx, v)
}

// readFeeds reads what everybody subscribes to, which removes what was left half
// done.
func (c *crew) readFeeds(ctx context.Context) error {
	for row := range c.db.Snapshot().Rows(tableSubscriptions) {
		if _, err := c.store.Subscriptions(ctx, domain.UserName(row.Partition)); err != nil {
			return fmt.Errorf("reading the feed of %s: %w", row.Partition, err)
		}
	}
	return nil
}

// again is I6: each message that ever was is delivered once more, and nothing
// changes.
func (c *crew) again(ctx context.Context, v View) []domain.Breach {
	before := v.DB.Sum()
	for _, m := range v.Sent {
		if m.Kind == "" {
			continue
		}
		if err := c.db.Send(ctx, domain.QueueName, m.Text); err != nil {
			return []domain.Breach{{Invariant: "I6", Detail: err.Error()}}
		}
		if err := c.settle(ctx, false); err != nil {
			return []domain.Breach{{Invariant: "I6", Detail: err.Error()}}
		}
		if c.db.Snapshot().Sum() != before {
			return []domain.Breach{{Invariant: "I6", Detail: "handling a message again changed the store: " + m.Text}}
		}
	}
	return nil
}
