package protocol

import (
	"context"
	"maps"

	"microblogging/lab"
)

// subjects names all of them. Each has a file of its own, which says all about it.
func subjects() []subject {
	return []subject{
		posts(), replies(), authors(), postingRule(), votes(), subscriptions(), feeds(), pages(), latest(), creations(), forms(), deletions(), reconciliations(),
		undos(), promises(), poisons(), prunings(), repairs(), accounts(), erasures(), digests(), passwords(), invitations(), crowds(),
	}
}

// A subject is what can go wrong with one thing, and what must hold of it.
type subject struct {
	// scenarios are the situations in which the production code must break no invariant, and ablations
	// take a safeguard out of one of them.
	scenarios []lab.Scenario
	ablations []ablation
	// told has what must hold in every later state of a client who was told this.
	told map[lab.Kind]invariant
	// recalled are the facts that a page shows from then on.
	recalled []lab.Kind
	// always is what must hold in every state besides.
	always []func(l Shipped, v lab.View, violation violating)
	// before is what must hold when all actors have stopped, read when fresh workers have come to
	// rest and before the store is judged, and rest of that store.
	before, read, rest []demand
}

// An invariant notes what is wrong if an actor was told this.
type invariant func(v lab.View, k lab.Known, violation violating)

// looked is an invariant of what a page has shown, against what was acknowledged before its reader
// asked for it.
func looked(holds func(v lab.View, shown lab.Known, before []lab.Known, violation violating)) invariant {
	return func(v lab.View, k lab.Known, violation violating) {
		if before, ok := v.LookedAt(k); ok {
			holds(v, k, before, violation)
		}
	}
}

// shows is the part of I3 and I4 about a list of posts, of which what is the name. of says whether the
// list shows a channel or a post that was acknowledged before its reader asked, and whether the post
// should be on it.
func shows(v lab.View, before []lab.Known, violation violating, what string, of func(k lab.Known) (channel, post, due bool)) {
	for _, k := range before {
		channel, post, due := of(k)
		violation.when(k.Kind == factAccepted && channel, "I4", what+" shows a channel, and its deletion was accepted before")
		violation.when(k.Kind == factRemoved && post, "I3", what+" shows a post, and its deletion was acknowledged before")
		violation.when(k.Kind == factPosted && due && !post && !askedBlog(v, k.Blog) && !asked(v, k.Channel),
			"I3", what+" does not show a post that was acknowledged before, and no user asked for its deletion")
	}
}

// A demand says what is wrong once all actors have stopped.
type demand func(ctx context.Context, l Shipped, c *crew, v lab.View, violation violating)

// Scenarios are the situations in which the production code must break no invariant.
func Scenarios() []lab.Scenario {
	all := subject{told: map[lab.Kind]invariant{}}
	for _, s := range subjects() {
		all.scenarios = append(all.scenarios, s.scenarios...)
		all.recalled = append(all.recalled, s.recalled...)
		all.always = append(all.always, s.always...)
		all.before, all.read, all.rest = append(all.before, s.before...), append(all.read, s.read...), append(all.rest, s.rest...)
		maps.Copy(all.told, s.told)
	}
	for i, s := range all.scenarios {
		all.scenarios[i].Invariants = invariantsOf(s).about(&all)
	}
	return all.scenarios
}

// Ablations are the safeguards of the protocol, each removed from one scenario. The one of etag also shows
// what would happen if an ETag repeated.
func Ablations() (list []lab.Scenario) {
	scenarios := Scenarios()
	for _, s := range subjects() {
		for _, a := range s.ablations {
			list = append(list, a.of(scenarios))
		}
	}
	return list
}
