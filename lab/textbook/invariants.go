package textbook

import (
	"context"
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
)

// invariants are what a user of the textbook version expects.
type invariants []invariant

// An invariant is one expectation. Each anomaly breaks the invariant of its name.
type invariant struct {
	lab.Invariant
	// always says what is wrong in a state, and rest what is once fresh workers have handled the
	// messages on the queue. Either is empty if all is well, and may be nil.
	always, rest func(lab.View) string
	// ends reports whether a message that is handled without end breaks it. Then no other is judged.
	ends bool
}

// List implements lab.Invariants.
func (l invariants) List() []lab.Invariant {
	list := make([]lab.Invariant, len(l))
	for i, invariant := range l {
		list[i] = invariant.Invariant
	}
	return list
}

// Recalls implements lab.Invariants: no process keeps pages here.
func (invariants) Recalls(lab.Kind) bool { return false }

// Step finds nothing: the invariants are about states.
func (invariants) Step([]lab.Fact, *lab.Call, []mem.Change) []domain.Violation { return nil }

// State implements lab.Invariants.
func (l invariants) State(v lab.View) (violations []domain.Violation) {
	for _, invariant := range l {
		violations = append(violations, invariant.broken(invariant.always, v)...)
	}
	return violations
}

func (l invariant) broken(wrong func(lab.View) string, v lab.View) []domain.Violation {
	if wrong == nil || wrong(v) == "" {
		return nil
	}
	return []domain.Violation{{Invariant: l.Name, Detail: wrong(v)}}
}

// Rest lets fresh workers handle the messages on the queue.
func (l invariants) Rest(v lab.View) lab.Outcome {
	left := mem.Open(v.DB, "rest.")
	deeds, err := drain(left)
	outcome := lab.Outcome{DB: left.Snapshot(), Deeds: deeds, Unfinished: err != nil}
	at := slices.IndexFunc(l, func(invariant invariant) bool { return invariant.ends })
	if outcome.Unfinished && at >= 0 {
		outcome.Violations = []domain.Violation{{Invariant: l[at].Name, Detail: fmt.Sprintf("a message is handled without end: %v", err)}}
		return outcome
	}
	v.DB = outcome.DB
	outcome.Violations = l.State(v)
	for _, invariant := range l {
		outcome.Violations = append(outcome.Violations, invariant.broken(invariant.rest, v)...)
	}
	return outcome
}

// drain lets fresh workers handle messages until the queue is empty. The error is the
// last of a worker that never gets there.
func drain(db *mem.DB) (deeds []lab.Deed, last error) {
	ctx := context.Background()
	for range 16 {
		messages := db.Snapshot().Messages(domain.QueueName)
		if len(messages) == 0 {
			return deeds, nil
		}
		m, err := db.Deliver(domain.QueueName, messages[0].ID)
		if err != nil {
			return deeds, err
		}
		last = backend{db}.work(ctx, m)
		deeds = append(deeds, lab.Deed{Message: m.Text, Err: last})
	}
	return deeds, last
}

// anomalies are the invariants that the four anomalies break.
func anomalies() invariants {
	return invariants{
		{
			Invariant: lab.Invariant{Name: "A1", Title: "no orphan post", When: lab.Quiescent, Means: "When the system is idle, no post is left of a channel that is gone."},
			rest:      orphan,
		},
		{
			Invariant: lab.Invariant{Name: "A2", Title: "no damage to the resurrected", When: lab.Always, Means: "Nothing disappears from a channel that was created again unless its owner asks for that."},
			always:    damage,
		},
		{
			Invariant: lab.Invariant{Name: "A3", Title: "no stuck intent", When: lab.Quiescent, Means: "Whatever is marked as being deleted is deleted in the end."},
			rest:      stuck,
		},
		{
			Invariant: lab.Invariant{Name: "A4", Title: "no self-conflict", When: lab.Quiescent, Means: "No user is refused because of their own earlier request, and no message is handled without end."},
			always:    selfConflict, ends: true,
		},
	}
}

func orphan(v lab.View) string {
	if !there(v.DB, channels, "") && posts(v) > 0 {
		return "a post is left of a channel that is gone"
	}
	return ""
}

// damage looks at what a client was told after the set-up.
func damage(v lab.View) string {
	for k := range v.Facts() {
		switch {
		case v.Count(asking, func(a lab.Known) bool { return a.Actor != lab.SetupIndex }) > 0 || k.Actor == lab.SetupIndex:
		case k.Kind == created && !there(v.DB, channels, ""):
			return "the channel that was created again is gone, and no user asked for that"
		case k.Kind == posted && !there(v.DB, blogs, "blog!"+string(k.Blog)):
			return "a post to the channel that was created again is gone, and no user asked for that"
		}
	}
	return ""
}

func stuck(v lab.View) string {
	if row, _ := v.DB.Get(channels, news, ""); row.Properties.String("State") == deleting {
		return "the channel is marked as being deleted, and no worker will ever delete it"
	}
	return ""
}

func selfConflict(v lab.View) string {
	all := func(lab.Known) bool { return true }
	if v.Count(taken, all) > 0 && v.Count(created, all) == 0 {
		return "told that the name is taken, and no other user ever wanted it"
	}
	return ""
}

func there(db mem.Snapshot, table, row string) bool {
	_, err := db.Get(table, news, row)
	return err == nil
}

func posts(v lab.View) int { return len(slices.Collect(v.DB.Rows(blogs))) }
