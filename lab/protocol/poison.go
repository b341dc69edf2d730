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

// poisoned is a set-up, and the message that it sent was given up.
func poisoned(setup body) body {
	return lab.InTurn(setup, func(ctx context.Context, c *lab.Client) {
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
		violation.when(isPoison(row), "I5", "a message waits for an operator, and nothing was refused")
	}
}

// isPoison reports whether a row of Deletions is of a message that waits for an operator.
func isPoison(row driver.Entity) bool { return row.Partition == "poison!" }

// recordedInVain is the part of I5 about what the record of a deletion says: while it waits for an operator,
// there is a message that the operator can requeue.
func recordedInVain(_ Shipped, v lab.View, violation violating) {
	for record := range v.DB.Rows(schema.TableDeletions) {
		if record.Properties.String("State") != string(domain.DeletionPoisoned) {
			continue
		}
		waits := func(row driver.Entity) bool {
			return isPoison(row) && strings.Contains(row.Properties.String("Text0"), record.Row)
		}
		violation.when(!slices.ContainsFunc(slices.Collect(v.DB.Rows(schema.TableDeletions)), waits),
			"I5", "a deletion is recorded as poisoned, and no message waits for an operator")
	}
}

// lostUndecodable is I5 of messages that no worker can read: each that was ever sent is on the
// queue or waits for an operator.
func lostUndecodable(_ context.Context, _ Shipped, _ *crew, v lab.View, violation violating) {
	for _, sent := range v.Sent {
		if sent.Kind != "" {
			continue
		}
		there := func(m driver.Message) bool { return m.Text == sent.Text }
		waits := func(row driver.Entity) bool {
			return isPoison(row) && strings.Contains(row.Properties.String("Text0"), sent.Text)
		}
		if !slices.ContainsFunc(v.DB.Messages(domain.QueueName), there) &&
			!slices.ContainsFunc(slices.Collect(v.DB.Rows(schema.TableDeletions)), waits) {
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
			{Name: "poison-post", About: "the same, of a post, while an operator queues again what is poisoned",
				Faults: 2, Preemptions: 1, Intercept: []lab.Intercept{only("w", stateless(refused))}, Invariants: Shipped{Refuses: true},
				Setup:  queuedPost("old"),
				Actors: []lab.Actor{worker1(), worker2(), {Name: "operator", Run: requeue}}},
			{Name: "poison-undecodable", About: "the same, of a message that no worker can read",
				Faults: 3, Invariants: Shipped{Refuses: true}, Setup: queuedUndecodable, Actors: []lab.Actor{worker1(), worker2(), worker3()}},
			{Name: "requeue", About: "an operator queues a poisoned deletion again, while a worker and a reconciling pass run, and the queue may lose the message",
				Faults: 1, Forgets: true, Preemptions: 3, Invariants: Shipped{Refuses: true}, Setup: poisoned(accepted("old")),
				Actors: []lab.Actor{{Name: "operator", Run: requeue}, worker1(), {Name: "reconcile", Run: reconcile}}},
			{Name: "requeue-again", About: "two operators queue a poisoned deletion again, while a worker is refused once more",
				Faults: 1, Preemptions: 2, Intercept: []lab.Intercept{only("w", stateless(refused))}, Invariants: Shipped{Refuses: true},
				Setup:  poisoned(accepted("old")),
				Actors: []lab.Actor{{Name: "operator", Run: requeue}, {Name: "operator2", Run: requeue}, worker1()}},
			{Name: "requeue-post", About: "the same, of a post, and writes to Deletions may take effect once more",
				Faults: 2, Preemptions: 2, Intercept: []lab.Intercept{only("w", stateless(refused))}, Invariants: Shipped{Refuses: true},
				Setup: poisoned(queuedPost("old")), DelayedCalls: writesTo(schema.TableDeletions),
				Actors: []lab.Actor{{Name: "operator", Run: requeue}, {Name: "operator2", Run: requeue}, worker1()}},
		},
		ablations: []ablation{
			ablate("wait", "forgotten", "No answer is no refusal", "classify: case unanswered(err):",
				"A store that does not answer is waited for, so a deletion is not given up for it.",
				only("w", stateless(unavailableRefuses))),
			ablate("poison-row", "poison-post", "The row of a poison message", "(Steps).recordText: driver.Replace(schema.PoisonRow(text), driver.Upsert, properties...)",
				"A message that is given up has a row with its text before it leaves the queue, so an operator finds it and can queue it again.",
				only("w", after(func(c *driver.Call) bool { return c.Method == driver.CallDelete }, isToPoison)), unbounded, among("w1", "operator"), reordered),
			ablate("poison-first", "poison", "The row before the record", "(Steps).recordPoisoned: s.RecordPoison(ctx, m)",
				"The row of a message is written before the record says poisoned, so a deletion that is recorded as poisoned can be queued again.",
				only("w", after(isRecordIn(domain.DeletionPoisoned), isToPoison)), among("w1"), reordered),
			ablate("poison-version", "requeue-again", "The version of a poison message", "deletePoison: driver.Match(m.row.ETag)",
				"The row of a message goes only in the version that was read, so it stays if the message that was sent again is stopped again.",
				only("operator", withoutMatch(schema.TableDeletions, "")), unharmed, among("operator", "w1")),
			ablate("poison-last", "requeue-post", "The row last", "(Steps).requeue: s.deletePoison(ctx, m)",
				"The row of a message goes only after another message was sent, so the deletion is not lost if the process of the operator dies in between.",
				only("operator", after(isToPoison, func(c *driver.Call) bool { return c.Method == driver.CallSend })), among("operator"), reordered),
			ablate("requeue-touch", "requeue-again", "The write before the row goes", "recordRequeued: return true",
				"An operator writes the record before the row of a message goes, in any state, so a worker that is about to record the deletion as poisoned begins again.",
				only("operator", skipping(isRecordIn(domain.DeletionRunning))), unharmed),
			ablate("requeue-renewal", "requeue", "The index row of a requeued deletion", "(Steps).updateRecord: s.RenewOpen(ctx, d.Channel, d.Message().Due())",
				"A deletion is on the index again before its record says that it is queued, so a pass finds it if its message is lost.",
				only("operator", skipping(isToIndex)), among("operator", "reconcile")),
			ablate("poison-touch", "requeue", "The write before the poisoned leave the index", "leaveToOperator: driver.Merge(record.Row, driver.Match(record.ETag))",
				"A pass writes the record before it removes the index row of a poisoned deletion, so a concurrent requeue fails and begins again.",
				only("reconcile", skipping(func(c *driver.Call) bool {
					return writes(c, schema.TableDeletions) && c.Operations[0].Action == driver.ActionMerge &&
						!isToIndex(c) && len(c.Operations[0].Properties) == 0
				})), among("operator", "reconcile")),
		},
		always: []func(Shipped, lab.View, violating){poisonedInVain, recordedInVain},
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

// isToPoison reports whether a call writes the row of a message that waits for an operator, or deletes it.
func isToPoison(c *driver.Call) bool {
	return writes(c, schema.TableDeletions) && c.Partition == "poison!"
}

// isRecordIn reports of a call whether it writes the record of a deletion in this state.
func isRecordIn(state domain.DeletionState) func(*driver.Call) bool {
	return func(c *driver.Call) bool {
		return writes(c, schema.TableDeletions) && c.Operations[0].Properties.String("State") == string(state)
	}
}
