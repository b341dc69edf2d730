package page

// fenceLevels are about the gate, and what it rests on.
func fenceLevels() []level {
	return []level{
		{
			Name: "open-gate", New: "the fence", Title: "The fence",
			Goal: "Leave a post behind whose channel is gone, in the production code without its fence.",
			Scene: "Ann posts, Olga deletes, w1 does the work: as in level 1. In the production code a post is one transaction with a row called the open gate, which the deletion removes first. " +
				"Here a post requires neither the gate nor the posting rule.",
			Nudge: "If the sweep finds your post, it removes it. Let w1 look once more and find nothing, then post.",
			Teaches: "The gate is in the same partition as the posts, so the store checks it together with the post. A post came before the gate was shut, and then the sweep finds it; " +
				"or the store refuses it. No actor waits for another: it is a fence and not a lock.",
			Precedent: precedent{"Chubby, the lock service of Google, gives the holder of a lock a sequencer. It goes with each request, and the server that gets it refuses the request once the lock is lost.",
				source{"The Chubby lock service, OSDI 2006", "https://research.google/pubs/the-chubby-lock-service-for-loosely-coupled-distributed-systems/"}},
		},
		{
			Name: "shut-gate", New: "the shut gate", Title: "The worker that slept",
			Goal: "Make a worker that slept remove a row of the new channel.",
			Scene: "The workers w1 and w2 handle the deletion of a channel, and Ann tries once to take its name. A queue hides a message from other workers for a while, the lease. If w1 sleeps, w2 gets the message too. Each looks, when it begins, whether this is still the channel that was meant. " +
				"In the production code each transaction that removes rows also requires a row of that channel, the shut gate, which is deleted before the name is free. Here w1's do not.",
			Nudge: "Let w1 shut the gate, and sleep. Its lease ends when w2 gets the message. What does w1 list when it wakes up after all others have ended?",
			Teaches: "That a worker was entitled to begin does not entitle it to go on. A lease cannot help: its holder does not notice that it has run out. " +
				"So each transaction of the sweep requires the shut gate, which is deleted before the name is free.",
			Precedent: precedent{"Durable Task put a sentinel row into each partition of its history for this: every batch must match the row's ETag, so of two workers that think they own the partition one fails.",
				source{"Azure/azure-functions-durable-extension, issue 38", "https://github.com/Azure/azure-functions-durable-extension/issues/38"}},
		},
		{
			Name: "expected", New: "an identity in a form", Title: "A form older than its channel",
			Goal: "Make Ann's post land in a channel that she has never seen.",
			Scene: "Ann opens a channel and begins to type. Olga deletes the channel and creates it again (olga2). Then Ann's form arrives. " +
				"A form should say which incarnation it was made for. Here it does not.",
			Nudge: "Let Ann read first and write last.",
			Teaches: "Users decide by what they have seen. So the form carries the incarnation that it showed, down to the transaction: " +
				"the post merges the gate of that incarnation, so it appears there or nowhere.",
			Precedent: precedent{"GitHub's merge request takes the commit that the caller has reviewed, and refuses if the branch has moved. A tool that did not pass it on had this gap.",
				source{"github/github-mcp-server, issue 3181", "https://github.com/github/github-mcp-server/issues/3181"}},
		},
		{
			Name: "reservation", New: "at most once, ever", Title: "At most once, ever",
			Goal: "Open a gate for the second time, and leave a post behind it.",
			Scene: "Olga creates a channel and means to post in it, and stalls. Meanwhile the channel is deleted (olga2 asks, w1 works). " +
				"The production code replaces a reservation with the open gate, so the reservation is gone afterwards. Here it simply inserts the gate. A duplicate of one insert may still be on its way.",
			Nudge: "Which insert would bring the dead channel back, if its duplicate arrived at the end?",
			Teaches: "The network can repeat an insert at any later time. So “once” needs something that can be used only once: the transaction deletes the reservation in the version that was read. " +
				"A duplicate of the transaction fails because the reservation is gone, and a duplicate of the reservation has another version. A reservation that is left over opens no gate, because only its own creation names it; a repair deletes it.",
			Precedent: precedent{"TCP has the same worry: an old duplicate of a request to open a connection. It is the main reason for its three-way handshake.",
				source{"RFC 793, Transmission Control Protocol", "https://datatracker.ietf.org/doc/html/rfc793"}},
		},
		{
			Name: "etag", New: "versions never repeat", Title: "A late duplicate of the reservation itself",
			Goal: "Open a gate for the second time, although the open gate replaces a reservation.",
			Scene: "The same as in the level before, and this time the reservation is there. The open gate replaces it in one transaction, in the version that was read. Here any version will do. " +
				"Duplicates of two requests may still be on their way. Here one actor may be interrupted, once: let that be Olga.",
			Nudge: "The reservation is inserted by a request as well. What if its duplicate arrives late, and then that of the request that replaces it?",
			Teaches: "A late duplicate of the reservation inserts a row with the same key, so its key proves nothing. But the store gives each write a version that no other write has, " +
				"and the open gate names the version that was read. This is what the program takes for granted of the store: no version returns.",
			Precedent: precedent{"HTTP has the same worry: a time of modification is a weak validator, because a page may change twice in one second.",
				source{"RFC 9110, HTTP Semantics, section 8.8.2.2", "https://www.rfc-editor.org/rfc/rfc9110#section-8.8.2.2"}},
		},
		{
			Name: "fresh-read", New: "the last look", Title: "Look again before you lock up",
			Goal: "Make a deletion leave rows behind.",
			Scene: "Two messages are on the queue. One is about a post that was deleted: a worker removes the votes on it. The other is about its channel: a worker shuts the gate, lists the rows and removes them. " +
				"The production worker ends only when a fresh look finds nothing. Here it trusts its first list.",
			Nudge: "A transaction removes all rows of a list, or none. What if one of them has gone?",
			Teaches: "A list is old as soon as it is read. Only a fresh read that finds nothing, after the gate was shut, proves that nothing is left: " +
				"since then nothing can have been added.",
			Precedent: precedent{"Kubernetes added such a look to the deletion of a namespace: that a list of each kind of object is empty.",
				source{"kubernetes/kubernetes, issue 22045", "https://github.com/kubernetes/kubernetes/issues/22045"}},
		},
	}
}
