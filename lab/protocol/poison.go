package protocol

import (
	"context"
	"errors"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Work that the store refuses, so that its message is poisoned.

// queuedUndecodable is the set-up news, and a message that no worker can read.
func queuedUndecodable(ctx context.Context, c *lab.Client) {
	news("old")(ctx, c)
	_ = c.Store.Operator.Messages().Send(ctx, "not a message") // a set-up has no faults
}

// poisoned is the set-up accepted, and its message was given up.
func poisoned(texts ...string) body {
	return lab.InTurn(accepted(texts...), func(ctx context.Context, c *lab.Client) {
		messages, err := c.Store.Operator.Messages().Receive(ctx, 1, WorkerOptions().Lease)
		for _, m := range messages {
			err = errors.Join(err, c.Store.Operator.Poison(ctx, m))
		}
		_ = err // a set-up has no faults
	})
}

// requeue is an operator who queues again what waits for one.
func requeue(ctx context.Context, c *lab.Client) {
	_, _ = c.Store.Operator.Requeue(ctx, "") // its outcome is in the store
}

// poisonedInVain is the part of I5 about poison: only what was refused is poisoned.
func poisonedInVain(l Shipped, v lab.View, violation violating) {
	if l.Refuses {
		return
	}
	for row := range v.DB.Rows(schema.TableDeletions) {
		violation.when(row.Properties.String("State") == string(domain.DeletionPoisoned), "I5", "a deletion is recorded as poisoned, and nothing was refused")
	}
}

// lostUndecodable is I5 of messages that no worker can read: each that was ever sent is on the
// queue or recorded as poisoned.
func lostUndecodable(_ context.Context, _ Shipped, _ *crew, v lab.View, violation violating) {
	for _, sent := range v.Sent {
		if sent.Kind != "" {
			continue
		}
		there := func(m driver.Message) bool { return m.Text == sent.Text }
		recorded := func(row driver.Entity) bool {
			return row.Properties.String("State") == string(domain.DeletionPoisoned) && strings.Contains(row.Properties.String("Text0"), sent.Text)
		}
		if !slices.ContainsFunc(v.DB.Messages(domain.QueueName), there) &&
			!slices.ContainsFunc(slices.Collect(v.DB.Rows(schema.TableDeletions)), recorded) {
			violation("I5", "a message that no worker could read is lost: %s", sent.Text)
		}
	}
}

// poisons are about work that the store refuses.
func poisons() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "poison", About: "a deletion is refused, while the workers that poison its message die or get no answer",
				Faults: 2, Preemptions: 1, Intercept: []lab.Intercept{only("w", stateless(refused))}, Invariants: Shipped{Refuses: true},
				Setup:  accepted("old"),
				Actors: []lab.Actor{worker1(), worker2()}},
			{Name: "poison-post", About: "the same, of a post",
				Faults: 2, Preemptions: 1, Intercept: []lab.Intercept{only("w", stateless(refused))}, Invariants: Shipped{Refuses: true},
				Setup:  queuedPost("old"),
				Actors: []lab.Actor{worker1(), worker2()}},
			{Name: "poison-undecodable", About: "the same, of a message that no worker can read",
				Faults: 3, Invariants: Shipped{Refuses: true}, Setup: queuedUndecodable, Actors: []lab.Actor{worker1(), worker2(), worker3()}},
			{Name: "requeue", About: "an operator queues a poisoned deletion again, while a worker and a reconciling pass run, and the queue may lose the message",
				Faults: 1, Forgets: true, Preemptions: 3, Invariants: Shipped{Refuses: true}, Setup: poisoned("old"),
				Actors: []lab.Actor{{Name: "operator", Run: requeue}, worker1(), {Name: "reconcile", Run: reconcile}}},
		},
		ablations: []ablation{
			ablate("wait", "forgotten", "No answer is no refusal", "classify: case unanswered(err):",
				"A store that does not answer is waited for, so a deletion is not given up for it.",
				only("w", stateless(unavailableRefuses))),
			ablate("record", "poison-post", "The record before the end of the message", "(Steps).Poison: s.recordPoisoned(ctx, message)",
				"A deletion is recorded as poisoned before its message is deleted, so an operator finds it and can queue it again.",
				only("w", stateless(unrecorded))),
			ablate("record-undecodable", "poison-undecodable", "The record of an undecodable message", "(Steps).Poison: s.recordUndecodable(ctx, m)",
				"A message that cannot be decoded is recorded with its text before it is deleted, so it is not lost.",
				only("w", stateless(unrecorded))),
			ablate("poison-touch", "requeue", "The write before the poisoned leave the index", "leaveToOperator: driver.Merge(record.Row, driver.Match(record.ETag))",
				"A pass writes the record before it removes the index row of a poisoned deletion, so a concurrent requeue fails and begins again.",
				only("reconcile", skipping(func(c *driver.Call) bool {
					return writes(c, schema.TableDeletions) && c.Operations[0].Action == driver.ActionMerge &&
						!isToIndex(c) && len(c.Operations[0].Properties) == 0
				})), among("operator", "reconcile")),
		},
		always: []func(Shipped, lab.View, violating){poisonedInVain},
		rest:   []demand{lostUndecodable},
	}
}

// errRefused is a refusal: the store answered, and no later attempt can succeed.
var errRefused = errors.New("refused")

// refused refuses to read any row of a channel's partition.
func refused(ctx context.Context, c *driver.Call, next following) error {
	if c.Target == schema.TableBlogs && (c.Method == driver.CallGet || c.Method == driver.CallRange) {
		return errRefused
	}
	return next(ctx)
}

// unavailableRefuses makes a store that does not answer look like a refusal.
func unavailableRefuses(ctx context.Context, _ *driver.Call, next following) error {
	err := next(ctx)
	if errors.Is(err, domain.ErrUnavailable) {
		return errRefused
	}
	return err
}

// unrecorded leaves out the Deletions row.
func unrecorded(ctx context.Context, c *driver.Call, next following) error {
	switch {
	case c.Target != schema.TableDeletions:
		return next(ctx)
	case c.Method == driver.CallGet:
		c.Entity = driver.Entity{Partition: c.Partition, Row: c.Row,
			Properties: driver.Properties{driver.String("State", domain.DeletionDone)}}
	}
	return nil
}
