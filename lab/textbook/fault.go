package textbook

import (
	"context"

	"microblogging/lab"
	"microblogging/storage/driver"
)

// FaultScenarios has scenarios in which the order of calls alone does no harm: one fault of the
// right kind does.
func FaultScenarios() []lab.Scenario {
	return []lab.Scenario{
		{Name: "twice", About: "a user posts, and tries again when no response comes",
			Faults: 1, Setup: creator, Invariants: onePost(), Actors: []lab.Actor{{Name: "ann", Run: stubborn}}},
		{Name: "lost-message", About: "the owner is told that the deletion was accepted, and the queue may lose the message",
			Faults: 1, Forgets: true, Setup: creator, Invariants: itEnds(),
			Actors: []lab.Actor{{Name: "olga", Run: asker}, {Name: "w1", Run: worker}}},
		{Name: "late-copy", About: "the owner posts and then deletes the channel, and a request may be delayed",
			Faults: 1, DelayedCalls: func(*driver.Call) bool { return true }, Setup: creator, Invariants: noOrphan(),
			Actors: []lab.Actor{{Name: "olga", Run: lab.InTurn(poster, asker)}, {Name: "w1", Run: worker}}},
	}
}

// stubborn posts, and tries again if no answer comes. Nothing tells the store that both
// tries are one request.
func stubborn(ctx context.Context, c *lab.Client) {
	for range 2 {
		if post(ctx, c) {
			return
		}
	}
}

// The promises are each the one invariant of package domain that a scenario is about, as far as
// the textbook version has what it is about.

func noOrphan() lab.Expectations {
	return expecting(lab.Expectation{
		Invariant: lab.Invariant{Name: "I1", Title: "no orphan", When: lab.Quiescent, Means: "When the system is idle, no post is left of a channel that is gone."},
		Quiescent: orphan,
	})
}

func itEnds() lab.Expectations {
	return expecting(lab.Expectation{
		Invariant: lab.Invariant{Name: "I5", Title: "termination", When: lab.Quiescent, Means: "Each deletion that was accepted is done in the end."},
		Ends:      true,
		Quiescent: func(v lab.View) string {
			row, err := v.DB.Get(channels, news, "")
			if err != nil || v.Count(accepted, nil) == 0 {
				return ""
			}
			return "the deletion was accepted, the channel is " + row.Properties.String("State") + ", and no worker will ever delete it"
		},
	})
}

// onePost: in its scenario the user means to post once.
func onePost() lab.Expectations {
	return expecting(lab.Expectation{
		Invariant: lab.Invariant{Name: "I7", Title: "one post", When: lab.Always, Means: "A request that is sent twice makes one post."},
		Always: func(v lab.View) string {
			if posts(v) > 1 {
				return "one request made two posts"
			}
			return ""
		},
	})
}
