package protocol

import (
	"context"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The time to undo that a user was told, by processes whose clocks differ.

const (
	// factPromised: until then, the deletion of the channel can be undone.
	factPromised lab.Kind = "told until when the deletion can be undone"
	// promised is how long a deletion can be undone in these scenarios.
	promised = 2 * time.Minute
	// accountPromised is the same for an account. It is longer than clocks differ.
	accountPromised = time.Hour
)

// askPromised asks for the deletion of the channel, and reads until when it can be undone.
func askPromised(ctx context.Context, c *lab.Client) {
	ask(ctx, c)
	//lab: Read which channel is being deleted.
	channel, err := c.Store.Operator.ReadChannel(ctx, channelKey)
	if err != nil {
		return
	}
	//lab: Read until when that can be undone.
	if d, err := c.Store.Deletions.Get(ctx, channel.Ref(), domain.By(owner)); err == nil && d.State == domain.DeletionPending {
		c.Tell(lab.Fact{Kind: factPromised, Channel: channel.Ref(), Until: d.UndoableUntil})
	}
}

// repeatLater asks again, as restore does, for the deletion of a channel that came back pending. The request that
// came back was undone after the backup, and the record is of the next one, which can be undone for longer.
func repeatLater(ctx context.Context, c *lab.Client) {
	for _, f := range c.Given {
		if f.Kind != factAccepted {
			continue
		}
		now := domain.Now() // once: the message's delay is the difference
		later := domain.Deletion{
			Channel: f.Channel, Name: channelName, RequestedBy: owner, RequestedOn: now, State: domain.DeletionPending,
			UndoCount: 1, UndoableUntil: now.Add(promised + time.Minute),
		}
		c.Tell(lab.Fact{Kind: factUndoing, Channel: f.Channel})
		if _, err := c.Store.Operator.RepeatDeletion(ctx, later.Message()); err != nil {
			continue
		}
		//lab: Read whether a worker has passed the pivot before.
		if channel, err := c.Store.Operator.ReadChannel(ctx, channelKey); err == nil && channel.State != domain.ChannelDeleting {
			c.Tell(lab.Fact{Kind: factPromised, Channel: f.Channel, Until: later.UndoableUntil})
		}
	}
}

// channelIsKept: no worker passes the pivot of a channel before the time that its owner was told.
func channelIsKept(v lab.View, k lab.Known, violation violating) {
	row, there := channelRow(v.DB, k.Channel)
	violation.when(v.Now.Before(k.Until) && (!there || row.String("State") == string(domain.ChannelDeleting)),
		"I3", "a worker has passed the pivot before the time until which the deletion could be undone")
}

// accountIsKept is the same of an account.
func accountIsKept(v lab.View, k lab.Known, violation violating) {
	row, err := v.DB.Get(schema.TableUsers, string(k.User), "")
	state := domain.AccountState(row.Properties.String("State"))
	violation.when(v.Now.Before(k.Until) && (err != nil || state == domain.AccountErasing || state == domain.AccountGone),
		"I3", "the account has passed its pivot before the time until which that could be undone")
}

// minutes are moments by the true time. Of the actors, who is ahead says how far, by the moment.
func minutes(ahead map[string][]int, at ...int) (times []lab.Time) {
	for i, minute := range at {
		t := lab.Time{At: time.Duration(minute) * time.Minute, Ahead: map[string]time.Duration{}}
		for actor, by := range ahead {
			t.Ahead[actor] = time.Duration(by[min(i, len(by)-1)]) * time.Minute
		}
		times = append(times, t)
	}
	return times
}

// earlier makes what is due look as if it was due earlier.
func earlier(by time.Duration) func() driver.Around {
	return stateless(func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		for _, name := range []string{"UndoableUntil", "DueOn"} {
			for i, row := range c.Page.Rows {
				set(&c.Page.Rows[i], driver.Time(name, row.Properties.Time(name).Add(-by)))
			}
			if at := c.Entity.Properties.Time(name); !at.IsZero() {
				set(&c.Entity, driver.Time(name, at.Add(-by)))
			}
		}
		return err
	})
}

// promises are kept by processes whose clocks are wrong, and are set.
func promises() subject {
	atOnceVisible := sending(func(c *driver.Call) {
		if c.Method == driver.CallSend {
			c.Lease = 0
		}
	})
	pass := lab.Actor{Name: "reconcile", Run: reconcile}
	return subject{
		scenarios: []lab.Scenario{
			{Name: "undo-clocks", About: "the owner of a channel is told until when its deletion can be undone, by a process whose clock is behind, and a reconciling pass has one that is ahead and is set back",
				Faults: 1, Forgets: true, Preemptions: 2, Undo: promised, Times: minutes(map[string][]int{"setup": {-10}, "w1": {5}, "reconcile": {5, -10}}, 0, 1, 3),
				Setup:  lab.InTurn(news("old"), askPromised),
				Actors: []lab.Actor{{Name: "olga", Run: undo}, worker1(), pass}},
			{Name: "undo-dies", About: "the process that is asked for a deletion which can be undone may die, its clock is ahead, and a worker and a reconciling pass go on",
				Faults: 1, Deaths: 1, Preemptions: 1, Undo: promised, Times: minutes(map[string][]int{"olga": {15}}, 0, 1, 3), Setup: news("old"),
				Actors: []lab.Actor{{Name: "olga", Run: askPromised}, worker1(), pass}},
			{Name: "undo-repeat", About: "a channel came back from a backup with a deletion that was undone since, a restore repeats the next one, which can be undone for longer, and a worker and a reconciling pass go on",
				Faults: 1, Forgets: true, Preemptions: 2, Undo: promised, Times: minutes(nil, 0, 2), Setup: accepted("old"),
				Actors: []lab.Actor{{Name: "operator", Run: repeatLater}, worker1(), pass}},
			{Name: "erasure-clocks", About: "a user is told until when the deletion of their account can be undone, and a reconciling pass has a clock that is ahead by as much as may be, and is set back",
				Faults: 1, Preemptions: 2, Undo: accountPromised, Times: minutes(map[string][]int{"reconcile": {15, 15, 0}}, 0, 59, 61, 76),
				Setup:  withAccount(),
				Actors: []lab.Actor{{Name: "home", Run: erase}, {Name: "vera", Run: keep}, worker1(), pass}},
			{Name: "erasure-behind", About: "a user is told the same by a process whose clock is behind by as much as may be",
				Faults: 1, Preemptions: 2, Undo: accountPromised, Times: minutes(map[string][]int{"home": {-15}}, 0, 59, 61, 76),
				Setup:  withAccount(),
				Actors: []lab.Actor{{Name: "home", Run: erase}, worker1(), pass}},
		},
		ablations: []ablation{
			ablate("undo-delay", "undo-dies", "The delay of the message", "(Steps).Enqueue: m.Delay()",
				"The queue keeps the message invisible for as long as the deletion can be undone, so no worker's clock decides.",
				only("olga", atOnceVisible), unharmed, among("olga", "w1")),
			ablate("undo-delay-again", "undo-clocks", "The delay of another message", "(Steps).RequeueDeletion: delay = d.Message().Delay()",
				"A pass that queues a deletion again before any worker has received it delays the message as well, so its own clock does not decide.",
				only("reconcile", atOnceVisible), unharmed),
			ablate("undo-repeat-count", "undo-repeat", "The undo before a deletion is repeated", "undoBefore: s.fence.SetActive(ctx, row)",
				"A restore first gives a channel as many undos as the record counts, so the message of a request that was undone does not delete it before the time that the record says.",
				only("operator", reading(schema.TableChannels, func(row *driver.Entity) { set(row, driver.Int64("UndoCount", 1)) })), unharmed),
			ablate("erasure-margin", "erasure-clocks", "The margin for clocks", "Stalled: d.Message().Due().Before(since)",
				"The deletion of an account is due later than the user was told, by as much as clocks differ, so a pass whose clock is ahead does not end the time early.",
				only("reconcile", earlier(domain.ClockMargin)), unharmed),
			ablate("erasure-due", "erasure-clocks", "The time at which it is due", "Stalled: d.Message().Due().Before(since)",
				"A pass sends the message of an account once the deletion is due, so no worker has one while that can be undone.",
				only("reconcile", earlier(accountPromised+domain.ClockMargin)), unharmed),
			ablate("erasure-given-up", "erasure-clocks", "The record of a request that is given up", "(*pass).giveUpAccount: p.insertDeletion(ctx, of.Message(), domain.DeletionUndone)",
				"A pass records that a request is given up before it takes it off the index, so a request that stalls leaves no record that says it goes on.",
				only("reconcile", skipping(func(c *driver.Call) bool {
					return len(c.Operations) > 0 && c.Operations[0].Properties.String("State") == string(domain.DeletionUndone)
				})), unharmed),
		},
		told: map[lab.Kind]invariant{factPromised: channelIsKept},
	}
}
