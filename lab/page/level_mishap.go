package page

// mishapLevels are about the textbook, and about mishaps.
func mishapLevels() []level {
	return []level{
		{
			Name: "twice", Guard: "once", Title: "Asked twice",
			Goal: "Make one request leave two posts.",
			Scene: "Ann posts. If her program is told that the store does not answer, it tries once more. " +
				"Nothing tells the store that both tries are one request.",
			Nudge: "There are several ways to get no answer. In some of them the request has arrived.",
			Teaches: "No answer does not mean no effect. The request may not have arrived, or the answer may be lost, or the request may arrive later: from outside all three look alike. " +
				"Whoever asks again must be recognised as asking again.",
			Cousin: cousin{"With Azure's management SDK, a timeout was reported although the resource was created later. Those who retried got more resources than they needed.",
				source{"Azure/azure-sdk-for-net, issue 10837", "https://github.com/Azure/azure-sdk-for-net/issues/10837"}},
		},
		{
			Name: "lost-message", Guard: "reconcile", Title: "The queue forgets",
			Goal: "Tell Olga that her channel will be deleted, and let nobody ever do it.",
			Scene: "Olga deletes her channel: a mark, then a message on the queue, then the good news. The worker w1 waits for messages. " +
				"This time the queue itself can fail: look for the card of the network.",
			Nudge: "Who knows about the deletion while only the message does?",
			Teaches: "Whoever confirms something must be able to find it again without the message. Ours leaves a mark in the table, and a pass that looks for marks from time to time: " +
				"it queues again what a lost message would have done.",
			Cousin: cousin{"Britain's government lost jobs from the queue of its e-mail service, and wrote a worker that looks for them and queues them again.",
				source{"alphagov/email-alert-api, pull request 1315", "https://github.com/alphagov/email-alert-api/pull/1315"}},
		},
		{
			Name: "late-copy", Guard: "open-gate", Title: "One after the other is not enough",
			Goal: "Leave a post behind whose channel is gone, although nobody posts while it is deleted.",
			Scene: "Olga posts, waits for the answer, and only then deletes the channel. No other person is there, so the order of calls alone does no harm. " +
				"But a request, or a copy of it, may stay on its way for as long as you like.",
			Nudge: "Which of Olga's requests would do harm if it arrived last?",
			Teaches: "It is not only people who are late. The network is late as well, so a program that does one thing after the other is not safe either. " +
				"Only the store can refuse what comes too late.",
			Cousin: cousin{"Amazon's standard queues say so of themselves: more than one copy of a message may be delivered, and not always in order.",
				source{"Amazon SQS, Standard queues", "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/standard-queues.html"}},
		},
	}
}
