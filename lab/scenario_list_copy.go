package lab

// copies are about a store that is copied to another while it is in use.
func copies() []Scenario {
	return []Scenario{
		{
			Name: "copy", About: "the store is copied to another while somebody posts, and either may die", Faults: 1, Copied: true,
			Setup: news("old"), Laws: Moved{},
			Actors: []Actor{{Name: "ann", Run: guarded(post(author, "new"))}, {Name: "copier", Run: copyAway}},
		},
		{
			Name: "copy-late", About: "the same, and the post may land long after its author gave up", Faults: 1, Copied: true,
			Setup: news("old"), Laws: Moved{}, Straggles: func(c *Call) bool { return c.Target == tableBlogs },
			Actors: []Actor{{Name: "ann", Run: guarded(post(author, "new"))}, {Name: "copier", Run: copyAway}},
		},
		{
			Name: "copy-deletion", About: "the store is copied to another while a worker deletes the channel, and either may die", Faults: 1, Copied: true,
			Setup: queued("old"), Laws: Moved{},
			Actors: []Actor{{Name: "w1", Run: guarded(work)}, {Name: "copier", Run: copyAway}},
		},
		{
			Name: "copy-ask", About: "the store is copied to another while the owner asks for the deletion of the channel and a worker handles it, and any of them may fail once", Faults: 1, Copied: true, Slow: true,
			Setup: news("old"), Laws: Moved{},
			Actors: []Actor{{Name: "olga", Run: guarded(ask)}, {Name: "w1", Run: guarded(work)}, {Name: "copier", Run: copyAway}},
		},
		{
			// What lands after the copy has not happened, so a message may be lost that nobody was told of.
			Name: "copy-ask-late", About: "the store is copied to another while the owner asks for the deletion of the channel, and a request may land long after she gave up", Faults: 1, Copied: true,
			Setup: news("old"), Laws: Moved{Shipped{AcceptedOnly: true}}, Straggles: anything,
			Actors: []Actor{{Name: "olga", Run: guarded(ask)}, {Name: "copier", Run: copyAway}},
		},
	}
}
