package protocol

import "microblogging/lab"

// All users act concurrently.

// crowds have too many states to enter: they are explored by random walks.
func crowds() subject {
	return subject{scenarios: []lab.Scenario{
		{Name: "crowd", About: "all users act concurrently",
			Faults: 4, Walks: 12_000, Setup: news("one", "two"),
			Actors: []lab.Actor{
				{Name: "ann", Run: post(author, "new"), Ahead: 2}, {Name: "ann2", Run: edit("one", "other")}, {Name: "vera", Run: subscribe(visitor)},
				{Name: "vera2", Run: vote("one", visitor)}, {Name: "olga", Run: removePost("two", owner)}, {Name: "olga2", Run: ask, Ahead: 4},
				{Name: "max", Run: createAndPost("max", "new")}, {Name: "reconcile", Run: reconcile},
				{Name: "operator", Run: lab.InTurn(repair, requeue)}, worker1(), worker2(), worker3(),
			}},
	}}
}
