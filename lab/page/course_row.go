package page

// rowLevels are about rows in two places, rules and sessions.
func rowLevels() []level {
	return []level{
		{
			Name: "join", Title: "Two rows in two tables",
			Goal: "Leave Vera among the subscribers of a channel, with no subscription of her own.",
			Scene: "A subscription is two rows: one in the channel's partition, one in Vera's. No transaction spans both. Vera subscribes. " +
				"At the same time her feed is read, which removes rows that look like a subscription that died half way. " +
				"The production code replaces another row, join!vera, with the first row, in the version that it read. Here it just inserts the first row.",
			Nudge: "Let the feed come to the conclusion that Vera's request is dead. Let it be wrong.",
			Teaches: "Of two rows that no transaction spans, one is the truth, and the other is written before it and removed after it. " +
				"And the truth can be written only once: the operation that cleans up first removes the row that it depends on, so the late write fails.",
			Precedent: precedent{"Facebook's TAO keeps a relation in both directions, without a transaction across the two. If one is missing after a failure, a job repairs it later.",
				source{"TAO, USENIX ATC 2013", "https://www.usenix.org/system/files/conference/atc13/atc13-bronson.pdf"}},
		},
		{
			Name: "vote-counted", Title: "One vote, counted twice",
			Goal: "Let a post be rated higher than it has votes.",
			Scene: "Ann has voted on a post. She votes again, because her page did not show that, and then takes her vote back. The rating is a number in the post. " +
				"The production code inserts a row for the vote in the transaction that raises the rating. Here it raises the rating also if that row already exists.",
			Nudge: "Ann alone is enough. What does each of her two requests do to the number, and what to the row?",
			Teaches: "A number does not say whose votes it has counted. A row with the voter's name does: in one transaction with the number, its insert is refused the second time. " +
				"The row shows a self-conflict as well: a client whose answer was lost may ask again, and nothing more happens.",
			Precedent: precedent{"Cassandra's counters are numbers alone: an update that is applied twice counts twice. So its drivers take such a query for one that must not be sent again.",
				source{"DataStax, Query idempotence in Cassandra drivers", "https://docs.datastax.com/en/datastax-drivers/developing/query-idempotence.html"}},
		},
		{
			Name: "active-first", Title: "An index in another table",
			Goal: "Leave a post behind that no reader finds among the newest.",
			Scene: "Each channel is a partition of its own. So the newest posts of all channels are found by an index in another table: a row for each channel and each hour with posts. Ann posts, an hour after the last post. " +
				"The production code writes the row of the index before the post. Here it writes the row afterwards.",
			Nudge: "There are two writes, and Ann may die. Which of them is there without the other?",
			Teaches: "Of two writes that cannot be one, make the one first that does no harm alone. A row without a post does no harm, because its reader finds nothing. " +
				"A post without a row is never found, and no reader knows that something is missing.",
			Precedent: precedent{"Azure's guide to table design has an index in other partitions, which is kept in step by messages on a queue: if a step fails, it is done again until it is done.",
				source{"Microsoft, Table design patterns: inter-partition secondary index", "https://learn.microsoft.com/azure/storage/tables/table-storage-design-patterns#inter-partition-secondary-index-pattern"}},
		},
		{
			Name: "author-gone", Title: "Tidied away too soon",
			Goal: "Hide a post that was accepted from the page of its author.",
			Scene: "Ann posts. First her post is put on her list, which is in her own partition, and then it is made. A reader looks at her page: it reads the list, and then each post and its channel. " +
				"The production code takes a post off the list only when its channel is gone. Here the reader does so when the post is not there.",
			Nudge: "When is a post on the list and not there? And who says that it stays so?",
			Teaches: "A row that points to nothing may be of a writer who died, or of one who is slow, and no age tells the two apart: a request may take effect at any later time. " +
				"So remove only what can never be used again, and not what is not in use. Here the gate decides: once the channel is gone, no post can appear in it.",
			Precedent: precedent{"A push to a Git repository writes its objects first, and refers to them last. GitLab's housekeeping once deleted what nothing referred to, without the usual grace of two weeks. " +
				"So it could delete what a push had just written.",
				source{"gitlab-org/gitaly, merge request 4416", "https://gitlab.com/gitlab-org/gitaly/-/merge_requests/4416"}},
		},
		{
			Name: "posting-revision", Title: "Blocked, and heard once more",
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
			Name: "erasure-look", Title: "Gone, and still posting",
			Goal: "Leave a post of Vera behind whose account is gone.",
			Scene: "Vera posts in Olga's channel on her phone, and deletes her account at home. A worker reads her lists, replaces the posting rule of each channel there, and then removes her posts. The transaction of a post depends on the rule that its request read. " +
				"The production code puts the post on her list, checks that her account is active, and then posts. Here it does not check.",
			Nudge: "The worker reads her list once. When must the post come onto it to be missed? And which rule has its request read by then?",
			Teaches: "Neither waits for the other, and still they cannot both miss each other, because each writes first and reads second. Vera's request writes its list entry and then reads the account; the worker writes the account and then reads the list. " +
				"Whichever of the two comes second sees the write of the first: either the worker finds the post, or the request gives up.",
			Precedent: precedent{"Dekker's algorithm, the first for two processes that exclude each other with nothing but reads and writes, has this at its heart: raise your own flag, then look at the other's.",
				source{"E. W. Dijkstra, Over de sequentialiteit van procesbeschrijvingen (EWD35), 1962", "https://www.cs.utexas.edu/~EWD/translations/EWD35-English.html"}},
		},
		{
			Name: "link-version", Title: "One link, two visitors",
			Goal: "Let one sign-in link, which works once, sign in twice.",
			Scene: "Two people follow the same sign-in link: vera and vera2. The code reads the link, marks it as used and starts a session. " +
				"The mark should depend on the version of the row that was read. Here it does not.",
			Nudge: "Let both read the link while it is unused.",
			Teaches: "To read, decide and write is safe if the write depends on what was read. Each row has a version, its ETag. " +
				"The store compares it together with the write: the second of two that read the same version is refused.",
			Precedent: precedent{"In better-auth, two requests at the same time could both use one magic link, because it was looked up, marked and used in three operations.",
				source{"better-auth/better-auth, pull request 9572", "https://github.com/better-auth/better-auth/pull/9572"}},
		},
		{
			Name: "ended", Title: "A session rises again",
			Goal: "Let a session sign Vera in after its end was confirmed.",
			Scene: "Vera makes a sign-in link, follows it and signs out. Signing out should mark the row of her session as ended. Here it deletes the row. " +
				"A duplicate of a request may still be on its way when all actors have gone on.",
			Nudge: "Which insert would you like to see a second time, at the end?",
			Teaches: "A row that is not there cannot refuse anything. What has ended and must stay so keeps its row, with a mark on it. " +
				"A delayed duplicate of the insert then meets the row, and fails.",
			Precedent: precedent{"Cassandra deletes by writing a marker, a tombstone. Its manual calls data that comes back because the marker is missing a zombie.",
				source{"Apache Cassandra, Tombstones", "https://cassandra.apache.org/doc/latest/cassandra/managing/operating/compaction/tombstones.html"}},
		},
	}
}
