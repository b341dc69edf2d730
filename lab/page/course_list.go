package page

// accountOrders are those of the deletion of an account.
func accountOrders() []order {
	return []order{
		{"A request", []string{"reads the posting rule", "lists the post in its user's own rows", "checks that the account is active", "sends the post, which depends on that posting rule"}},
		{"The worker", []string{"closes the account", "reads the lists", "invalidates: replaces the posting rules", "removes what is listed"}},
	}
}

// listLevels are about lists, indexes, pages and accounts.
func listLevels() []level {
	return []level{
		{
			Name: "join", New: "one of two rows is the truth", Title: "Two rows in two tables",
			Goal: "Leave Vera among the subscribers of a channel, with no subscription of her own.",
			Scene: "A subscription is two rows: one in the channel's partition, one in Vera's. " +
				"While Vera subscribes, her feed is read, which removes what looks like half a subscription. " +
				"In the production code the first row replaces another one, join!vera, in the version that was read. Here it is just inserted. Vera's process may die. “Indexes agree” says of the two rows: each subscriber has a subscription.",
			Nudge: "Let the feed conclude that Vera's request has died, before it has. Then let her die after her next write.",
			Teaches: "Of two rows that no transaction spans, one is the truth, and the other is written before it and removed after it. " +
				"And the truth can be written only once: the operation that cleans up first removes the row that it depends on, so the late write fails.",
			Precedent: precedent{"Facebook's TAO keeps a relation in both directions, without a transaction across the two. If one is missing after a failure, a job repairs it later.",
				source{"TAO, USENIX ATC 2013", "https://www.usenix.org/system/files/conference/atc13/atc13-bronson.pdf"}},
		},
		{
			Name: "author-gone", New: "what may be removed", Title: "Tidied away too soon",
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
			Name: "version-first", New: "what is kept has a version", Title: "The page that is kept",
			Goal: "Show a reader a page without a post that was acknowledged before the reader asked.",
			Scene: "A web process keeps the page of a channel, and shows it again while the channel has the version that it is kept under. That is the version of the open gate, which each change of what the page shows gives a new one. The reader looks twice, in one process. Ann posts. " +
				"The production code reads the version, and then what the page shows. Here it reads the version last.",
			Nudge: "When must Ann's post come, so that the version knows of it and the page does not?",
			Teaches: "What is kept must not be older than its version. If the version is read first, a change in between makes it out of date, and the next look reads the page again. " +
				"If it is read last, the change is hidden: the old page has the new version, until something else changes.",
			Precedent: precedent{"Facebook's Memcache had this: a web server put an old value into the cache after a newer one was written. So a server gets a lease when it finds no value, and a write takes that away.",
				source{"Scaling Memcache at Facebook, NSDI 2013", "https://www.usenix.org/conference/nsdi13/technical-sessions/presentation/nishtala"}},
		},
		{
			Name: "active-gate", New: "an index is verified", Title: "The index that was trusted",
			Goal: "Show a reader a post of a channel whose deletion was accepted before the reader asked.",
			Scene: "The newest posts of all channels are found by an index in another table. Its rows outlive their channels. The reader looks twice, in one process, and Olga deletes her channel. " +
				"In the production code each look goes by the row of each channel that the index names. Here the second look still reads that row, and then goes on with what the first look read.",
			Nudge: "The first look finds the channel active. When would you like Olga to delete it?",
			Teaches: "An index in another partition cannot change together with what it names, so any row of it may be out of date. It says where to look, and nothing else: " +
				"in the production code each look verifies each row, and goes by what it says. In your run the reader has read that the channel is deleting, and has not acted on it. A row that is out of date then costs one read, and shows nothing that is gone.",
			Precedent: precedent{"DynamoDB's global indexes follow their table after a while. Its guide says that programs must expect results that are not up to date.",
				source{"Amazon DynamoDB, Global secondary indexes", "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html"}},
		},
		{
			Name: "index-touch", New: "a read that is a write", Title: "The pass tidies up",
			Goal: "Tell Olga that her channel will be deleted, and record that this was undone.",
			Scene: "Olga's request first writes a row to an index, by which the reconciling pass finds what the queue has lost. You play the pass (reconcile): it removes the row of a request that it takes for dead, and records that. " +
				"The production code first writes the channel's row, with a higher undo count; here it only reads it.",
			Nudge: "What may Olga's request still do after the pass has found the channel active?",
			Teaches: "What was read is true until it changes. If a decision must hold for longer, make the read a write: the pass writes the channel's row, in the version that it read. " +
				"Then the request of Olga that is on its way fails, because it names the version before.",
			Precedent: precedent{"PostgreSQL's manual says the same of a check that must stay true: to read the row is not enough, so lock it (SELECT FOR UPDATE).",
				source{"PostgreSQL, Data consistency checks at the application level", "https://www.postgresql.org/docs/current/applevel-consistency.html"}},
		},
		{
			Name: "erasure-look", New: "write, then look", Title: "Gone, and still posting",
			Goal: "Leave a post of Vera behind whose account is gone.",
			Scene: "Vera posts in Olga's channel on her phone, and deletes her account at home. A worker closes the account, then reads her lists, and removes what they name. " +
				"In the production code her request lists the post, then checks that her account is active, and then posts. Here it checks first, and lists the post afterwards.",
			Nudge: "Vera's request has found her account active. What may happen before it lists the post?",
			Teaches: "The request and the worker do not wait for each other, and still they cannot both miss each other, because each writes first and reads second. Vera's request writes its list entry and then reads the account; the worker writes the account and then reads the list. " +
				"Whichever of the two comes second sees the write of the first: either the worker finds the post, or the request gives up.",
			Orders: accountOrders(),
			Precedent: precedent{"Dekker's algorithm, the first for two processes that exclude each other with nothing but reads and writes, has this at its heart: raise your own flag, then look at the other's.",
				source{"E. W. Dijkstra, Over de sequentialiteit van procesbeschrijvingen (EWD35), 1962", "https://www.cs.utexas.edu/~EWD/translations/EWD35-English.html"}},
		},
		{
			Name: "erasure-fence", New: "invalidate, then remove", Title: "Found, and still late",
			Goal: "Leave a post of Vera behind, although the worker has found it on her list.",
			Scene: "As in the level before. Vera's request lists the post, checks her account, and sends a transaction that depends on the posting rule that it read. " +
				"A worker reads her list, replaces the posting rule of each channel there, and removes the posts. Here it does not replace the rules.",
			Nudge: "Her request has made all its checks. What does the worker find of a post that is listed and still on its way?",
			Teaches: "That a post is not there says nothing while its request can still arrive. So the worker reads the lists, then invalidates what each listed request depends on, and only then removes. " +
				"After that, “not there” stays true. In any other order one of the three is too early.",
			Orders: accountOrders(),
			Precedent: precedent{"A producer of Kafka that starts again raises its epoch before it does anything else. From then on the brokers refuse what its earlier self still sends.",
				source{"KIP-98: Exactly once delivery and transactional messaging", "https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging"}},
		},
	}
}
