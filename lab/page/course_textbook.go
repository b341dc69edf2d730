package page

// textbookLevels are those of the textbook version.
func textbookLevels() []level {
	return []level{
		{
			Name: "A1", Safeguard: "own-gate", Title: "A post without a channel",
			Idea: "What was read is old by the time of the write.",
			Rule: "Ann's post is inserted, if the channel is still there and not being deleted.", Missing: ", if the channel is still there and not being deleted",
			Goal: "Make the program leave a post behind whose channel is gone.",
			Scene: "Ann posts in a channel. Olga, its owner, deletes it at the same time: her request marks it and leaves a message on a queue. " +
				"The worker w1 takes the message and removes the posts, then the channel. " +
				"You decide whose turn it is. Go on until no actor has anything to do.",
			Nudge: "Ann's request looks first whether the channel is there, and writes later. What may happen between the two?",
			Teaches: "To look and then to write takes two requests, and anything can happen between them, even a whole deletion. " +
				"The worker cannot close this gap, whatever it does earlier, later or twice. The store itself must refuse the write.",
			Precedent: precedent{"In October 2025 no client could open a new connection to Amazon's database DynamoDB in the region us-east-1 for almost three hours. Its DNS addresses are written by several processes. " +
				"One of them checked that its plan was newer than the one in force, and was then held up. Meanwhile another one wrote a much newer plan. The first one went on and wrote its old plan over it. " +
				"The clean-up deleted that plan as too old. It was the live one, and all addresses of the region went with it.",
				source{"AWS, Summary of the Amazon DynamoDB service disruption", "https://aws.amazon.com/message/101925/"}},
		},
		{
			Name: "A2", Safeguard: "incarnation", Title: "The new channel pays for the old one",
			Idea: "A name that returns is no identity.",
			Rule: "A worker deletes the channel that has the name, if it is the incarnation that was meant.", Missing: ", if it is the incarnation that was meant",
			Goal: "Make a worker destroy a channel that no user asked to delete.",
			Scene: "The deletion of the channel is under way: its message waits on the queue. A queue delivers a message at least once, so both workers, w1 and w2, may get it. " +
				"Ann tries to create a channel of that name, one time only. While the old channel is there, she is refused and goes away. Otherwise she gets it, and posts.",
			Nudge: "Let w1 do everything but take the message off the queue. Then it is Ann's turn.",
			Teaches: "What is safe to repeat on one channel destroys the next one of that name. A name is not an identity. " +
				"MicroBlogging gives each creation a random identity, the incarnation, and each removal names the incarnation that it means.",
			Precedent: precedent{"In kcp, a deletion fails and is queued to be tried again. Meanwhile the object is created again under its name. The second try deletes the new one.",
				source{"kcp-dev/kcp, issue 643", "https://github.com/kcp-dev/kcp/issues/643"}},
		},
		{
			Name: "A3", Safeguard: "queue-first", Title: "Asked for, and never done",
			Idea: "Of two writes that are no transaction, choose which one may be left alone.",
			Rule: "The message is on the queue before the channel is marked.", Missing: " before the channel is marked",
			Goal: "Make the channel stay marked for deletion without end.",
			Scene: "Olga deletes her channel. The web server first marks the channel in a table, and then puts a message on the queue, so that a worker does the rest. " +
				"One fault is allowed.",
			Nudge: "There are only two calls. Who could do the second, if the first is all that happened?",
			Teaches: "A write to a table and a write to a queue are no transaction. A process that dies between them leaves one without the other. " +
				"You can only choose which of the two it will be.",
			Precedent: precedent{"Durable Task on Azure Storage writes a history and then a status. If the process ends between the two, the workflow is complete and says “Running” for good.",
				source{"Azure/durabletask, issue 1252", "https://github.com/Azure/durabletask/issues/1252"}},
		},
		{
			Name: "A4", Safeguard: "look", Title: "Beaten by oneself",
			Idea: "“Already there” may be one's own earlier request.",
			Rule: "Ann is told that the name is taken, once she has read that the channel there is not her own.", Missing: ", once she has read that the channel there is not her own",
			Goal: "Let Ann be told that another user has taken the name of her channel.",
			Scene: "Ann creates a channel, and no other user is there. If no answer comes, the library that talks to the database (the SDK) may send the same request again: " +
				"each fault on her card says whether it does. One fault is allowed.",
			Nudge: "An answer can be lost on its way back, although the request has arrived.",
			Teaches: "“Already exists” does not always mean that another user was faster. It may be a conflict with one's own earlier request. " +
				"After a conflict, read the row before you report anything.",
			Precedent: precedent{"Azure Cosmos DB's SDK reported a timeout for an insert that had worked. The retry was told that the item already exists.",
				source{"Azure/azure-cosmos-dotnet-v3, issue 1420", "https://github.com/Azure/azure-cosmos-dotnet-v3/issues/1420"}},
		},
		{
			Name: "twice", Safeguard: "once", Title: "Asked twice",
			Idea: "No answer does not mean no effect.",
			Rule: "The store inserts a post, if the key of its request has made none.", Missing: ", if the key of its request has made none",
			Goal: "Make one request leave two posts.",
			Scene: "This is the textbook version. Ann posts. If her program gets any error, it tries once more. " +
				"The new try has a new id, so nothing tells the store that both are one request. A copy that the SDK (the library that talks to the store) sends has the id of its try, so the store refuses it. " +
				"This level allows one fault, which means that something goes wrong: choose one of the faults on her card.",
			Nudge: "There are several ways to get no answer. In some of them the request has arrived.",
			Teaches: "No answer does not mean no effect. The request may not have arrived, or the answer may be lost, or the request may arrive later: from outside all three look alike. " +
				"So the store must recognise a repeated request.",
			Precedent: precedent{"With Azure's management SDK, a timeout was reported although the resource was created later. Those who retried got more resources than they needed.",
				source{"Azure/azure-sdk-for-net, issue 10837", "https://github.com/Azure/azure-sdk-for-net/issues/10837"}},
		},
		{
			Name: "lost-message", Safeguard: "reconcile", Title: "The queue loses a message",
			Idea: "A promise rests on a row, and not on a message.",
			Rule: "Olga is told that her channel will be deleted, once a row says so that can be found without the message.", Missing: ", once a row says so that can be found without the message",
			Goal: "Tell Olga that her channel will be deleted, and let no worker ever delete it.",
			Scene: "This is the textbook version. Olga deletes her channel: a mark, then a message on the queue, then the good news. The worker w1 waits for messages. " +
				"The channel's row says deleting, but no process looks through all channels for that, so it cannot be found without the message. " +
				"This time the queue itself can fail: look for the card of the network.",
			Nudge: "Who knows about the deletion while only the message does?",
			Teaches: "A program that confirms something must be able to find it again without the message. MicroBlogging writes a row first. The reconciling pass reads such rows from time to time, and " +
				"sends a new message for one that was lost.",
			Precedent: precedent{"Britain's government lost jobs from the queue of its e-mail service. Since then a worker looks for work that is not done after an hour, and queues it again.",
				source{"alphagov/email-alert-api, pull request 1318", "https://github.com/alphagov/email-alert-api/pull/1318"}},
		},
		{
			Name: "late-copy", Safeguard: "own-gate", Title: "One after the other is not enough",
			Idea: "A request that was given up may still arrive.",
			Rule: "A post is inserted, if the channel is there and is not being deleted when the request arrives.", Missing: ", if the channel is there and is not being deleted when the request arrives",
			Goal: "Leave a post behind whose channel is gone, although no user posts while it is deleted.",
			Scene: "This is the textbook version. Olga posts. When that is answered, or she has given it up, she deletes the channel. No other person is there, so the order of calls does no harm. " +
				"But one request, or a duplicate, may be delayed at will.",
			Nudge: "Which of Olga's requests would do harm if it arrived last?",
			Teaches: "Not only actors can be late. The network can delay a request as well, and to give a request up does not call it back. So a program that does one thing after the other is not safe either. " +
				"Only the store can refuse what comes too late.",
			Precedent: precedent{"Amazon's standard queues say so of themselves: more than one copy of a message may be delivered, and not always in order.",
				source{"Amazon SQS, Standard queues", "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/standard-queues.html"}},
		},
	}
}
