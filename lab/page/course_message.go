package page

// anomalies are the levels of the textbook version, one for each of its four errors.
func anomalies() []level {
	return []level{
		{
			Name: "A1", Safeguard: "open-gate", Title: "A post without a channel",
			Goal: "Make the program leave a post behind whose channel is gone.",
			Scene: "Ann posts in a channel. Olga, who owns the channel, deletes it at the same time: her request marks it and leaves a message on a queue. " +
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
			Goal: "Make a worker destroy a channel that no user asked to delete.",
			Scene: "The deletion of the channel is under way: its message waits on the queue. A queue delivers a message at least once, so both workers, w1 and w2, may get it. " +
				"Ann tries to create a channel of that name, one time only. While the old channel is there, she is refused and goes away. When the name is free, she gets it, and posts.",
			Nudge: "Let w1 do everything but take the message off the queue. Then it is Ann's turn.",
			Teaches: "What is safe to repeat on one channel destroys the next one of that name. A name is not an identity. " +
				"MicroBlogging gives each creation a random identity, the incarnation, and each removal names the incarnation that it means.",
			Precedent: precedent{"In kcp, a deletion fails and is queued to be tried again. Meanwhile the object is created again under its name. The second try deletes the new one.",
				source{"kcp-dev/kcp, issue 643", "https://github.com/kcp-dev/kcp/issues/643"}},
		},
		{
			Name: "A3", Safeguard: "queue-first", Title: "Asked for, and never done",
			Goal: "Make the channel stay half deleted without end.",
			Scene: "Olga deletes her channel. The web server first marks the channel in a table, and then puts a message on the queue, so that a worker does the rest. " +
				"This level allows a fault, which means that something goes wrong: open “Other fates” next to her button.",
			Nudge: "There are only two calls. Who could do the second, if the first is all that happened?",
			Teaches: "A write to a table and a write to a queue are no transaction. A process that dies between them leaves one without the other. " +
				"You can only choose which of the two it will be.",
			Precedent: precedent{"Durable Task on Azure Storage writes a history and then a status. If the process ends between the two, the workflow is complete and says “Running” for good.",
				source{"Azure/durabletask, issue 1252", "https://github.com/Azure/durabletask/issues/1252"}},
		},
		{
			Name: "A4", Safeguard: "look", Title: "Beaten by oneself",
			Goal: "Let Ann be told that another user has taken the name of her channel.",
			Scene: "Ann creates a channel, and no other user is there. If no answer comes, the library that talks to the database (the SDK) sends the same request again. " +
				"This level allows a fault, which means that something goes wrong: open “Other fates” next to her button.",
			Nudge: "An answer can be lost on its way back, although the request has arrived.",
			Teaches: "“Already exists” does not always mean that another user was faster. It may be a conflict with one's own earlier request. " +
				"After a conflict, read the row before you report anything.",
			Precedent: precedent{"Azure Cosmos DB's SDK reported a timeout for an insert that had worked. The retry was told that the item already exists.",
				source{"Azure/azure-cosmos-dotnet-v3, issue 1420", "https://github.com/Azure/azure-cosmos-dotnet-v3/issues/1420"}},
		},
	}
}

// messageLevels are about what is lost, late or sent twice.
func messageLevels() []level {
	return []level{
		{
			Name: "lost-message", Safeguard: "reconcile", Title: "The queue loses a message",
			Goal: "Tell Olga that her channel will be deleted, and let no worker ever delete it.",
			Scene: "The textbook. Olga deletes her channel: a mark, then a message on the queue, then the good news. The worker w1 waits for messages. " +
				"This time the queue itself can fail: look for the card of the network.",
			Nudge: "Who knows about the deletion while only the message does?",
			Teaches: "A program that confirms something must be able to find it again without the message. MicroBlogging writes a row first, and a pass that reads such rows from time to time " +
				"sends a new message for one that was lost.",
			Precedent: precedent{"Britain's government lost jobs from the queue of its e-mail service, and wrote a worker that looks for them and queues them again.",
				source{"alphagov/email-alert-api, pull request 1315", "https://github.com/alphagov/email-alert-api/pull/1315"}},
		},
		{
			Name: "queue-first", Title: "First the message, then the mark",
			Goal: "Leave a channel that is marked as being deleted and that no worker will ever delete.",
			Scene: "Olga deletes her channel. Two steps of the production code have changed places: the channel is marked before the message is on the queue. " +
				"The pass that looks for such channels from time to time is off.",
			Nudge: "This is level 3 again. Which call makes the mark?",
			Teaches: "Of two writes that cannot be one, make the one first that leads to the other. A message without a mark leads to the mark. " +
				"A mark without a message leads to nothing.",
			Precedent: precedent{"The pattern “transactional outbox” answers the same question where there is a transaction: the message is written into the database together with the change, and sent from there.",
				source{"microservices.io, Transactional outbox", "https://microservices.io/patterns/data/transactional-outbox.html"}},
		},
		{
			Name: "shut-gate", Title: "The worker that slept",
			Goal: "Make a worker that slept remove a row of the new channel.",
			Scene: "A queue hides a message from other workers for a while, the lease, and then hands it out again. So two workers handle one deletion. Each looks, when it begins, whether this is still the channel that was meant. " +
				"In the production code each transaction that removes rows also requires a row of that channel, the shut gate, which is deleted before the name is free. Here it does not.",
			Nudge: "w2 must have begun before the name is free. It may go on whenever you like.",
			Teaches: "That a worker was entitled to begin does not entitle it to go on. A lease cannot help: its holder does not notice that it has run out. " +
				"So each transaction of the sweep requires the shut gate, which is deleted before the name is free.",
			Precedent: precedent{"Durable Task put a sentinel row into each partition of its history for this: every batch must match the row's ETag, so of two workers that think they own the partition one fails.",
				source{"Azure/azure-functions-durable-extension, issue 38", "https://github.com/Azure/azure-functions-durable-extension/issues/38"}},
		},
		{
			Name: "twice", Safeguard: "once", Title: "Asked twice",
			Goal: "Make one request leave two posts.",
			Scene: "The textbook. Ann posts. If her program is told that the store does not answer, it tries once more. " +
				"Nothing tells the store that both tries are one request.",
			Nudge: "There are several ways to get no answer. In some of them the request has arrived.",
			Teaches: "No answer does not mean no effect. The request may not have arrived, or the answer may be lost, or the request may arrive later: from outside all three look alike. " +
				"So the store must recognise a repeated request.",
			Precedent: precedent{"With Azure's management SDK, a timeout was reported although the resource was created later. Those who retried got more resources than they needed.",
				source{"Azure/azure-sdk-for-net, issue 10837", "https://github.com/Azure/azure-sdk-for-net/issues/10837"}},
		},
		{
			Name: "once", Title: "One click, two posts",
			Goal: "Make one click publish two posts.",
			Scene: "Ann's browser sends one form twice: ann and ann2 are the same request with the same idempotency key. " +
				"The production code inserts a row for the key together with the post. Here it does not.",
			Nudge: "Let both look before one of them writes.",
			Teaches: "A client that gets no answer must be able to ask again. So a request carries a key, and the row of the key is inserted in the same transaction as the post. " +
				"The second insert of that row fails, and the second post fails with it.",
			Precedent: precedent{"Stripe's API has idempotency keys for this: repeat a request after a connection error, and nothing is done twice.",
				source{"Stripe, Idempotent requests", "https://docs.stripe.com/idempotency"}},
		},
		{
			Name: "look", Title: "Read before you despair",
			Goal: "Make Ann give up a channel that is her own.",
			Scene: "Ann creates a channel with the production code, which is careful: it reserves a gate, opens it, inserts the channel's row, and then reads the row. " +
				"Here it trusts the answer to its insert instead of the row.",
			Nudge: "You know this from level 4. Which of Ann's calls may not be answered?",
			Teaches: "After a conflict the code reads the row and compares the incarnation in it with its own. That one read tells a self-conflict from another creator. " +
				"It works because each writer writes a random ID that no other writer can have written.",
			Precedent: precedent{"In Durable Task's Netherite, the creation of a blob succeeded and timed out. The retry did not notice that the blob was already there.",
				source{"microsoft/durabletask-netherite, pull request 351", "https://github.com/microsoft/durabletask-netherite/pull/351"}},
		},
	}
}
