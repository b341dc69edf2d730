package page

// rowLevels are about one row, or two, in the production code.
func rowLevels() []level {
	return []level{
		{
			Name: "link-version", New: "the version of a row", Title: "One link, two visitors",
			Goal: "Let one sign-in link, which works once, sign in twice.",
			Scene: "Vera follows a sign-in link, and another person (vera2) follows the same link. The code reads the link, marks it as used and starts a session. " +
				"The mark should depend on the version of the row that was read. Here it does not.",
			Nudge: "Let both read the link while it is unused.",
			Teaches: "To read, decide and write is safe if the write depends on what was read. Each row has a version, its ETag. " +
				"The store compares it together with the write: the second of two that read the same version is refused.",
			Precedent: precedent{"In better-auth, two requests at the same time could both use one magic link, because it was looked up, marked and used in three operations.",
				source{"better-auth/better-auth, pull request 9572", "https://github.com/better-auth/better-auth/pull/9572"}},
		},
		{
			Name: "ended", New: "a row that stays", Title: "A session rises again",
			Goal: "Let a session sign Vera in after its end was confirmed.",
			Scene: "Vera makes a sign-in link, follows it and signs out. Signing out should mark the row of her session as ended. Here it deletes the row. " +
				"A duplicate of a request may still be on its way when all actors have gone on.",
			Nudge: "Which insert would you like to see a second time, at the end?",
			Teaches: "A row that is not there cannot refuse anything. What has ended and must stay so keeps its row, with a mark on it. " +
				"A delayed duplicate of the insert then meets the row, and fails.",
			Precedent: precedent{"Cassandra deletes by writing a marker, a tombstone. Its manual calls data that comes back because the marker is missing a zombie.",
				source{"Apache Cassandra, Tombstones", "https://cassandra.apache.org/doc/latest/cassandra/managing/operating/compaction/tombstones.html"}},
		},
		{
			Name: "active-first", New: "the order of two writes", Title: "An index in another table",
			Goal: "Leave a post behind that no reader finds among the newest.",
			Scene: "Each channel is a partition of its own. So the newest posts of all channels are found by an index in another table: a row for each channel and each hour with posts. Ann posts, an hour after the last post. " +
				"The production code writes the row of the index before the post. Here it writes the row afterwards. “Indexes agree” says of this index: each post leads to a row of it.",
			Nudge: "There are two writes, and Ann may die between them. Which of them is there without the other?",
			Teaches: "Of two writes that cannot be one, make the one first that does no harm alone. A row without a post does no harm, because its reader finds nothing. " +
				"A post without a row is never found, and no reader knows that something is missing.",
			Precedent: precedent{"Azure's guide to table design has an index in other partitions, which is kept in step by messages on a queue: if a step fails, it is done again until it is done.",
				source{"Microsoft, Table design patterns: inter-partition secondary index", "https://learn.microsoft.com/azure/storage/tables/table-storage-design-patterns#inter-partition-secondary-index-pattern"}},
		},
		{
			Name: "posting-revision", New: "a condition on another row", Title: "Blocked, and heard once more",
			Goal: "Let a post of Ann take effect after Olga was told that Ann is blocked.",
			Scene: "Olga owns the channel, and blocks Ann, who is about to post. A row of the channel says whether Ann may post; its key has a random revision. Ann's request reads that row first. " +
				"In the production code the transaction of the post then requires that row. Here it does not.",
			Nudge: "Ann's request reads that she may post. How long is that true?",
			Teaches: "To check whether something is allowed, and then to do it, are two steps, and the rule may change in between. So the rule has a revision, which each change replaces, " +
				"and the store checks the revision together with the post. To be told “blocked” then means: from now on.",
			Precedent: precedent{"Google's Zanzibar calls this the new enemy problem: an old permission is applied to new content. Its clients keep a token with the content, which says how fresh a check must be.",
				source{"Zanzibar, USENIX ATC 2019", "https://www.usenix.org/conference/atc19/presentation/pang"}},
		},
		{
			Name: "pivot", New: "the pivot", Title: "Undone, and gone",
			Goal: "Let Olga be told that her deletion is undone, and take her channel away all the same.",
			Scene: "Olga has deleted her channel, and changes her mind. Her request makes the channel's row active again, unless a worker was faster. " +
				"The workers w1 and w2 have the message. In the production code a worker sets the row to deleting, the point of no return, before it touches anything else. Here it goes on without that.",
			Nudge: "A worker that finds the channel undone goes away. When must it have looked?",
			Teaches: "Here the worker goes on without its write to the channel's row in the table Channels. What takes several steps can be undone up to one of them, the pivot. The pivot and the undo are two writes to one row, in the version that was read. " +
				"So only one of them succeeds, and the other fails because it came second.",
			Precedent: precedent{"Azure's catalogue of patterns says the same of a saga: before the pivot each step can be compensated, and after it only finished.",
				source{"Azure Architecture Center, Saga design pattern", "https://learn.microsoft.com/en-us/azure/architecture/patterns/saga"}},
		},
	}
}
