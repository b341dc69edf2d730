package page

// productionLevels are those of the production code, each without one of its safeguards. The last has all of them.
func productionLevels() []level {
	return []level{
		{
			Name: "link-version", Title: "One link, two visitors",
			Idea: "The version of a row makes the second of two writers fail.",
			Rule: "A link is marked as used, in the version in which it was read.", Missing: ", in the version in which it was read",
			Goal: "Let one sign-in link, which works once, sign in twice.",
			Scene: "This is the code of this very site, with one of its safeguards taken out. Vera follows a sign-in link, and another person (vera2) follows the same link. The code reads the link, marks it as used and starts a session. " +
				"The mark should depend on the version of the row that was read. Here it does not. A link that is used has ended, and the invariant says that what ended stays ended.",
			Nudge: "Let both read the link while it is unused.",
			Teaches: "To read, decide and write is safe if the write depends on what was read. Each row has a version, its ETag. " +
				"The store compares it together with the write: the second of two that read the same version is refused.",
			Precedent: precedent{"In better-auth, two requests at the same time could both use one magic link, because it was looked up, marked and used in three operations.",
				source{"better-auth/better-auth, pull request 9572", "https://github.com/better-auth/better-auth/pull/9572"}},
		},
		{
			Name: "index-first", Title: "The pass that looks",
			Idea: "A reconciling pass finds only what was written down before the promise.",
			Rule: "The index of open deletions has the deletion before the message is sent.", Missing: " before the message is sent",
			Goal: "Record a deletion that no worker will ever carry out, although the pass looks for it.",
			Scene: "Olga deletes her channel. Her request sends a message to the workers, records the deletion, and marks the channel. (Here no deletion can be undone, so the mark is deleting and never pending. The list of the user who asked is for Olga's own page: the pass does not read it.) The queue may lose the message. " +
				"So from time to time a reconciling pass (reconcile) reads the index of open deletions, and sends a message again for each that makes no progress. A deletion that has its row in the index is as good as done: a later pass finds it. Once a deletion is recorded, it counts as promised. " +
				"In the production code her request writes the row of the index before it sends the message. Here it writes it last, after the mark. Two faults are allowed.",
			Nudge: "Which write of Olga's does the pass need? If she dies before it, only the message knows.",
			Teaches: "A pass that repairs must know where to look. So the intent is written down, in one known place, before anything that depends on it. " +
				"A row without a deletion costs the pass one look. A deletion without a row is never found, and no process knows that something is missing.",
			Precedent: precedent{"A database writes to its log what it is about to change before it changes it. After a crash it reads the log, and nothing else, to find what was not finished.",
				source{"PostgreSQL, Write-Ahead Logging", "https://www.postgresql.org/docs/current/wal-intro.html"}},
		},
		{
			Name: "poison-row", Title: "Put aside, and not forgotten",
			Idea: "Poisoned work is recorded before its message goes, so an operator can find it.",
			Rule: "A message that failed leaves the queue after a row has its text.", Missing: " after a row has its text",
			Goal: "Lose the deletion of a post, so that no worker and no operator finds it again.",
			Scene: "A message asks for the deletion of a post, and the store refuses what the worker w1 reads for it. To try again without end helps no user. So w1 takes the message off the queue, and leaves a row with its text. " +
				"An operator looks at these rows, and queues each message again once the cause is mended. " +
				"In the production code w1 writes the row first. Here it takes the message off the queue first. Two faults are allowed, and one is enough.",
			Nudge: "Between the queue and the row, who knows of the work?",
			Teaches: "Work that moves from one place to another is for a moment in both, or in none. So it is written to the new place before it leaves the old one. " +
				"If w1 dies in between, the queue delivers the message again, and w1 writes the same row once more, which does no harm.",
			Precedent: precedent{"RabbitMQ moved what was refused to a second queue, and did not wait until it was stored there, so a message could get lost on the way. Since 2022 it can wait for that, and removes the message only then.",
				source{"rabbitmq/rabbitmq-server, issue 3100", "https://github.com/rabbitmq/rabbitmq-server/issues/3100"}},
		},
		{
			Name: "own-gate", Fence: true, Title: "The fence",
			Idea: "A post comes before the gate was shut, or it is refused.",
			Rule: "Olga's post is inserted, if the open gate of its incarnation is there.", Missing: ", if the open gate of its incarnation is there",
			Goal: "Leave a post behind whose channel is gone, in the production code without its fence.",
			Scene: "Olga posts on her phone. At home she has just asked to delete the channel: so far only a message on the queue says so, and the worker w1 does the rest. " +
				"In the production code a post is one transaction with a row called the open gate, which a deletion removes before any other row. " +
				"Here the post does not require it.",
			Nudge: "If the sweep finds Olga's post, it removes it. Let w1 look once more and find nothing, then post.",
			Teaches: "The gate is in the same partition as the posts, so the store checks it together with the post. A post came before the gate was shut, and then the sweep finds it; " +
				"or the store refuses it. No actor waits for another: it is a fence and not a lock.",
			Precedent: precedent{"Chubby, the lock service of Google, gives the holder of a lock a sequencer. It goes with each request, and the server that gets it refuses the request once the lock is lost.",
				source{"The Chubby lock service, OSDI 2006", "https://research.google/pubs/the-chubby-lock-service-for-loosely-coupled-distributed-systems/"}},
		},
		{
			Name: "shut-gate", Fence: true, Title: "The worker that slept",
			Idea: "To be entitled to begin does not entitle a worker to go on.",
			Rule: "A worker removes rows, if the shut gate of the incarnation that it deletes is there.", Missing: ", if the shut gate of the incarnation that it deletes is there",
			Goal: "Make a worker that slept remove a row of the new channel.",
			Scene: "The workers w1 and w2 handle the deletion of a channel, and Ann tries once to take its name. A queue hides a message from other workers for a while, the lease. If w1 sleeps, w2 gets the message too. Each looks, when it begins, whether this is still the channel that was meant. " +
				"In the production code each transaction that removes rows also requires a row of that channel, the shut gate, which is deleted before the name is free. Here w1's do not.",
			Nudge: "Let w1 shut the gate, and sleep. Its lease ends when w2 gets the message. What does w1 list when it wakes up after all others have ended?",
			Teaches: "That a worker was entitled to begin does not entitle it to go on. A lease cannot help: w1 is told that it has lost its lease when it asks the queue, which is after its removal. " +
				"So each transaction of the sweep requires the shut gate, which is deleted before the name is free.",
			Precedent: precedent{"Durable Task put a sentinel row into each partition of its history for this: every batch must match the row's ETag, so of two workers that think they own the partition one fails.",
				source{"Azure/azure-functions-durable-extension, issue 38", "https://github.com/Azure/azure-functions-durable-extension/issues/38"}},
		},
		{
			Name: "fresh-read", Title: "Look again before you lock up",
			Idea: "Only a look that finds nothing, after the gate was shut, proves that nothing is left.",
			Rule: "A worker removes the gate, once it has looked again and found nothing.", Missing: ", once it has looked again and found nothing",
			Goal: "Make a deletion leave rows behind.",
			Scene: "Two messages are on the queue. One is about a post that was deleted: a worker removes the votes on it. The other is about its channel: a worker shuts the gate, lists the rows and removes them. " +
				"The production worker ends only when a fresh look finds nothing. Here it trusts its first list.",
			Nudge: "A transaction removes all rows of a list, or none. What if one of them has gone?",
			Teaches: "A list is old as soon as it is read. A transaction removes all rows of a list, or none, so one row that another worker has removed keeps all others there. " +
				"Only a fresh read that finds nothing proves that nothing is left, because no row is added once the gate is shut.",
			Precedent: precedent{"Kubernetes added such a look to the deletion of a namespace: that a list of each kind of object is empty.",
				source{"kubernetes/kubernetes, issue 22045", "https://github.com/kubernetes/kubernetes/issues/22045"}},
		},
		{
			Name: "pivot", Title: "Undone, and gone",
			Idea: "Two decisions that exclude each other are two writes to one row.",
			Rule: "A worker goes on, once it has set the channel to deleting in the version that it read.", Missing: ", once it has set the channel to deleting in the version that it read",
			Goal: "Let Olga be told that her deletion is undone, and let a worker shut the gate of her channel all the same.",
			Scene: "Olga has deleted her channel, and changes her mind. Her request makes the channel's row active again, unless a worker was faster: then it is refused, and she ends. " +
				"The workers w1 and w2 have the message. In the production code a worker sets the row from pending to deleting, the point of no return, before it touches anything else. Here it goes on without that. " +
				"To the invariant a channel can be read while its row is active and its open gate is there: a worker that has shut the gate goes on and removes all its rows.",
			Nudge: "A worker that finds the channel undone goes away. When must it have looked?",
			Teaches: "Here the worker goes on without its write to the channel's row in the table Channels. What takes several steps can be undone up to one of them, the pivot. The pivot and the undo are two writes to one row, in the version that was read. " +
				"So only one of them succeeds, and the other fails because it came second.",
			Precedent: precedent{"Azure's catalogue of patterns says the same of a saga: before the pivot each step can be compensated, and after it only finished.",
				source{"Azure Architecture Center, Saga design pattern", "https://learn.microsoft.com/en-us/azure/architecture/patterns/saga"}},
		},
		{
			Name: "reply-gate", Title: "The post is a gate too",
			Idea: "Any row can be the gate of others, if it goes before they are listed and never returns.",
			Rule: "Olga's reply is inserted, if the post that it answers is there.", Missing: ", if the post that it answers is there",
			Goal: "Leave a reply behind whose post is gone.",
			Scene: "Olga reads Ann's post and replies to it. Ann has just deleted it: her message is on the queue, and the worker w1 removes the post, and then the votes on it and the replies to it. " +
				"In the production code a reply is one transaction with its post's row. Here it does not require that row. The channel stays, so its open gate refuses nothing.",
			Nudge: "If w1 finds Olga's reply, it removes it. Let w1 look for replies and find none, then reply.",
			Teaches: "The row of a post is for its replies what the open gate is for the posts: it lies in their partition, and it is deleted before they are listed. So the store has the reply first, and w1 finds it; or it has no post any more, and refuses the reply. " +
				"A worker that is late does no harm either, although there is no shut gate: the id of a post never returns.",
			Precedent: precedent{"A database with foreign keys reads the parent's row when it inserts a child. MySQL locks that row until the transaction ends, so it cannot be deleted in between. Here no lock is held: the two are one transaction.",
				source{"MySQL, Locks Set by Different SQL Statements in InnoDB", "https://dev.mysql.com/doc/refman/8.4/en/innodb-locks-set.html"}},
		},
	}
}

// lastLevel is about the production code, with all its safeguards.
func lastLevel() level {
	return level{
		Name: "again", Title: "Break the production code",
		Idea: "A search says what was searched, and what was not.",
		Rule: "Every safeguard is there.",
		Goal: "Break any invariant of the production code.",
		Scene: "As in “The worker that slept”: two workers handle one deletion, one of them late, and Ann tries once to take the name. " +
			"All safeguards are there, so expect that you do not win: the level is done when you have seen what refuses your runs. Here you may interrupt an actor four times: another one goes first while it can go on.",
		Nudge:   "Try what has worked before, to the end, and see which safeguard refuses it.",
		Teaches: "If you see this, you have found what the model checker has not. Please send us the address of this page.",
		Precedent: precedent{"The model checker enters every state that these actors can reach, once. That is called model checking of the code itself. CMC, an early tool for that, found 34 errors in three programs for one network protocol, and one in the protocol.",
			source{"CMC: A pragmatic approach to model checking real code, OSDI 2002", "https://www.microsoft.com/en-us/research/publication/cmc-a-pragmatic-approach-to-model-checking-real-code/"}},
	}
}
