package protocol

import (
	"context"

	"microblogging/domain"
	"microblogging/lab"
)

// An operator who checks the store and repairs it while it is in use.

// repair is one run of check --repair.
func repair(ctx context.Context, c *lab.Client) {
	_, _ = c.Store.Operator.NewChecker(0, true, func(domain.Violation) {}).Run(ctx) // what it mends is in the store
}

func operator() lab.Actor { return lab.Actor{Name: "operator", Run: repair} }

// repairs are made while the store is in use.
func repairs() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "repair-create", About: "a channel is created and posted to while an operator repairs the store",
				Faults: 1, Preemptions: 2, DelayedCalls: anything, Actors: []lab.Actor{{Name: "ann", Run: createAndPost(author, "new")}, operator()}},
			{Name: "repair-delete", About: "a channel is deleted while an operator repairs the store",
				Faults: 1, Preemptions: 2, Setup: lab.InTurn(news("old"), subscribe(visitor)),
				Actors: []lab.Actor{{Name: "olga", Run: ask}, worker1(), operator()}},
			{Name: "repair-use", About: "a user votes and subscribes while an operator repairs the store",
				Faults: 1, Preemptions: 2, Setup: news("old"),
				Actors: []lab.Actor{{Name: "vera", Run: lab.InTurn(vote("old", visitor), subscribe(visitor), unsubscribe(visitor))}, operator()}},
		},
	}
}
