package protocol

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The owner who changes their mind.

const (
	// factUndone: the request to delete with the number Key was undone.
	factUndone lab.Kind = "deletion undone"
	// factUndoing: the actor undoes the deletion of the channel.
	factUndoing lab.Kind = "(undoing)"
	// factClosed: an operator has deleted the channel, in the request with the number Key.
	factClosed lab.Kind = "closed by an operator"
)

// numbered is the number of the latest request to delete a channel that is being deleted, or of
// the next one. It is empty for the first.
func numbered(channel domain.Channel) string {
	if channel.UndoCount == 0 {
		return ""
	}
	return strconv.FormatInt(channel.UndoCount, 10)
}

func number(key string) int64 {
	n, _ := strconv.ParseInt(key, 10, 64) // none is 0
	return n
}

// undo undoes the deletion of the channel that the set-up made.
func undo(ctx context.Context, c *lab.Client) {
	for _, f := range c.Given {
		if f.Kind == factCreated && f.Channel.Key == channelKey {
			takeBack(ctx, c, f.Channel)
		}
	}
}

// takeBack undoes the request to delete an incarnation of which it is answered the number.
func takeBack(ctx context.Context, c *lab.Client, of domain.ChannelRef) {
	c.Tell(lab.Fact{Kind: factUndoing, Channel: of})
	if channel, err := c.Store.Deletions.Undo(ctx, of, domain.By(owner)); err == nil {
		channel.UndoCount--
		c.Tell(lab.Fact{Kind: factUndone, Channel: of, Key: numbered(channel)})
	}
}

// undoAll undoes all requests to delete the channel that the set-up made, whatever number it is answered.
func undoAll(ctx context.Context, c *lab.Client) {
	for _, f := range c.Given {
		if f.Kind == factCreated && f.Channel.Key == channelKey {
			c.Tell(lab.Fact{Kind: factUndoing, Channel: f.Channel})
			_, err := c.Store.Deletions.Undo(ctx, f.Channel, domain.By(owner))
			acknowledged(c, err, lab.Fact{Kind: factUndone, Channel: f.Channel, Key: strconv.Itoa(math.MaxInt32)})
		}
	}
}

// siteOperator acts for the site.
func siteOperator() domain.Actor { return domain.Actor{User: "otto", Operator: true} }

// closeChannel asks for the deletion of the channel as an operator. Only the record says who has asked.
func closeChannel(ctx context.Context, c *lab.Client) {
	c.Tell(lab.Fact{Kind: factAsking, Channel: domain.ChannelRef{Key: channelKey}})
	channel, err := c.Store.Deletions.Request(ctx, channelKey, siteOperator(), domain.Any[domain.Incarnation]())
	acknowledged(c, err, lab.Fact{Kind: factAccepted, Channel: channel.Ref(), Key: numbered(channel)})
	if err != nil {
		return
	}
	//lab: Read who has asked for the deletion.
	d, err := c.Store.Deletions.Get(ctx, channel.Ref(), siteOperator())
	if err == nil && d.ByOperator != "" && !d.Over() {
		c.Tell(lab.Fact{Kind: factClosed, Channel: channel.Ref()})
	}
}

// closedStays: none but an operator undoes what an operator has deleted, and none does here.
func closedStays(v lab.View, k lab.Known, violation violating) {
	violation.when(live(v.DB, k.Channel), "I4", "a channel can be read that an operator has deleted, and no operator has undone that")
}

// repent deletes the channel, and undoes that.
func repent(ctx context.Context, c *lab.Client, channel domain.Channel) {
	ask(ctx, c)
	takeBack(ctx, c, channel.Ref())
}

// createAndRepent creates the channel, deletes it, and undoes that.
func createAndRepent(ctx context.Context, c *lab.Client) {
	if channel, ok := makeChannel(ctx, c, channelName, owner, ""); ok {
		repent(ctx, c, channel)
	}
}

// doomed reports whether the deletion of this incarnation was asked for, and not undone since.
func doomed(v lab.View, ref domain.ChannelRef) bool {
	latest := int64(0)
	for _, m := range v.Sent {
		if m.Incarnation == ref.Incarnation && m.Kind == domain.MessageChannel {
			latest = max(latest, m.UndoCount)
		}
	}
	return asked(v, ref) &&
		v.Count(factUndone, func(k lab.Known) bool { return k.Channel == ref && number(k.Key) >= latest }) == 0
}

// undoHolds: no request to delete that was undone, nor an earlier one, is carried out.
func undoHolds(v lab.View, k lab.Known, violation violating) {
	if !doomed(v, k.Channel) && !live(v.DB, k.Channel) {
		violation("I3", "the deletion of %s was undone, and the channel cannot be read", string(k.Channel.Incarnation))
	}
}

// atOnce is a time to undo in a scenario in which no time passes. So only the row's version decides.
const atOnce = time.Nanosecond

// undos are deletions of which an owner thinks better.
func undos() subject {
	olga := lab.Actor{Name: "olga", Run: lab.InTurn(undo, ask)}
	return subject{
		scenarios: []lab.Scenario{
			{Name: "undo", About: "a deletion is undone while two workers handle its message",
				Faults: 1, Preemptions: 2, Undo: atOnce, Setup: accepted("old"),
				Actors: []lab.Actor{{Name: "olga", Run: undo}, worker1(), worker2()}},
			{Name: "undo-again", About: "a channel is deleted, undone and deleted again, and undone on another device, while two workers handle the messages",
				Faults: 1, Deaths: 1, Preemptions: 2, Undo: atOnce, Setup: accepted("old"),
				Actors: []lab.Actor{olga, {Name: "olga2", Run: undo}, worker1(), worker2()}},
			{Name: "undo-failed", About: "a channel whose deletion was undone is deleted by a request that may fail half way, and that is undone too, while a worker handles the messages",
				Faults: 1, Preemptions: 2, Undo: atOnce, Setup: lab.InTurn(news("old"), onChannel(repent)),
				Actors: []lab.Actor{{Name: "olga", Run: lab.InTurn(ask, undoAll)}, worker1()}},
			{Name: "undo-ghost", About: "a deletion is undone after a worker has ended it, and the insert of the channel's row takes effect once more",
				Faults: 1, Preemptions: 2, Undo: atOnce, DelayedCalls: writesTo(schema.TableChannels),
				Actors: []lab.Actor{{Name: "olga", Run: createAndRepent}, worker1()}},
			{Name: "undo-returned", About: "a channel is deleted, undone and deleted again, two workers handle the messages, and the insert of its row takes effect once more",
				Faults: 1, Preemptions: 2, Undo: atOnce, DelayedCalls: writesTo(schema.TableChannels),
				Actors: []lab.Actor{{Name: "olga", Run: lab.InTurn(createAndRepent, ask)}, worker1(), worker2()}},
			{Name: "undo-index", About: "a poisoned deletion is undone and asked for again on another device while a pass runs, and the queue may lose a message",
				Faults: 1, Forgets: true, Preemptions: 3, Undo: atOnce, Invariants: Shipped{Refuses: true}, Setup: poisoned(accepted("old")),
				Actors: []lab.Actor{{Name: "olga", Run: undo}, {Name: "olga2", Run: ask}, {Name: "reconcile", Run: reconcile}}},
			{Name: "undo-record", About: "a channel whose deletion was undone is deleted by a request that may die, while a pass runs, and the queue loses its message",
				Faults: 2, Forgets: true, Preemptions: 2, Undo: atOnce, Invariants: Shipped{AcceptedOnly: true}, Setup: lab.InTurn(news("old"), onChannel(repent)),
				Actors: []lab.Actor{{Name: "olga", Run: ask}, {Name: "reconcile", Run: reconcile}}},
			{Name: "undo-late", About: "requests of a deletion, of its undo and of the next deletion take effect long after their senders have gone on",
				Faults: 2, Preemptions: 2, Undo: atOnce, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{{Name: "olga", Run: lab.InTurn(ask, undo, ask)}, worker1()}},
			{Name: "undo-use", About: "a deletion is undone while a user posts, votes and subscribes, and a worker handles its message",
				Faults: 1, Preemptions: 2, Undo: atOnce, Setup: accepted("old"),
				Actors: []lab.Actor{
					{Name: "olga", Run: undo}, {Name: "ann", Run: post(author, "new")},
					{Name: "vera", Run: lab.InTurn(vote("old", visitor), subscribe(visitor))}, worker1(),
				}},
			{Name: "undo-pass", About: "a deletion is undone and asked for again while a reconciling pass runs, and the queue may lose a message",
				Faults: 1, Forgets: true, Preemptions: 2, Undo: atOnce, Setup: accepted("old"),
				Actors: []lab.Actor{olga, worker1(), {Name: "reconcile", Run: reconcile}}},
			{Name: "undo-poison", About: "a poisoned deletion is undone and asked for again, while an operator queues it again",
				Faults: 1, Preemptions: 2, Undo: atOnce, Invariants: Shipped{Refuses: true}, Setup: poisoned(accepted("old")),
				Actors: []lab.Actor{olga, {Name: "operator", Run: requeue}, worker1()}},
			{Name: "undo-operator", About: "an owner undoes a deletion on two devices, while an operator deletes the channel",
				Faults: 1, Preemptions: 3, Undo: atOnce, Setup: accepted("old"),
				Actors: []lab.Actor{{Name: "olga", Run: undo}, {Name: "olga2", Run: undo}, {Name: "otto", Run: closeChannel}}},
			{Name: "undo-repair", About: "a deletion is undone and asked for again while an operator repairs the store",
				Faults: 1, Deaths: 1, Preemptions: 2, Undo: atOnce, Setup: accepted("old"), Actors: []lab.Actor{olga, worker1(), operator()}},
		},
		ablations: []ablation{
			ablate("pivot", "undo", "The pivot", "PassPivot: s.fence.SetDeleting(ctx, row)",
				"A worker takes the channel past the point of no return before it touches the gate, so an undo that comes later is refused.",
				only("w", skipping(func(c *driver.Call) bool {
					return writes(c, schema.TableChannels) && c.Operations[0].Action == driver.ActionMerge
				})), unharmed, unbounded),
			ablate("undo-version", "undo", "The version of the undo", "(*Fence).swap: driver.Match(row.ETag)",
				"An undo holds only for the version of the row that was read, so it fails if a worker was faster.",
				only("olga", withoutMatch(schema.TableChannels, "")), unharmed),
			ablate("pivot-version", "undo", "The version of the pivot", "(*Fence).swap: driver.Match(row.ETag)",
				"A worker passes the pivot only in the version of the row that was read, so it fails if the deletion was undone.",
				only("w", withoutMatch(schema.TableChannels, "")), unharmed),
			ablate("undo-number", "undo", "The undo count in the message", "(Steps).transition: row.UndoCount == m.UndoCount",
				"A worker compares the undo count in its message with the channel's, so it ignores the message of a request that was undone.",
				only("w", withoutProperty(schema.TableChannels, "UndoCount")), unharmed),
			ablate("undo-active", "undo-failed", "The undo of an active channel", "(*Deletions).Undo: s.fence.SetActive(ctx, row)",
				"An undo increments the count of a channel that is active too, so the message of a request that failed half way asks for nothing.",
				only("olga", whereActive)),
			ablate("undo-gate", "undo-ghost", "The gate of the undo", "(*Deletions).Undo: open, err := s.fence.GateIsOpen(ctx, ref)",
				"An undo looks for the gate, so a row that a delayed insert has brought back after the deletion is not taken for the channel.",
				only("olga", takenForOpen)),
			ablate("undo-returned-row", "undo-returned", "The count that has fallen", "(Steps).transition: row.UndoCount < m.UndoCount",
				"A worker deletes a row without a gate whose undo count is lower than that in the message, so a delayed insert is not taken for an undo.",
				only("w", takenForUndone), copied),
			ablate("undo-renewal", "undo-index", "The index row of the next request", "(Steps).RecordDeletion: s.RenewOpen(ctx, m.Ref(), m.Due())",
				"A request renews the index row before it replaces an earlier record, so a pass that read that record does not take it off the index.",
				only("olga2", unrenewed)),
			ablate("undo-record-touch", "undo-record", "The write of an undone record", "(*pass).lookAt: case undone:",
				"A pass writes the undone record before it removes the index row, so a request that is about to replace the record begins again.",
				only("reconcile", skipping(func(c *driver.Call) bool {
					return writes(c, schema.TableDeletions) && !isToIndex(c) && c.Operations[0].Action == driver.ActionMerge && len(c.Operations[0].Properties) == 0
				})), among("olga", "reconcile")),
			ablate("undo-by-operator", "undo-operator", "Who has asked", "(*Deletions).undoable: !d.UndoableBy(by)",
				"The record names the operator who has asked for a deletion, so its owner cannot undo it.",
				only("olga", withoutProperty(schema.TableDeletions, "ByOperator")), unharmed),
			ablate("undo-by-operator-since", "undo-operator", "The record of the row that is undone", "(*Deletions).Undo: d, err = s.undoable(ctx, ref, by)",
				"An undo reads the record after the row, and again after each conflict, so it sees who has asked for the deletion that it undoes.",
				only("olga", firstRecord), unharmed),
			ablate("undo-identity", "undo-again", "The undo count of the next request", "MessageFor: UndoCount: channel.UndoCount",
				"A request to delete carries the undo count that it read, so one that follows an undo is not taken for the one that was undone.",
				only("olga", sending(func(c *driver.Call) {
					if m, err := domain.DecodeMessage(c.Message.Text); c.Method == driver.CallSend && err == nil {
						m.UndoCount = 0
						c.Message.Text = m.Encode()
					}
				})), unharmed, among("olga", "w1"), under(Shipped{NoReconcile: true})),
		},
		told: map[lab.Kind]invariant{factUndone: undoHolds, factClosed: closedStays},
	}
}

// whereActive makes an undo leave a channel that it has read as active.
func whereActive() driver.Around {
	active := false
	return func(ctx context.Context, c *driver.Call, next following) error {
		if writes(c, schema.TableChannels) && active && c.Operations[0].Properties.Int64("UndoCount") > 0 {
			return nil
		}
		err := next(ctx)
		if c.Method == driver.CallGet && c.Target == schema.TableChannels {
			active = err == nil && c.Entity.Properties.String("State") == string(domain.ChannelActive)
		}
		return err
	}
}

// firstRecord reads each record as by the user who had asked when it was read first.
func firstRecord() driver.Around {
	read, first := false, ""
	return reading(schema.TableDeletions, func(row *driver.Entity) {
		if !read {
			read, first = true, row.Properties.String("ByOperator")
		}
		set(row, driver.String("ByOperator", first))
	})()
}

// takenForUndone reads a channel's row with a lower undo count than before as one that was undone.
func takenForUndone() driver.Around {
	most := int64(0)
	return func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		if err == nil && c.Method == driver.CallGet && c.Target == schema.TableChannels {
			if count := c.Entity.Properties.Int64("UndoCount"); count < most {
				set(&c.Entity, driver.Int64("UndoCount", most+1))
			} else {
				most = count
			}
		}
		return err
	}
}

// unrenewed leaves the index row out that follows the reading of a record.
func unrenewed() driver.Around {
	read := false
	return func(ctx context.Context, c *driver.Call, next following) error {
		if read && isToIndex(c) {
			return nil
		}
		read = c.Method == driver.CallGet && c.Target == schema.TableDeletions
		return next(ctx)
	}
}

// takenForOpen reads each open gate that is not there as one that is.
func takenForOpen() driver.Around {
	return func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		if c.Method == driver.CallGet && strings.HasPrefix(c.Row, "gate!open!") {
			c.Entity, err = driver.Entity{Partition: c.Partition, Row: c.Row, ETag: "open"}, nil
		}
		return err
	}
}
