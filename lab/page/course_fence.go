package page

// fenceLevels are about the gate, and what it rests on.
func fenceLevels() []level {
	return []level{
		{
			Name: "late-copy", Safeguard: "open-gate", Title: "One after the other is not enough",
			Goal: "Leave a post behind whose channel is gone, although no user posts while it is deleted.",
			Scene: "The textbook. Olga posts, waits for the answer, and only then deletes the channel. No other person is there, so the order of calls alone does no harm. " +
				"But a request, or a duplicate of it, may stay on its way for as long as you like.",
			Nudge: "Which of Olga's requests would do harm if it arrived last?",
			Teaches: "Not only actors can be late. The network can delay a request as well, so a program that does one thing after the other is not safe either. " +
				"Only the store can refuse what comes too late.",
			Precedent: precedent{"Amazon's standard queues say so of themselves: more than one copy of a message may be delivered, and not always in order.",
				source{"Amazon SQS, Standard queues", "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/standard-queues.html"}},
		},
		{
			Name: "open-gate", Title: "The fence",
			Goal: "Leave a post behind whose channel is gone, in the production code without its fence.",
			Scene: "Ann posts, Olga deletes, w1 does the work: as in level 1. In the production code a post is one transaction with a row called the open gate, which the deletion removes first. " +
				"Here the post does not require the gate.",
			Nudge: "The worker looks twice. Let Ann write after its last look.",
			Teaches: "The gate is in the same partition as the posts, so the store checks it together with the post. A post came before the gate was shut, and then the sweep finds it; " +
				"or the store refuses it. No actor waits for another: it is a fence and not a lock.",
			Precedent: precedent{"Martin Kleppmann calls such a thing a fencing token: what makes a late write harmless is not the lock of its writer, but a check in the store that it writes to.",
				source{"Martin Kleppmann, How to do distributed locking", "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html"}},
		},
		{
			Name: "incarnation", Title: "A name is no identity",
			Goal: "Make a late worker touch a channel that no user asked to delete.",
			Scene: "Two workers get the message of one deletion. Ann creates a channel of the name once it is free; if she asks too early, she is refused and goes away. The message says which incarnation is to go, and the worker should compare. " +
				"Here it takes any channel of that name for the one that was meant.",
			Nudge: "As in level 2: let w1 free the name, let Ann have it, and then let w2 begin.",
			Teaches: "A late message must be recognised as late. The name cannot tell, and a clock cannot either. An identity that never returns can: " +
				"the worker reads the channel, finds another incarnation, and is done.",
			Precedent: precedent{"In PostHog, a person who was deleted may come back. In September 2026 its developers found that a deletion that crashed before it had finished its mark " +
				"could carry out its last step again, over the person who had come back, and destroy them.",
				source{"PostHog/posthog, pull request 96995", "https://github.com/PostHog/posthog/pull/96995"}},
		},
		{
			Name: "if-match", Title: "Read, and then deleted by name",
			Goal: "Make a late worker delete the channel's row that Ann has just created.",
			Scene: "Two workers handle one deletion, and Ann takes the name when it is free. The last thing a worker deletes is the channel's row. It has read the row before and compared the incarnation. " +
				"In the production code the deletion holds only for the version that was read (if-match). Here it deletes what is there.",
			Nudge: "Level 1 again, on one row: w2 has looked. What may happen before it deletes?",
			Teaches: "To look and then to delete is not safe either, however short the time between. The row has a version, its ETag, and each write changes it. " +
				"The deletion names the version that was read, so the store refuses it on any other row, also of the same name.",
			Precedent: precedent{"Kubernetes could delete an object only by its name, and later by its identity. Since 2019 a deletion may also name the version that was read, so that it fails if something has changed unseen.",
				source{"kubernetes/kubernetes, pull request 74040", "https://github.com/kubernetes/kubernetes/pull/74040"}},
		},
		{
			Name: "expected", Title: "A form older than its channel",
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
			Name: "reservation", Title: "At most once, ever",
			Goal: "Open a gate for the second time, and leave a post behind it.",
			Scene: "Olga creates a channel and means to post in it, and stalls. Meanwhile the channel is deleted (olga2 asks, w1 works). " +
				"The production code replaces a reservation with the open gate, so the reservation is gone afterwards. Here it simply inserts the gate. A duplicate of one insert may still be on its way.",
			Nudge: "Which insert would bring the dead channel back, if its duplicate arrived at the end?",
			Teaches: "The network can repeat an insert at any later time. So “once” needs something that can be used only once: the transaction deletes the reservation in the version that was read. " +
				"A duplicate of the transaction fails because the reservation is gone, and a duplicate of the reservation has another version.",
			Precedent: precedent{"TCP has the same worry: an old duplicate of a request to open a connection. It is the main reason for its three-way handshake.",
				source{"RFC 793, Transmission Control Protocol", "https://datatracker.ietf.org/doc/html/rfc793"}},
		},
		{
			Name: "fresh-read", Title: "Look again before you lock up",
			Goal: "Make a deletion leave rows behind.",
			Scene: "Two messages are on the queue. One is about a post that was deleted: a worker removes the votes on it. The other is about its channel: a worker shuts the gate, lists the rows and removes them. " +
				"The production worker ends only when a fresh look finds nothing. Here it trusts its first list.",
			Nudge: "A transaction removes all rows of a list, or none. What if one of them has gone?",
			Teaches: "A list is old as soon as it is read. Only a fresh read that finds nothing, after the gate was shut, proves that nothing is left: " +
				"since then nothing can have been added.",
			Precedent: precedent{"Kubernetes added such a look to the deletion of a namespace: that a list of each kind of object is empty.",
				source{"kubernetes/kubernetes, issue 22045", "https://github.com/kubernetes/kubernetes/issues/22045"}},
		},
		{
			Name: "pivot", Title: "Undone, and gone",
			Goal: "Let Olga be told that her deletion is undone, and take her channel away all the same.",
			Scene: "Olga has deleted her channel, and changes her mind. Her request makes the channel's row active again, unless a worker was faster. " +
				"The workers w1 and w2 have the message. In the production code a worker sets the row to deleting, the point of no return, before it touches anything else. Here it goes on without that.",
			Nudge: "A worker that finds the channel undone goes away. When must it have looked?",
			Teaches: "What takes several steps can be undone up to one of them, the pivot. The pivot and the undo are two writes to one row, in the version that was read. " +
				"So only one of them succeeds, and the other fails because it came second.",
			Precedent: precedent{"Azure's catalogue of patterns says the same of a saga: before the pivot each step can be compensated, and after it only finished.",
				source{"Azure Architecture Center, Saga design pattern", "https://learn.microsoft.com/en-us/azure/architecture/patterns/saga"}},
		},
	}
}
