package page

// anomalies are the levels of the textbook version.
func anomalies() []level {
	return []level{
		{
			Name: "A1", Guard: "open-gate", Title: "A post without a channel",
			Goal: "Make the program leave a post behind whose channel is gone.",
			Scene: "Ann posts in a channel. Olga, who owns the channel, deletes it at the same time: her request marks it and leaves a message on a queue. " +
				"The worker w1 takes the message and removes the posts, then the channel. " +
				"Each button lets one of them make one call to the database. You decide whose turn it is. Go on until nobody has anything to do.",
			Nudge: "Ann's request looks first whether the channel is there, and writes later. What may happen between the two?",
			Teaches: "To look and then to write takes two requests, and anything can happen between them, even a whole deletion. " +
				"The worker cannot close this gap, whatever it does earlier, later or twice. The store itself must refuse the write.",
			Cousin: cousin{"Kubernetes had this race when it deletes a namespace: one server still lets an object be created while the cleaner has already listed what it will delete. The namespace goes, the object stays.",
				source{"kubernetes/kubernetes, pull request 37431", "https://github.com/kubernetes/kubernetes/pull/37431"}},
		},
		{
			Name: "A2", Guard: "incarnation", Title: "The new channel pays for the old one",
			Goal: "Make a worker destroy a channel that nobody asked to delete.",
			Scene: "The deletion of the channel is under way: its message waits on the queue. A queue delivers a message at least once, so both workers, w1 and w2, may get it. " +
				"Ann tries to create a channel of the same name. She tries once: while the old channel is there, she is refused and goes away. So her turn comes when the name is free. Then she creates her channel, and posts in it.",
			Nudge: "Let w1 do everything but take the message off the queue. Then it is Ann's turn.",
			Teaches: "What is safe to repeat on one channel destroys the next one of that name. A name is not an identity. " +
				"Ours gives each creation a random identity, the incarnation, and each removal says which one it means.",
			Cousin: cousin{"In kcp, a deletion fails and is queued to be tried again. Meanwhile the object is created again under its name. The second try deletes the new one.",
				source{"kcp-dev/kcp, issue 643", "https://github.com/kcp-dev/kcp/issues/643"}},
		},
		{
			Name: "A3", Guard: "queue-first", Title: "Asked for, and never done",
			Goal: "Make the channel stay half deleted for ever.",
			Scene: "Olga deletes her channel. The web server first marks the channel in a table, and then puts a message on the queue, so that a worker does the rest. " +
				"This level allows a fault, which means that something goes wrong: open “Other fates” beside her button.",
			Nudge: "There are only two calls. Who could do the second, if the first is all that happened?",
			Teaches: "A write to a table and a write to a queue are no transaction. Whoever dies between them leaves one without the other. " +
				"You can only choose which of the two it will be.",
			Cousin: cousin{"Durable Task on Azure Storage writes a history and then a status. If the process ends between the two, the workflow is complete and says “Running” for good.",
				source{"Azure/durabletask, issue 1252", "https://github.com/Azure/durabletask/issues/1252"}},
		},
		{
			Name: "A4", Guard: "look", Title: "Beaten by oneself",
			Goal: "Make Ann believe that somebody else has taken the name of her channel.",
			Scene: "Ann creates a channel, and nobody else is there. If no answer comes, the library that talks to the database (the SDK) sends the same request again. " +
				"This level allows a fault, which means that something goes wrong: open “Other fates” beside her button.",
			Nudge: "An answer can be lost on its way back, although the request has arrived.",
			Teaches: "“Already exists” does not always mean that somebody else was faster. It may be the echo of one's own request. " +
				"A conflict is not an answer. It is a reason to read.",
			Cousin: cousin{"Azure Cosmos DB's SDK reported a timeout for an insert that had worked. The retry was told that the item already exists.",
				source{"Azure/azure-cosmos-dotnet-v3, issue 1420", "https://github.com/Azure/azure-cosmos-dotnet-v3/issues/1420"}},
		},
	}
}
