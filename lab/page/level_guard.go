package page

import "slices"

// guardLevels are the guards that teach most, as a course: first single rows, then two
// rows in two tables, then the fence and what it rests on.
func guardLevels() []level { return slices.Concat(rowLevels(), fenceLevels()) }

// rowLevels are about one row, or two.
func rowLevels() []level {
	return []level{
		{
			Name: "queue-first", Title: "First the message, then the mark",
			Goal: "Leave a channel that is marked as being deleted and that nobody will ever delete.",
			Scene: "Olga deletes her channel. Two steps of the shipped code have changed places: the channel is marked before the message is on the queue. " +
				"The pass that looks for such channels from time to time is off.",
			Nudge: "This is A3 again. Which call makes the mark?",
			Teaches: "Of two writes that cannot be one, make the one first that leads to the other. A message without a mark leads to the mark. " +
				"A mark without a message leads nowhere.",
			Cousin: cousin{"The pattern “transactional outbox” answers the same question where there is a transaction: the message is written into the database together with the change, and sent from there.",
				source{"microservices.io, Transactional outbox", "https://microservices.io/patterns/data/transactional-outbox.html"}},
		},
		{
			Name: "once", Title: "One click, two posts",
			Goal: "Make one click publish two posts.",
			Scene: "Ann's browser sends one form twice: ann and ann2 are the same request with the same idempotency key. " +
				"The shipped code inserts a row for the key together with the post. Here it does not.",
			Nudge: "Let both look before one of them writes.",
			Teaches: "Whoever gets no answer must be able to ask again. So a request carries a key, and the row of the key is inserted in the same transaction as the post. " +
				"The second insert of that row fails, and the second post fails with it.",
			Cousin: cousin{"Stripe's API has idempotency keys for this: repeat a request after a connection error, and nothing is done twice.",
				source{"Stripe, Idempotent requests", "https://docs.stripe.com/idempotency"}},
		},
		{
			Name: "look", Title: "Read before you despair",
			Goal: "Make Ann give up a channel that is her own.",
			Scene: "Ann creates a channel with the shipped code, which is careful: it reserves a gate, opens it, inserts the channel's row, and then reads the row. " +
				"Here it believes the answer to its insert instead of the row.",
			Nudge: "You know this from A4. Which of Ann's calls may not be answered?",
			Teaches: "After a conflict the code reads the row and compares the incarnation in it with its own. That one look tells an echo from a rival. " +
				"It works because each writer writes something that nobody else can have written.",
			Cousin: cousin{"In Durable Task's Netherite, the creation of a blob succeeded and timed out. The retry did not notice that the blob was already there.",
				source{"microsoft/durabletask-netherite, pull request 351", "https://github.com/microsoft/durabletask-netherite/pull/351"}},
		},
		{
			Name: "link-version", Title: "One link, two guests",
			Goal: "Let one sign-in link, which works once, sign in twice.",
			Scene: "Two people follow the same sign-in link: vera and vera2. The code reads the link, marks it as used and starts a session. " +
				"The mark should depend on the version of the row that was read. Here it does not.",
			Nudge: "Let both read the link while it is unused.",
			Teaches: "To read, decide and write is safe if the write depends on what was read. Each row has a version, its ETag. " +
				"The store compares it together with the write: the second of two that read the same version is refused.",
			Cousin: cousin{"In better-auth, two requests at the same time could both use one magic link, because it was looked up, marked and used in three operations.",
				source{"better-auth/better-auth, pull request 9572", "https://github.com/better-auth/better-auth/pull/9572"}},
		},
		{
			Name: "ended", Title: "A session rises again",
			Goal: "Let a session sign somebody in after its end was confirmed.",
			Scene: "Vera makes a sign-in link, follows it and signs out. Signing out should mark the row of her session as ended. Here it deletes the row. " +
				"A copy of a request may still be under way when everybody has gone on.",
			Nudge: "Which insert would you like to see a second time, at the end?",
			Teaches: "A row that is not there cannot refuse anything. What has ended and must stay so keeps its row, with a mark on it. " +
				"A late copy of the insert then meets the row, and fails.",
			Cousin: cousin{"Cassandra deletes by writing a marker, a tombstone. Its manual calls data that comes back because the marker is missing a zombie.",
				source{"Apache Cassandra, Tombstones", "https://cassandra.apache.org/doc/latest/cassandra/managing/operating/compaction/tombstones.html"}},
		},
		{
			Name: "join", Title: "Two rows in two tables",
			Goal: "Leave Vera among the subscribers of a channel, with no subscription of her own.",
			Scene: "A subscription is two rows: one in the channel's partition, one in Vera's. No transaction spans both. Vera subscribes. " +
				"At the same time her feed is read, which removes rows that look like a subscription that died half way. " +
				"The shipped code puts the first row in the place of another, join!vera, in the version that it read. Here it just inserts it.",
			Nudge: "Let the feed come to the conclusion that Vera's request is dead. Let it be wrong.",
			Teaches: "Of two rows that no transaction spans, one is the truth, and the other is written before it and removed after it. " +
				"And the truth can be written only once: whoever cleans up first takes away what it depends on, so the late write fails.",
			Cousin: cousin{"Facebook's TAO keeps a relation in both directions, without a transaction across the two. If one is missing after a failure, a job repairs it later.",
				source{"TAO, USENIX ATC 2013", "https://www.usenix.org/system/files/conference/atc13/atc13-bronson.pdf"}},
		},
	}
}

// fenceLevels are about whole deletions.
func fenceLevels() []level {
	return []level{
		{
			Name: "fresh-read", Title: "Look again before you lock up",
			Goal: "Make a deletion leave rows behind.",
			Scene: "Two messages are on the queue. One is about a post that was deleted: a worker removes the votes on it. The other is about its channel: a worker shuts the gate, lists the rows and removes them. " +
				"The shipped worker ends only when a fresh look finds nothing. Here it believes its first list.",
			Nudge: "A transaction removes all rows of a list, or none. What if one of them has gone?",
			Teaches: "A list is old as soon as it is read. Only a fresh read that finds nothing, after the gate was shut, proves that nothing is left: " +
				"since then nothing can have been added.",
			Cousin: cousin{"Kubernetes added such a look to the deletion of a namespace: that a list of each kind of object is empty.",
				source{"kubernetes/kubernetes, issue 22045", "https://github.com/kubernetes/kubernetes/issues/22045"}},
		},
		{
			Name: "open-gate", Title: "The fence",
			Goal: "Leave a post behind whose channel is gone, in the code that ships without its fence.",
			Scene: "Ann posts, Olga deletes, w1 does the work: as in A1. In the shipped code a post is one transaction with a row called the open gate, which the deletion removes first. " +
				"Here the post does not ask for the gate.",
			Nudge: "The worker looks twice. Let Ann write after its last look.",
			Teaches: "The gate lies in the same partition as the posts, so the store checks it together with the post. A post came before the gate was shut, and then the sweep finds it; " +
				"or it never lands. Nobody waits for anybody: it is a fence and not a lock.",
			Cousin: cousin{"Martin Kleppmann calls such a thing a fencing token: what makes a late write harmless is not the lock of its writer, but a check in the store that it writes to.",
				source{"Martin Kleppmann, How to do distributed locking", "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html"}},
		},
		{
			Name: "incarnation", Title: "A name is no identity",
			Goal: "Make a late worker touch a channel that nobody asked to delete.",
			Scene: "Two workers get the message of one deletion. Ann creates a channel of the name once it is free; if she asks too early, she is refused and goes away. The message says which incarnation is to go, and the worker should compare. " +
				"Here it takes whatever has the name for what was meant.",
			Nudge: "As in A2: let w1 free the name, let Ann have it, and then let w2 begin.",
			Teaches: "A late message must be recognised as late. The name cannot tell, and a clock cannot either. An identity that never returns can: " +
				"the worker reads the channel, finds another incarnation, and is done.",
			Cousin: cousin{"Kubernetes has this as a precondition of a deletion: only if the object under this name still has this UID.",
				source{"kubernetes/kubernetes, pull request 22965", "https://github.com/kubernetes/kubernetes/pull/22965"}},
		},
		{
			Name: "shut-gate", Title: "The worker that slept",
			Goal: "Make a worker that slept remove a row of the new channel.",
			Scene: "Two workers handle one deletion. Each compares incarnations, as it should, when it begins. In the shipped code each of its transactions also needs the shut gate of that incarnation. " +
				"Here it does not.",
			Nudge: "w2 must have begun before the name is free. It may go on whenever you like.",
			Teaches: "That a worker was entitled to begin does not entitle it to go on. A lease cannot help: its holder does not notice that it has run out. " +
				"So each transaction of the sweep holds the shut gate, which goes before the name is free.",
			Cousin: cousin{"Durable Task put a sentinel row into each partition of its history for this: every batch must match the row's ETag, so of two workers that believe they own the partition one fails.",
				source{"Azure/azure-functions-durable-extension, issue 38", "https://github.com/Azure/azure-functions-durable-extension/issues/38"}},
		},
		{
			Name: "expected", Title: "A form older than its channel",
			Goal: "Make Ann's post land in a channel that she has never seen.",
			Scene: "Ann opens a channel and begins to type. Olga deletes the channel and creates it again (olga2). Then Ann's form arrives. " +
				"A form should say which incarnation it was made for. Here it does not.",
			Nudge: "Let Ann read first and write last.",
			Teaches: "What somebody decides on is what they have seen. So the form carries the incarnation that it showed, down to the transaction: " +
				"the post merges the gate of that incarnation, and lands there or nowhere.",
			Cousin: cousin{"GitHub's merge request takes the commit that the caller has reviewed, and refuses if the branch has moved. A tool that did not pass it on had this gap.",
				source{"github/github-mcp-server, issue 3181", "https://github.com/github/github-mcp-server/issues/3181"}},
		},
		{
			Name: "reservation", Title: "Once in all time",
			Goal: "Open a gate for the second time, and leave a post behind it.",
			Scene: "Olga creates a channel and means to post in it, and stalls. Meanwhile the channel is deleted (olga2 asks, w1 works). " +
				"The shipped code puts the open gate in the place of a reservation, which is used up by that. Here it inserts the gate outright. A copy of one insert may still be under way.",
			Nudge: "Which row would bring the dead channel back, if it came again at the end?",
			Teaches: "The network can repeat an insert at any later time. So “once” needs something that is used up: the swap deletes the reservation in the version that was read. " +
				"A copy of the swap finds it gone, and a copy of the reservation has another version.",
			Cousin: cousin{"TCP has the same worry: an old duplicate of a request to open a connection. It is the main reason for its three-way handshake.",
				source{"RFC 793, Transmission Control Protocol", "https://datatracker.ietf.org/doc/html/rfc793"}},
		},
	}
}
