package textbook

import "microblogging/lab"

// Scenarios has one scenario for each anomaly, with its name.
func Scenarios() []lab.Scenario {
	list := []lab.Scenario{
		{Name: "A1", About: "orphan post: a user posts while the channel is deleted",
			Setup: creator, Actors: []lab.Actor{{Name: "ann", Run: poster}, {Name: "olga", Run: asker}, {Name: "w1", Run: worker}}},
		{Name: "A2", About: "resurrection damage: the name is taken again while two workers handle its deletion, one of them late",
			Setup: lab.InTurn(creator, asker), Actors: []lab.Actor{
				{Name: "ann", Run: lab.InTurn(creator, poster)}, {Name: "w1", Run: worker}, {Name: "w2", Run: worker, After: "w1"}}},
		{Name: "A3", About: "stuck intent: the web role dies during a request to delete",
			Faults: 1, Deaths: 1, Setup: creator, Actors: []lab.Actor{{Name: "olga", Run: asker}}},
		{Name: "A4", About: "self-conflict: a user creates a channel, and the SDK sends the request twice",
			Faults: 1, Actors: []lab.Actor{{Name: "ann", Run: creator}}},
	}
	for i := range list {
		list[i].Invariants = anomalies()
	}
	return list
}
