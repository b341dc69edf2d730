package protocol

import (
	"context"
	"errors"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/worker"
)

// The deletion of a channel, and the workers that carry it out.

const (
	// factAccepted: no reader sees the channel any more, and its deletion will end.
	factAccepted lab.Kind = "deletion accepted"
	// factAsking: the actor asks for the deletion of a channel.
	factAsking lab.Kind = "(asking)"
	// factHandling: the actor handles a message about the incarnation.
	factHandling lab.Kind = "(handling)"
	// factHandled: the actor has handled a message about the post, which is gone unless a user
	// edited it.
	factHandled lab.Kind = "(handled)"
)

// queued is the set-up news, and the message of a web role that died right after it
// queued the deletion.
func queued(texts ...string) body { return lab.InTurn(news(texts...), queueDeletion) }

func queueDeletion(ctx context.Context, c *lab.Client) {
	onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		send(ctx, c, channel, domain.Message{Kind: domain.MessageChannel})
	})(ctx, c)
}

// queuedPost is the set-up news, and the message of a web role that died right after
// it queued the deletion of the newest post.
func queuedPost(texts ...string) body {
	return lab.InTurn(news(texts...), onNewest(func(ctx context.Context, c *lab.Client, channel domain.Channel, post domain.Blog) {
		send(ctx, c, channel, domain.Message{Kind: domain.MessageBlog, Blog: post.ID, Revision: post.Revision})
	}))
}

// send sends a message of the owner about a channel. It is for set-ups, which have no faults.
func send(ctx context.Context, c *lab.Client, channel domain.Channel, m domain.Message) {
	m.Channel, m.Incarnation, m.Name, m.RequestedBy, m.RequestedOn = channel.Key(), channel.Incarnation, channel.Name, owner, lab.Instant()
	if m.Kind == domain.MessageChannel {
		_ = c.Store.Operator.ListDeletion(ctx, m) // which comes first
	}
	_ = c.Store.Operator.Messages().Send(ctx, m.Encode())
}

// queueCopy sends every message on the queue once more.
func queueCopy(ctx context.Context, c *lab.Client) {
	messages, err := c.Store.Operator.Messages().Receive(ctx, 1, WorkerOptions().Lease)
	for _, m := range messages {
		err = errors.Join(err, c.Store.Operator.Messages().Send(ctx, m.Text))
	}
	_ = err
}

// accepted is the set-up news, and the accepted deletion of the channel.
func accepted(texts ...string) body { return lab.InTurn(news(texts...), ask) }

// ask asks for the deletion of the channel, whichever incarnation it has.
func ask(ctx context.Context, c *lab.Client) {
	c.Tell(lab.Fact{Kind: factAsking, Channel: domain.ChannelRef{Key: channelKey}})
	channel, err := c.Store.Deletions.Request(ctx, channelKey, domain.By(owner), domain.Any[domain.Incarnation]())
	acknowledged(c, err, lab.Fact{Kind: factAccepted, Channel: channel.Ref(), Key: numbered(channel)})
}

// repeat asks for the deletion of the channel again, as restore does with what a later
// record says. The record is of the channel that the actor reads first.
func repeat() body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		c.Tell(lab.Fact{Kind: factAsking, Channel: channel.Ref()})
		found, err := c.Store.Operator.RepeatDeletion(ctx, domain.Deletion{
			Channel: channel.Ref(), Name: channelName, RequestedBy: owner, RequestedOn: lab.Instant(),
		}.Message())
		if found && err == nil {
			c.Tell(lab.Fact{Kind: factAccepted, Channel: channel.Ref()})
		}
	})
}

// work handles the message that the scheduler delivers.
func work(ctx context.Context, c *lab.Client) {
	//lab: Take a message from the queue, if there is one.
	messages, err := c.Store.Operator.Messages().Receive(ctx, 1, WorkerOptions().Lease)
	if err != nil {
		return
	}
	for _, m := range messages {
		asked, undecodable := domain.DecodeMessage(m.Text)
		if undecodable == nil && asked.Kind != domain.MessageAccount {
			c.Tell(lab.Fact{Kind: factHandling, Channel: asked.Ref()})
		}
		err := worker.New(c.Store.Steps, WorkerOptions()).Handle(ctx, m) // its outcome is in the store
		if errors.Is(err, worker.ErrPanic) {
			panic(err) // the search reports it; otherwise it would look like a worker that goes on later
		}
		if err == nil && undecodable == nil && asked.Kind == domain.MessageBlog {
			c.Tell(lab.Fact{Kind: factHandled, Channel: asked.Ref(), Blog: asked.Blog})
		}
	}
}

func worker1() lab.Actor { return lab.Actor{Name: "w1", Run: work} }

func worker2() lab.Actor { return lab.Actor{Name: "w2", Run: work, After: "w1"} }

func worker3() lab.Actor { return lab.Actor{Name: "w3", Run: work, After: "w2"} }

// Step is I2: a worker that handles a message about one incarnation touches no row
// of another.
func (Shipped) Step(told []lab.Fact, call *lab.Call, changes []mem.Change) (violations []domain.Violation) {
	var of domain.Incarnation
	for _, fact := range told {
		if fact.Kind == factHandling {
			of = fact.Channel.Incarnation
		}
	}
	if of == "" {
		return nil
	}
	for _, change := range changes {
		touched := change.Before
		if touched.ETag == "" {
			touched = change.After
		}
		if other := incarnationOf(call.Target, touched); other != "" && other != string(of) {
			violation := violationOf("I2", "belongs to %s, and a worker that handles a message about %s touches it", other, string(of))
			violation.Table, violation.PartitionKey, violation.RowKey = call.Target, touched.Partition, touched.Row
			violations = append(violations, violation)
		}
	}
	return violations
}

// incarnationOf is the incarnation that a row belongs to, or empty if the row
// outlives incarnations.
func incarnationOf(table string, row driver.Entity) string {
	switch table {
	case schema.TableChannels, schema.TableBlogs:
		return row.Properties.String("Incarnation")
	case schema.TableSubscriptions:
		_, incarnation, _ := strings.Cut(row.Row, "!")
		return incarnation
	default:
		return ""
	}
}

// channelIsHidden: a row without gates is no violation: an insert of the creation was still under
// way when the channel was seen and deleted. Its creator deletes the row, or else the
// reconciling pass.
func channelIsHidden(v lab.View, k lab.Known, violation violating) {
	undoing := v.Count(factUndoing, func(u lab.Known) bool { return u.Channel == k.Channel }) > 0
	if row, _ := channelRow(v.DB, k.Channel); live(v.DB, k.Channel) && (!undoing || row.Int64("UndoCount") <= number(k.Key)) {
		violation("I4", "a channel can be read, and its deletion was accepted (%s)", string(k.Channel.Incarnation))
	}
}

// askedChannel reports whether a message asks for the deletion of this incarnation.
func askedChannel(v lab.View, ref domain.ChannelRef) bool {
	return slices.ContainsFunc(v.Sent, func(m lab.SentMessage) bool {
		return m.Kind == domain.MessageChannel && m.Incarnation == ref.Incarnation
	})
}

// askedBlog reports whether a message asks for the deletion of this post.
func askedBlog(v lab.View, id domain.BlogID) bool {
	return slices.ContainsFunc(v.Sent, func(m lab.SentMessage) bool {
		return m.Kind == domain.MessageBlog && m.Blog == id
	})
}

// asked reports whether the deletion of this incarnation was asked for, by a message
// or by an actor that sets the channel pending.
func asked(v lab.View, ref domain.ChannelRef) bool {
	if askedChannel(v, ref) {
		return true
	}
	row, ok := channelRow(v.DB, ref)
	return ok && row.String("State") != string(domain.ChannelActive) &&
		v.Count(factAsking, func(k lab.Known) bool { return k.Channel.Key == ref.Key }) > 0
}

// unfinished is I5 of each message that was ever sent: the deletion that it asks
// for is done.
func unfinished(_ context.Context, l Shipped, _ *crew, v lab.View, violation violating) {
	for _, m := range v.Sent {
		if m.Kind == domain.MessageBlog {
			row, there := blogRow(v.DB, m.Ref(), m.Blog)
			violation.when(there && !l.neverAccepted(v, m) && row.String("Revision") == string(m.Revision), "I5", "a post is still there, and its deletion was queued")
		}
		if m.Kind != domain.MessageChannel {
			continue
		}
		record, err := v.DB.Get(schema.TableDeletions, string(m.Channel), string(m.Incarnation))
		if row, _ := channelRow(v.DB, m.Ref()); l.neverAccepted(v, m) || row.Int64("UndoCount") > m.UndoCount {
			continue // or it was undone
		}
		if _, there := channelRow(v.DB, m.Ref()); there {
			violation("I5", "a channel is still there, and its deletion was asked for (%s)", string(m.Incarnation))
		}
		pruned := err != nil && l.Prunes
		if state := record.Properties.String("State"); !pruned && state != string(domain.DeletionDone) {
			violation("I5", "the deletion of %s is recorded as %q", string(m.Incarnation), state)
		}
	}
}

// neverAccepted reports whether a message was lost together with its request, if that may be: the
// deletion of a channel was neither accepted nor recorded, or that of a post was not acknowledged.
func (l Shipped) neverAccepted(v lab.View, m lab.SentMessage) bool {
	if m.Kind == domain.MessageBlog {
		return l.AcceptedOnly && v.Count(factRemoved, func(k lab.Known) bool { return k.Blog == m.Blog }) == 0
	}
	if !l.AcceptedOnly || m.Kind != domain.MessageChannel || v.Count(factAccepted, func(k lab.Known) bool { return k.Channel == m.Ref() && number(k.Key) >= m.UndoCount }) > 0 {
		return false
	}
	record, err := v.DB.Get(schema.TableDeletions, string(m.Channel), string(m.Incarnation))
	return err != nil || record.Properties.Int64("UndoCount") < m.UndoCount // it is of an earlier request
}

// deletions are carried out, and names are taken again.
func deletions() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "workers-die", About: "three workers handle one deletion, and two of them may die at any step",
				Faults: 2, Deaths: 2, Preemptions: 2, Setup: accepted("old"), Actors: []lab.Actor{worker1(), worker2(), worker3()}},
			{Name: "sweeps", About: "two workers sweep one channel in several transactions, which may be lost or delayed",
				Faults: 2, SweepRows: 2, Preemptions: 1, Setup: accepted("old"), Actors: []lab.Actor{worker1(), worker2()},
				DelayedCalls: func(c *driver.Call) bool {
					return c.Target == schema.TableBlogs && len(c.Operations) > 1 && strings.HasPrefix(c.Operations[0].Row, "gate!shut!")
				}},
			{Name: "web-dies", About: "the web role dies during a request to delete, while a reconciling pass runs",
				Faults: 2, Deaths: 2, Setup: news("old"),
				Actors: []lab.Actor{{Name: "olga", Run: ask}, worker1(), {Name: "reconcile", Run: reconcile}}},
			{Name: "again", About: "the name is taken again while two workers handle its deletion, one of them late",
				Preemptions: 4, Setup: accepted("old"), Actors: []lab.Actor{{Name: "ann", Run: createAndPost(author, "new")}, worker1(), worker2()}},
			{Name: "again-faults", About: "the name is taken again while two workers handle its deletion, with a fault",
				Faults: 1, Preemptions: 2, Setup: accepted("old"),
				Actors: []lab.Actor{{Name: "ann", Run: createAndPost(author, "new")}, worker1(), worker2()}},
			{Name: "redelivered", About: "a copy of the message is delivered after everything is done and the name is taken again",
				Faults: 1, Preemptions: 1, Setup: lab.InTurn(accepted("old"), queueCopy),
				Actors: []lab.Actor{{Name: "ann", Run: createAndPost(author, "new")}, worker1(), worker2()}},
			{Name: "repeat", About: "a restore repeats a recorded deletion, while the owner deletes the channel and takes the name again",
				Faults: 1, Preemptions: 1, Setup: news("old"),
				Actors: []lab.Actor{{Name: "operator", Run: repeat()}, {Name: "olga", Run: lab.InTurn(ask, createAndPost(owner, "new"))}, worker1()}},
		},
		ablations: []ablation{
			ablate("shut-gate", "again", "The shut gate", "transactIfShut: driver.Merge(schema.ShutGateRow(ref.Incarnation), driver.Exists)",
				"Each transaction that removes rows merges the shut gate, so a worker that comes too late removes nothing.",
				only("w1", leavingOut(driver.ActionMerge, "gate!shut!")), unbounded),
			ablate("incarnation", "again", "The incarnation", "ReadIncarnation: row.Incarnation != ref.Incarnation",
				"A worker compares the incarnation in its message with the channel's, so an old message does not touch a new channel.",
				only("w", takenFor(incarnationOfMessage)), interrupted),
			ablate("swept-incarnation", "again", "The incarnation of what is swept", "unlistSwept: row.Properties.String(schema.PropIncarnation) != string(ref.Incarnation)",
				"A sweep takes a post off its author's list only if the post is of the incarnation that is swept, so a late worker leaves the lists of a new channel's authors alone.",
				only("w", sweptForItsOwn), interrupted),
			ablate("if-match", "again", "The version of the row", "ReleaseName: driver.Match(row.ETag)",
				"A write to the channel's row holds only for the version that was read, so it fails if the row has changed in between.",
				always(withoutMatch(schema.TableChannels, "")), interrupted),
			ablate("repeat-incarnation", "repeat", "The record's incarnation", "undoBefore: s.fence.ReadIncarnation(ctx, ref)",
				"A restore repeats a deletion only of the incarnation that its record names, so it does not touch a channel that has the name by then.",
				only("operator", takenFor(firstIncarnation)), unharmed),
			ablate("fresh-read", "votes-sweep", "The last look", "(*cascade).sweep: found == 0",
				"The shut gate goes only after a fresh read of an empty partition, so no row is left behind.",
				only("w", oneRead), unharmed, unbounded),
			ablate("queue-first", "web-dies", "The message first", "(Steps).recordIntent: s.Enqueue(ctx, message)",
				"The message is on the queue before the channel is pending, so no channel is pending without a message (and the reconciling pass is off).",
				only("olga", afterMark(func(c *driver.Call) bool {
					return c.Method == driver.CallSend || writes(c, schema.TableDeletions)
				})),
				among("olga", "w1"), under(Shipped{NoReconcile: true}), reordered),
			ablate("listed", "web-dies", "The list first", "acceptDeletion: s.ListDeletion(ctx, message)",
				"A deletion is on its user's list before its message is sent, so the user who asked finds it again.",
				only("olga", afterMark(func(c *driver.Call) bool {
					return writes(c, schema.TableUsers) && strings.HasPrefix(c.Operations[0].Row, "requested!")
				})), among("olga", "w1"), reordered),
		},
		told:     map[lab.Kind]invariant{factAccepted: channelIsHidden},
		recalled: []lab.Kind{factAccepted, factHandled},
		rest:     []demand{unfinished},
	}
}

// incarnationOfMessage is the incarnation that the latest message is about.
func incarnationOfMessage(c *driver.Call, about domain.Incarnation) domain.Incarnation {
	if c.Method == driver.CallReceive {
		if m, err := domain.DecodeMessage(c.Messages[0].Text); err == nil {
			return m.Incarnation
		}
	}
	return about
}

// sweptForItsOwn takes all rows that a worker lists for those of the channel that it deletes.
func sweptForItsOwn() driver.Around {
	var about domain.Incarnation
	return func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		if err == nil {
			about = incarnationOfMessage(c, about)
		}
		if c.Method == driver.CallRange && c.Target == schema.TableBlogs {
			c.Page.Rows = slices.Clone(c.Page.Rows)
			for i := range c.Page.Rows {
				set(&c.Page.Rows[i], driver.String("Incarnation", about))
			}
		}
		return err
	}
}

// firstIncarnation is the incarnation of the channel that was read first.
func firstIncarnation(c *driver.Call, first domain.Incarnation) domain.Incarnation {
	if first == "" && c.Method == driver.CallGet && c.Target == schema.TableChannels {
		return domain.Incarnation(c.Entity.Properties.String("Incarnation"))
	}
	return first
}

// oneRead makes every read of the partition after the first look empty.
func oneRead() driver.Around {
	reads := 0
	return skipping(func(c *driver.Call) bool {
		if c.Method == driver.CallRange && c.Target == schema.TableBlogs {
			reads++
			return reads > 1
		}
		return false
	})()
}
