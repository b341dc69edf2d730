package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/atrest"
	"microblogging/storage/driver"
)

// Rest is all invariants at quiescence. Fresh workers run until nothing moves.
// Then the program's own checker, the plain reading of package atrest and what
// only the lab knows (the messages, and what clients were told) must agree that
// nothing is wrong.
func (l Shipped) Rest(v View) Outcome {
	ctx := context.Background()
	c := newCrew(v.DB)
	kept := outdated(ctx, c.store, v)
	err := c.quiesce(ctx, !l.NoReconcile)
	if err == nil {
		err = c.requeue(ctx)
	}
	outcome := Outcome{DB: c.db.Snapshot(), Deeds: c.deeds, Unfinished: err != nil}
	if err != nil {
		outcome.Breaches = []domain.Breach{breachOf("I5", "%v", err)}
		return outcome
	}
	outcome.Breaches = l.settled(ctx, c, v)
	if kept == nil {
		kept = outdated(ctx, c.store, v)
	}
	outcome.Breaches = append(outcome.Breaches, kept...)
	return outcome
}

// settled is what is wrong once the crew has come to rest.
func (l Shipped) settled(ctx context.Context, c *crew, v View) []domain.Breach {
	breaches := append(c.check(ctx), c.strangers(ctx, l.TrustJoined)...)
	if err := c.readFeeds(ctx); err != nil {
		breaches = append(breaches, breachOf("I8", "%v", err))
	}
	plain, err := atrest.Breaches(ctx, c.db)
	if err != nil {
		return []domain.Breach{breachOf("I5", "%v", err)}
	}
	breaches = append(breaches, plain...)
	v.DB = c.db.Snapshot()
	breaches = append(breaches, l.unfinished(v)...)
	breaches = append(breaches, lostUnread(v)...)
	breaches = append(breaches, unlisted(v)...)
	breaches = append(breaches, twiceMade(v)...)
	breaches = append(breaches, uncounted(v)...)
	breaches = append(breaches, l.State(v)...)
	if breaches != nil {
		return breaches
	}
	return c.again(ctx, v, l.neverAccepted)
}

// unfinished is I5 of each message that was ever sent: the deletion that it asks
// for is done.
func (l Shipped) unfinished(v View) (breaches []domain.Breach) {
	for _, m := range v.Sent {
		if m.Kind == domain.MessageBlog {
			row, there := blogRow(v.DB, m.Ref(), m.Blog)
			if there && row.String("Revision") == string(m.Revision) {
				breaches = append(breaches, breachOf("I5", "a post is still there, and its deletion was queued"))
			}
		}
		if m.Kind != domain.MessageChannel {
			continue
		}
		record, err := v.DB.Get(tableDeletions, string(m.Channel), string(m.Incarnation))
		if l.neverAccepted(v, m) {
			continue
		}
		if _, there := channelRow(v.DB, m.Ref()); there {
			breaches = append(breaches, breachOf("I5", "a channel is still there, and its deletion was asked for (%s)", string(m.Incarnation)))
		}
		if state := record.Properties.String("State"); err != nil || state != string(domain.DeletionDone) {
			breaches = append(breaches, breachOf("I5", "the deletion of %s is recorded as %q", string(m.Incarnation), state))
		}
	}
	return breaches
}

// neverAccepted tells that a message was lost together with its request, if that may be: the
// deletion of a channel was neither accepted nor recorded.
func (l Shipped) neverAccepted(v View, m SentMessage) bool {
	if !l.AcceptedOnly || m.Kind != domain.MessageChannel || v.has(Accepted, func(f Fact) bool { return f.Channel == m.Ref() }) {
		return false
	}
	_, err := v.DB.Get(tableDeletions, string(m.Channel), string(m.Incarnation))
	return err != nil
}

// lostUnread is I5 of messages that nobody can read: each that was ever sent is on a queue
// or recorded as poisoned.
func lostUnread(v View) (breaches []domain.Breach) {
	for _, sent := range v.Sent {
		if sent.Kind != "" {
			continue
		}
		there := func(m driver.Message) bool { return m.Text == sent.Text }
		recorded := func(row driver.Entity) bool {
			return row.Properties.String("State") == string(domain.DeletionPoisoned) && strings.Contains(row.Properties.String("Text0"), sent.Text)
		}
		if !slices.ContainsFunc(v.DB.Messages(domain.QueueName), there) &&
			!slices.ContainsFunc(v.DB.Messages(domain.PoisonQueueName), there) &&
			!slices.ContainsFunc(slices.Collect(v.DB.Rows(tableDeletions)), recorded) {
			breaches = append(breaches, breachOf("I5", "a message that nobody could read is lost: %s", sent.Text))
		}
	}
	return breaches
}

// unlisted is I8 of deletions: whoever asked for the deletion of a channel has it on their
// list.
func unlisted(v View) (breaches []domain.Breach) {
	listed := map[string]bool{}
	for row := range v.DB.Rows(tableUsers) {
		if parts := strings.Split(row.Row, "!"); parts[0] == "asked" {
			listed[row.Partition+"!"+parts[len(parts)-1]] = true
		}
	}
	for row := range v.DB.Rows(tableDeletions) {
		by := row.Properties.String("RequestedBy")
		if !v.has(Asking, func(f Fact) bool { return string(f.Channel.Key) == row.Partition }) {
			continue // its message was there from the start
		}
		if _, _, post := strings.Cut(row.Row, "!"); !post && !listed[by+"!"+row.Row] {
			breaches = append(breaches, breachOf("I8", "the deletion of %s is not on the list of %s", row.Row, by))
		}
	}
	return breaches
}

// twiceMade is I7. In the lab, requests with the same key have the same text,
// and no others do.
func twiceMade(v View) (breaches []domain.Breach) {
	made := map[string]string{}
	v.each(func(_, _ int, f Fact) {
		request, answer, what := string(f.Channel.Incarnation)+"!"+string(f.User)+"!"+f.Key, string(f.Blog), "posts"
		switch {
		case f.Kind == Created && f.Key != "":
			request, answer, what = string(f.User)+"!"+f.Key, string(f.Channel.Incarnation), "channels"
		case f.Kind != Posted:
			return
		}
		if first, ok := made[request]; ok && first != answer {
			breaches = append(breaches, breachOf("I7", "one idempotency key was answered with two %s", what))
		}
		made[request] = answer
	})
	texts := map[string]bool{}
	for row := range v.DB.Rows(tableBlogs) {
		if !strings.HasPrefix(row.Row, "blog!") {
			continue
		}
		key := row.Partition + "!" + row.Properties.String("UserId") + "!" + row.Properties.String("Text")
		if texts[key] {
			breaches = append(breaches, breachOf("I7", "one idempotency key made two posts"))
		}
		texts[key] = true
	}
	return breaches
}

// uncounted is I8 of subscriptions, once each feed was read: a user who has a
// subscription counts as a subscriber of the channel.
func uncounted(v View) (breaches []domain.Breach) {
	for row := range v.DB.Rows(tableSubscriptions) {
		key, incarnation, _ := strings.Cut(row.Row, "!")
		ref := domain.ChannelRef{Key: domain.ChannelKey(key), Incarnation: domain.Incarnation(incarnation)}
		if _, live := channelRow(v.DB, ref); !live || row.Properties.String("State") != "joined" {
			continue // nobody sees it
		}
		if !hasRow(v.DB, tableBlogs, ref, "sub!"+row.Partition) {
			breaches = append(breaches, breachOf("I8", "%s has a subscription and does not count as a subscriber", row.Partition))
		}
	}
	return breaches
}

// breachOf is a breach that no single row shows.
func breachOf(invariant, format string, args ...any) domain.Breach {
	return domain.Breach{Invariant: invariant, Detail: fmt.Sprintf(format, args...)}
}
