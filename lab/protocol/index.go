package protocol

import (
	"context"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The index of open deletions, and the reconciling pass that reads it.

// reconcile is one reconciling pass that takes every deletion for stalled.
func reconcile(ctx context.Context, c *lab.Client) {
	_, _ = c.Store.Operator.Reconcile(ctx, 0, time.Now()) // its outcome is in the store
}

// reconciliations find what the queue has lost, by the index of open deletions.
func reconciliations() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "forgotten", About: "the queue may lose the message of a deletion",
				Faults: 1, Forgets: true, Setup: news("old"), Actors: []lab.Actor{{Name: "olga", Run: ask}, worker1()}},
			{Name: "index", About: "the web role or a worker dies, and the queue loses the message of a deletion, which the pass must find by the index of open deletions",
				Faults: 2, Forgets: true, Invariants: Shipped{AcceptedOnly: true}, Preemptions: 2, Setup: news("old"),
				Actors: []lab.Actor{{Name: "olga", Run: ask}, worker1()}},
			{Name: "index-pass", About: "the queue may lose the message of a deletion, while a pass removes rows of the index of open deletions",
				Faults: 1, Forgets: true, Preemptions: 3, Setup: news("old"),
				Actors: []lab.Actor{{Name: "olga", Run: ask}, worker1(), {Name: "reconcile", Run: reconcile}}},
			{Name: "index-stalled", About: "a request to delete a channel may stall so long that a pass gives it up, and die, and the queue loses its message",
				Faults: 2, Forgets: true, Preemptions: 2, Invariants: Shipped{AcceptedOnly: true}, Setup: news("old"),
				Actors: []lab.Actor{{Name: "olga", Run: ask}, {Name: "reconcile", Run: reconcile}}},
			{Name: "index-late", About: "a deletion ends while a reconciling pass runs, the name is taken again, and a delayed duplicate of a write to the index arrives",
				Faults: 1, Preemptions: 2, DelayedCalls: isToIndex, Setup: news("old"),
				Actors: []lab.Actor{
					{Name: "olga", Run: ask}, worker1(), {Name: "ann", Run: createAndPost(author, "new")}, {Name: "reconcile", Run: reconcile},
				}},
			{Name: "clocks", About: "the clock of the web role is far ahead, that of a worker is too and then steps back, and the queue may lose the message",
				Faults: 1, Forgets: true, Preemptions: 2, Setup: news("old"),
				Actors: []lab.Actor{
					{Name: "olga", Run: ask, Ahead: farAhead}, {Name: "w1", Run: work, Ahead: 6},
					{Name: "reconcile", Run: reconcile, Ahead: farAhead},
				}},
		},
		ablations: []ablation{
			ablate("reconcile", "forgotten", "The reconciling pass", "(*pass).lookAt: p.requeue(ctx, d.Message())",
				"From time to time a pass looks for deletions that have lost their message, and queues them again.",
				nil, under(Shipped{NoReconcile: true})),
			ablate("index-first", "index-stalled", "The index first", "(Steps).recordIntent: s.RenewOpen(ctx, message.Ref(), message.Due())",
				"A request puts the deletion on the index of open deletions before it marks the channel, so a pass finds it without reading every channel.",
				only("olga", afterMark(isToIndex)), unbounded, reordered),
			ablate("index-version", "undo-record", "The version of an index row", "removeOpen: driver.Match(index.ETag)",
				"A pass removes an index row in the version that it scanned, so it leaves one that was renewed meanwhile.",
				only("reconcile", withoutMatch(schema.TableDeletions, "news!"))),
			ablate("index-touch", "index-pass", "The write before the removal", "(*pass).giveUp: p.fence.SetActive(ctx, row)",
				"A pass writes the channel's row before it removes the index row of a request that it gives up, so the request fails if it goes on.",
				only("reconcile", skipping(writesTo(schema.TableChannels))), unharmed, unbounded, among("olga", "reconcile")),
			ablate("index-undone", "index-stalled", "The undo of what is given up", "SetActive: driver.Int64(schema.PropUndoCount, row.UndoCount+1)",
				"A pass increments the undo count of a channel whose request it gives up, so that request cannot set the channel pending under a record that says undone.",
				only("reconcile", sending(func(c *driver.Call) {
					if writes(c, schema.TableChannels) {
						c.Operations[0].Properties = nil
					}
				}))),
			ablate("index-given-up", "index-stalled", "The record of a channel's request that is given up", "(*pass).giveUp: p.insertDeletion(ctx, request, domain.DeletionUndone)",
				"A pass records that a request is given up before it takes it off the index, so a request that stalls leaves no record that no pass will read.",
				only("reconcile", skipping(isRecordIn(domain.DeletionUndone)))),
			ablate("index-incarnation", "index-late", "The incarnation of an index row", "(*pass).lookAt: p.fence.ReadIncarnation(ctx, ref)",
				"A pass compares the incarnation in an index row with the channel's, so an old row does not touch a new channel.",
				only("reconcile", takenFor(incarnationOfIndex)), interrupted, unharmed),
			ablate("clock-ahead", "clocks", "A time that is yet to come", "Stalled: on.After(latest)",
				"A time in the future, written by a clock that was ahead, does not count as progress, so a deletion with such a record is queued again once its message is lost.",
				nil, under(Shipped{Workers: trustsClocks()}), among("olga", "w1")),
		},
	}
}

// farAhead is more calls than an actor makes: its clock is ahead to the end.
const farAhead = 1000

func isToIndex(c *driver.Call) bool {
	return writes(c, schema.TableDeletions) && strings.HasPrefix(c.Partition, "open!")
}

// trustsClocks reads a record from a clock that was ahead as if it was written just now.
func trustsClocks() func() driver.Around {
	return reading(schema.TableDeletions, func(row *driver.Entity) {
		if now := domain.Now(); row.Properties.Time("UpdatedOn").After(now) {
			set(row, driver.Time("UpdatedOn", now.Add(time.Second)))
		}
	})
}

// incarnationOfIndex is the incarnation whose index row was scanned latest.
func incarnationOfIndex(c *driver.Call, about domain.Incarnation) domain.Incarnation {
	if c.Method == driver.CallScan && c.Target == schema.TableDeletions && len(c.Page.Rows) > 0 {
		_, incarnation, _ := strings.Cut(c.Page.Rows[0].Row, "!")
		return domain.Incarnation(incarnation)
	}
	return about
}
