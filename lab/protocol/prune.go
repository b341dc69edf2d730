package protocol

import (
	"context"
	"errors"
	"slices"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// What deletions leave behind, and the pass that removes it.

// prune removes what deletions have left, as a worker does once a day. It takes every record for old.
func prune(ctx context.Context, c *lab.Client) {
	_, _ = c.Store.Operator.Prune(ctx, 0) // its outcome is in the store
}

// prunings remove the records of deletions that have ended.
func prunings() subject {
	upkeep := lab.Actor{Name: "upkeep", Run: prune}
	return subject{
		scenarios: []lab.Scenario{
			{Name: "prune", About: "a copy of the message of a deletion is delivered, and a write of its record takes effect late, while a worker removes records of deletions that have ended",
				Faults: 1, Preemptions: 1, Invariants: Shipped{Prunes: true}, Setup: lab.InTurn(queued("old"), queueCopy),
				DelayedCalls: writesTo(schema.TableDeletions), Actors: []lab.Actor{worker1(), worker2(), upkeep}},
			{Name: "prune-again", About: "a user votes, the name is taken again while a worker handles the deletion of the channel, and another removes what deletions have left",
				Faults: 1, Preemptions: 2, Invariants: Shipped{Prunes: true}, Setup: accepted("old"),
				Actors: []lab.Actor{{Name: "ann", Run: createAndPost(author, "new")}, {Name: "vera", Run: vote("old", visitor)}, worker1(), upkeep}},
			{Name: "prune-poison", About: "an operator queues a poisoned deletion again, while a worker removes records of deletions that have ended, and the queue may lose the message",
				Faults: 1, Forgets: true, Preemptions: 2, Invariants: Shipped{Refuses: true, Prunes: true}, Setup: lab.InTurn(poisoned(accepted("old")), reconcile),
				Actors: []lab.Actor{{Name: "operator", Run: requeue}, worker1(), upkeep}},
		},
		ablations: []ablation{
			ablate("prune-present", "prune-poison", "The look at the channel", "pruneRecords: err != nil || !gone",
				"A record is removed only once its channel is gone, so a deletion that waits for an operator keeps its record, and is on the index again when it is queued.",
				only("upkeep", takenForGone(schema.TableDeletions)), among("operator", "upkeep")),
			ablate("prune-lists", "prune-again", "The look at the channel of an entry", "pruneEntries: !slices.Contains(gone, e.channel)",
				"An entry of a user's list is removed only once its channel is gone, so each post is on the list of its author.",
				only("upkeep", takenForGone(schema.TableUsers)), unharmed, among("ann", "w1", "upkeep")),
			ablate("prune-received", "prune", "The look before a record", "RecordReceived: err != nil || gone",
				"A worker that finds no record reads the channel first, so a message that comes after its record was removed writes nothing.",
				nil, unharmed, among("w1", "upkeep"), under(Shipped{Prunes: true, Workers: takenForThere})),
		},
	}
}

// takenForGone finds no channel that a row of this table leads to, but for the lists of owners.
func takenForGone(table string) func() driver.Around {
	return func() driver.Around {
		scanned := ""
		return func(ctx context.Context, c *driver.Call, next following) error {
			if c.Method == driver.CallGet && c.Target == schema.TableChannels && scanned == table {
				return domain.ErrNotFound
			}
			err := next(ctx)
			if c.Method == driver.CallScan {
				scanned = c.Target
				c.Page.Rows = slices.DeleteFunc(slices.Clone(c.Page.Rows), func(row driver.Entity) bool { return schema.Owned.Has(row.Row) })
			}
			return err
		}
	}
}

// takenForThere finds a channel whose deletion has no record.
func takenForThere() driver.Around {
	unrecorded := ""
	return func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		switch {
		case c.Method != driver.CallGet || !errors.Is(err, domain.ErrNotFound):
		case c.Target == schema.TableDeletions:
			unrecorded = c.Row
			return err
		case c.Target == schema.TableChannels && unrecorded != "":
			c.Entity = driver.Entity{Partition: c.Partition, ETag: "there", Properties: driver.Properties{driver.String("Incarnation", unrecorded)}}
			err = nil
		}
		unrecorded = ""
		return err
	}
}
