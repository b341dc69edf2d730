package lab

import (
	"slices"
	"strings"

	"microblogging/storage/driver"
)

// An Ablation takes one guard out of the shipped code, by changing what an actor's
// code sends or is answered. The explorer must notice: a guard whose removal breaks
// no law is either needless or not tested.
type Ablation struct {
	// Guard says what was taken out, in one clause.
	Guard string
	// Of is the name of the scenario that it takes the guard from.
	Of string
	// Scenario is where its absence shows; its name is the ablation's.
	Scenario
}

// Ablations are the guards of the protocol, one at a time. One of them is a premise and
// no guard of ours: that an ETag never repeats.
func Ablations() []Ablation {
	return []Ablation{
		unharmed(ablate("open-gate", "a post merges the open gate", "post",
			always(func() Interceptor { return withoutGuard("gate!open!") }))),
		interrupted(ablate("shut-gate", "a sweep merges the shut gate", "again",
			always(func() Interceptor { return withoutGuard("gate!shut!") }))),
		interrupted(ablate("incarnation", "a worker compares the incarnation of the channel with the message's", "again",
			only("w", anyIncarnation))),
		interrupted(ablate("if-match", "a write to the channel's row holds only for the version that was read", "again",
			always(func() Interceptor { return withoutMatch(tableChannels, "") }))),
		unharmed(ablate("repeat-incarnation", "what a record says is asked for again only of the incarnation that it names", "repeat",
			only("operator", firstIncarnation))),
		heedless(ablate("expected", "what a reader sends is for the incarnation that they read", "stale-form", nil)),
		unharmed(ablate("once", "a post inserts the once! row of its idempotency key", "one-key",
			always(func() Interceptor { return withoutOnce }))),
		unharmed(ablate("batch-gate", "what is left of a batch merges the open gate again", "batch-sweep",
			only("ann", afterRefusal(withoutGuard("gate!open!"))))),
		unharmed(ablate("batch-once", "what is left of a batch inserts its once! rows again", "batch",
			only("ann", afterRefusal(withoutOnce)))),
		unharmed(among(ablate("vote-counted", "a vote that stood already is not counted again", "vote",
			only("ann", func() Interceptor { return countsStanding })), "ann")),
		stalling(ablate("reservation", "an open gate takes the place of its reservation, in the version that was read", "stalled",
			always(outright("gate!reserved!")))),
		repeating(ablate("etag", "an ETag never repeats: here the reservation that a late copy inserts has the ETag of the first", "stalled",
			always(func() Interceptor { return withoutMatch(tableBlogs, "gate!reserved!") }))),
		ablate("late-row", "a creator who gives up removes the gate in the version that was read before the row", "create-late",
			always(func() Interceptor { return withoutMatch(tableBlogs, "gate!open!") })),
		among(ablate("join", "a sub! row takes the place of a join! row, in the version that was read", "subscribe-twice",
			always(outright("join!"))), "vera", "feed"),
		trusting(ablate("joined", "a feed reads the sub! row of each channel that it shows", "subscribe-late", nil)),
		ablate("look", "a creator reads the row, whatever its insert returned", "creators",
			always(believer)),
		unharmed(among(ablate("made", "what a key made is recorded before the creator is answered", "create-once",
			always(func() Interceptor { return withoutMade })), "olga", "w1")),
		unharmed(among(ablate("own-key", "a channel's row carries the hash of the key that made it", "create-once",
			always(func() Interceptor { return withoutProperty(tableChannels, "Once") })), "olga", "olga2")),
		ablate("ended", "signing out marks the row of a session, and does not delete it", "sign-out",
			always(func() Interceptor { return withoutMark(false) })),
		ablate("used", "following a sign-in link marks its row, and does not delete it", "link-late",
			always(func() Interceptor { return withoutMark(true) })),
		unharmed(ablate("link-version", "a sign-in link is marked in the version that was read", "link",
			always(func() Interceptor { return withoutMatch(tableSessions, "") }))),
		among(ablate("used-by", "the row of a used sign-in link says who used it", "link",
			always(func() Interceptor { return withoutProperty(tableSessions, "UsedBy") })), "vera"),
		unharmed(ablate("link-epoch", "a sign-in link ends with the sessions of its user", "link-ended",
			always(func() Interceptor { return withoutLinkEpoch }))),
		ablate("address", "a digest address is changed in the version of the account that was read", "digest-address",
			always(func() Interceptor { return withoutMatch(tableUsers, "") })),
		unharmed(ablate("fresh-read", "the shut gate goes only after a fresh read of an empty partition", "votes-sweep",
			only("w", oneRead))),
		among(unreconciled(ablate("queue-first", "a message is queued before the channel is marked (without the reconciling pass)", "web-dies",
			only("olga", markFirst))), "olga", "w1"),
		among(ablate("listed", "a deletion is on its user's list before its message is sent", "web-dies",
			only("olga", listLast)), "olga", "w1"),
		among(ablate("index-first", "a deletion is on the index before its channel is marked", "index",
			only("olga", indexLast)), "olga"),
		among(ablate("index-version", "a pass removes an index row in the version that it scanned", "index-pass",
			only("reconcile", func() Interceptor { return withoutMatch(tableDeletions, "") })), "olga", "reconcile"),
		among(ablate("index-touch", "a pass writes the channel's row before it removes its index row", "index-pass",
			only("reconcile", func() Interceptor { return untouched })), "olga", "reconcile"),
		interrupted(unharmed(ablate("index-incarnation", "a pass compares the incarnation of the channel with that of the index row", "index-late",
			only("reconcile", sameIncarnation)))),
		ablate("wait", "a store that does not answer is no refusal", "forgotten",
			only("w", unavailableRefuses)),
		ablate("mark", "a message is marked as poisoned before its copy is sent", "poison-post",
			only("w", both(refused, unmarked))),
		ablate("record", "a deletion is recorded as poisoned before its message is marked", "poison-post",
			only("w", both(refused, unrecorded))),
		ablate("record-unread", "a message that cannot be read is recorded before its copy is sent", "poison-unread",
			only("w", unrecorded)),
		unharmed(ablate("page-version", "a page that is kept is shown only if the channel has its version (without it, a cache trusts time)", "page-deletion",
			only("reader", trustsTime))),
		unharmed(among(hasty(ablate("version-first", "the version of a page is read before its content", "page-post", nil)), "reader", "ann")),
		merging("edit-gate", "an edit merges the open gate", "page-edit", "ann"),
		merging("vote-gate", "a vote merges the open gate", "page-edit", "vera"),
		merging("removal-gate", "the deletion of a post merges the open gate", "page-post", "olga"),
		merging("worker-gate", "a worker that deletes a post merges the open gate", "page-worker", "w1"),
		merging("leaving-gate", "the end of a subscription merges the open gate", "page-subscribers", "vera"),
		unharmed(among(ablate("feed-channel", "a feed reads the row of each channel that it shows", "feed-deletion",
			only("reader", unmarkedChannels)), "reader", "olga")),
		unreconciled(ablate("reconcile", "the reconciling pass finds a deletion whose message the queue lost", "forgotten", nil)),
	}
}

// ablate is a scenario of the shipped code without a guard.
func ablate(name, guard, scenario string, intercept func(actor string) Interceptor) Ablation {
	list := Scenarios()
	s := list[slices.IndexFunc(list, func(s Scenario) bool { return s.Name == scenario })]
	s.Name, s.Intercept = name, intercept
	s.Slow = false
	return Ablation{guard, scenario, s}
}

// unharmed allows no faults: the order of calls is enough.
func unharmed(a Ablation) Ablation {
	a.Faults = 0
	return a
}

// interrupted bounds preemptions: a few are enough, and found sooner.
func interrupted(a Ablation) Ablation {
	a.Preemptions = 4
	return a
}

// stalling allows one preemption, because the other actors end while one stalls,
// and one fault, which is that the insert of one row is late.
func stalling(a Ablation) Ablation {
	a.Faults, a.Preemptions = 1, 1
	a.Straggles = func(c *Call) bool { return len(c.Operations) == 1 && c.Operations[0].Action == driver.ActionInsert }
	return a
}

// repeating is stalling with two late requests: the insert of a reservation, and the
// swap that depends on its ETag.
func repeating(a Ablation) Ablation {
	a.Faults, a.Preemptions = 2, 1
	a.Straggles = func(c *Call) bool {
		return len(c.Operations) > 0 && strings.HasPrefix(c.Operations[0].Row, "gate!reserved!")
	}
	return a
}

// trusting reads feeds that believe the user's row alone.
func trusting(a Ablation) Ablation {
	a.Laws = Shipped{TrustJoined: true}
	return unharmed(among(a, "vera", "vera2"))
}

// heedless lets readers send to whatever has the name by then.
func heedless(a Ablation) Ablation {
	a.Actors = staleForm(whateverIsThere).Actors
	return unharmed(a)
}

// among keeps only these actors.
func among(a Ablation, actors ...string) Ablation {
	a.Actors = slices.DeleteFunc(a.Actors, func(actor Actor) bool { return !slices.Contains(actors, actor.Name) })
	return a
}

// unreconciled leaves the reconciling pass out.
func unreconciled(a Ablation) Ablation {
	a.Laws = Shipped{NoReconcile: true}
	return a
}

// merging takes the merge of the open gate out of what one actor sends. A reader is there
// whose process keeps a page.
func merging(name, guard, scenario, actor string) Ablation {
	return unharmed(among(ablate(name, guard, scenario,
		only(actor, func() Interceptor { return withoutGuard("gate!open!") })), "reader", actor))
}

// hasty reads the content of pages before their version.
func hasty(a Ablation) Ablation {
	for i, actor := range a.Actors {
		if actor.Name == "reader" {
			a.Actors[i].Run = look(2, contentFirst)
		}
	}
	return a
}
