package protocol

import (
	"context"
	"fmt"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/oracle"
	"microblogging/storage/schema"
)

// The invariants: the invariants of package domain, over the store and against what clients were told.
// What an invariant demands of one thing is said by the subject.

// Shipped are the invariants of the production code.
type Shipped struct {
	// NoReconcile leaves the reconciling pass out of what fresh workers do in the
	// end.
	NoReconcile bool
	// AcceptedOnly asks for the end of those deletions alone that were accepted or recorded:
	// where the queue loses a message, a request may die and leave nothing else.
	AcceptedOnly bool
	// Refuses reports whether some work is refused. Otherwise nothing may be poisoned: a store that
	// does not answer makes no poison.
	Refuses bool
	// Prunes lets records be removed of deletions that have ended, and makes fresh workers remove them.
	Prunes bool
	// Workers makes what is put around the calls of fresh workers, and Readers is put around those of
	// feeds that are read when the system is idle. They may be nil.
	Workers func() driver.Around
	Readers driver.Around

	subjects *subject
}

// List implements Invariants: the invariants of package domain, and the anomaly that is about
// what clients are told.
func (Shipped) List() []lab.Invariant {
	return []lab.Invariant{
		{Name: "I1", Title: "no orphan", When: lab.Quiescent, Means: "When the system is idle, each row belongs to a channel that exists, and each reply to a post."},
		{Name: "I2", Title: "no collateral", When: lab.Always, Means: "Deleting one channel never touches another, even one that has the same name later."},
		{Name: "I3", Title: "no lost post", When: lab.Always, Means: "A post that was accepted can be read until it is removed, and then never again."},
		{Name: "I4", Title: "no ghost read", When: lab.Always, Means: "Once a deletion is accepted, no page shows the channel or its posts, unless it is undone."},
		{Name: "I5", Title: "termination", When: lab.Quiescent, Means: "Each deletion that was accepted is done in the end, or waits where an operator sees it."},
		{Name: "I6", Title: "repeatable", When: lab.Finally, Means: "Handling a message again, late, or twice concurrently changes nothing more."},
		{Name: "I7", Title: "one post", When: lab.Quiescent, Means: "A request that is sent twice makes one post, one reply, or one channel."},
		{Name: "I8", Title: "indexes agree", When: lab.Quiescent, Means: "Each post is in the index by rating exactly once, and its rating is the sum of its votes. It is on its author's list, and a channel on its owner's."},
		{Name: "I9", Title: "gates", When: lab.Quiescent, Means: "Each active channel has its own open gate and no other, and that gate opens only once."},
		{Name: "I10", Title: "what ended stays ended", When: lab.Always, Means: "What was ended, used up or revoked never works again: a session, a link, a password, a secret address."},
		{Name: "I11", Title: "posting rules hold", When: lab.Always, Means: "Once the owner has closed a channel to others, or blocked a user there, no post, reply or edit that this forbids takes effect."},
		{Name: "I12", Title: "deleted accounts leave nothing", When: lab.Quiescent, Means: "Once an account is gone, nothing that its user sent takes effect, and nothing of theirs is left but the name."},
		{Name: "A4", Title: "no self-conflict", When: lab.Always, Means: "No user is refused because of their own earlier request, and no message is handled without end."},
	}
}

// invariantsOf are the invariants of a scenario.
func invariantsOf(s lab.Scenario) Shipped {
	invariants, _ := s.Invariants.(Shipped) // it may name none
	return invariants
}

// about are these invariants, of all subjects.
func (l Shipped) about(all *subject) Shipped {
	l.subjects = all
	return l
}

// Recalls implements Invariants.
func (l Shipped) Recalls(kind lab.Kind) bool { return slices.Contains(l.subjects.recalled, kind) }

// violating notes that an invariant is violated.
type violating func(invariant, format string, args ...any)

// when notes it if the invariant is broken.
func (violation violating) when(broken bool, invariant, detail string) {
	if broken {
		violation(invariant, "%s", detail)
	}
}

// violationsOf are those that a function notes.
func violationsOf(judge func(violation violating)) (violations []domain.Violation) {
	judge(func(invariant, format string, args ...any) {
		violations = append(violations, violationOf(invariant, format, args...))
	})
	return violations
}

// State is what a client was told, which holds in every later state, and what else the subjects
// demand always.
func (l Shipped) State(v lab.View) []domain.Violation {
	return violationsOf(func(violation violating) {
		for k := range v.Facts() {
			if holds := l.subjects.told[k.Kind]; holds != nil {
				holds(v, k, violation)
			}
		}
		for _, demand := range l.subjects.always {
			demand(l, v, violation)
		}
	})
}

// Rest is all invariants at quiescence. Fresh workers run until nothing moves.
// Then the program's own checker, the plain reading of package oracle and what
// only the lab knows (the messages, and what clients were told) must agree that
// nothing is wrong.
func (l Shipped) Rest(v lab.View) lab.Outcome {
	ctx := context.Background()
	c := newCrew(v.DB, l.Workers)
	before := l.demanded(ctx, c, v, l.subjects.before)
	err := c.quiesce(ctx, !l.NoReconcile)
	if err == nil {
		err = c.requeue(ctx)
	}
	if err == nil && l.Prunes {
		_, err = c.store.Operator.Prune(ctx, 0)
	}
	outcome := lab.Outcome{DB: c.db.Snapshot(), Deeds: c.deeds, Unfinished: err != nil}
	if err != nil {
		outcome.Violations = []domain.Violation{violationOf("I5", "%v", err)}
		return outcome
	}
	outcome.Violations = l.violationsAtRest(ctx, c, v)
	for _, b := range before {
		if !slices.Contains(outcome.Violations, b) {
			outcome.Violations = append(outcome.Violations, b)
		}
	}
	return outcome
}

// violationsAtRest are the violations once the crew has come to rest.
func (l Shipped) violationsAtRest(ctx context.Context, c *crew, v lab.View) []domain.Violation {
	violations := append(c.check(ctx), l.demanded(ctx, c, v, l.subjects.read)...)
	plain, err := oracle.Violations(ctx, c.db)
	if err != nil {
		return []domain.Violation{violationOf("I5", "%v", err)}
	}
	violations = append(violations, plain...)
	v.DB, v.Now = c.db.Snapshot(), time.Now() // no time to undo is left for fresh workers
	violations = append(violations, l.demanded(ctx, c, v, l.subjects.rest)...)
	violations = append(violations, l.State(v)...)
	if violations != nil {
		return violations
	}
	return c.again(ctx, v, l.neverAccepted)
}

func (l Shipped) demanded(ctx context.Context, c *crew, v lab.View, demands []demand) []domain.Violation {
	return violationsOf(func(violation violating) {
		for _, demand := range demands {
			demand(ctx, l, c, v, violation)
		}
	})
}

// answeredTwice is I7: a request, which of tells with its answer, is answered with one thing.
func answeredTwice(v lab.View, kind lab.Kind, what string, violation violating, of func(lab.Fact) (request, answer string)) {
	answers := map[string]string{}
	for k := range v.Facts() {
		if k.Kind != kind {
			continue
		}
		request, answer := of(k.Fact)
		first, ok := answers[request]
		violation.when(ok && first != answer, "I7", "one idempotency key was answered with two "+what)
		answers[request] = answer
	}
}

// hasRow reports whether a row is in the partition of a channel's posts.
func hasRow(db mem.Snapshot, ref domain.ChannelRef, row string) bool {
	_, err := db.Get(schema.TableBlogs, string(ref.Key), row)
	return err == nil
}

// violationOf is a violation without the row that shows it.
func violationOf(invariant, format string, args ...any) domain.Violation {
	return domain.Violation{Invariant: invariant, Detail: fmt.Sprintf(format, args...)}
}
