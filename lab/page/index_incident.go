package page

// An incident is something that went wrong elsewhere, in public. Each sentence of it is in
// one of its sources.
type incident struct {
	Title string
	// Text has one paragraph each.
	Text []string
	// Moral says where it is found again in the lab.
	Moral string
	// Level is the name of the level that shows it.
	Level   string
	Sources []source
}

func incidents() []incident {
	return []incident{
		{
			Title: "A stale check takes DynamoDB off the net",
			Text: []string{
				"In October 2025 nobody could open a new connection to Amazon's database DynamoDB in the region us-east-1 for almost three hours. Its DNS addresses are written by several processes that do not know each other. " +
					"One of them checked that its plan was newer than the one in force, and was then held up unusually long.",
				"Meanwhile another one wrote a much newer plan and began to clean up the old ones. Now the first one went on and wrote its old plan over the new one, because its check was long out of date. " +
					"The clean-up deleted that plan as too old. It was the live one, and all addresses of the region went with it.",
			},
			Moral: "To check and then to act is two steps, and a writer that is late does not know it.",
			Level: "A1",
			Sources: []source{
				{"AWS, Summary of the Amazon DynamoDB service disruption", "https://aws.amazon.com/message/101925/"},
				{"Simon Willison, the passage about the race", "https://feeds.simonwillison.net/2025/Oct/23/aws-postmortem"},
			},
		},
		{
			Title: "“Running”, written over “Completed”",
			Text: []string{
				"Durable Task keeps the state of long workflows in Azure tables. Its developers describe this: worker A writes the history of a workflow and stalls. Worker B takes the next piece of work, completes the workflow, and deletes its messages. " +
					"Then A goes on, and writes “Running” into the table of states. The messages are gone, so nothing will ever mend it.",
				"The answer is a condition on the version of the row, its ETag. For the history they proposed it in 2017: a sentinel row in each partition, which every batch of writes must find unchanged.",
			},
			Moral: "A worker that sleeps does not notice that others have done its work. The store has to.",
			Level: "A2",
			Sources: []source{
				{"Azure/durabletask, pull request 1280", "https://github.com/Azure/durabletask/pull/1280"},
				{"Azure/azure-functions-durable-extension, issue 38", "https://github.com/Azure/azure-functions-durable-extension/issues/38"},
			},
		},
		{
			Title: "A deletion that destroys who came back",
			Text: []string{
				"In PostHog, a person who was deleted may come back. Deleting takes several steps. In September 2026 its developers found that a deletion that crashed before it had finished its mark " +
					"could carry out its last step again, over the person who had come back, and destroy them.",
			},
			Moral: "What is safe to repeat on the old one is an accident to the new one of that name.",
			Level: "incarnation",
			Sources: []source{
				{"PostHog/posthog, pull request 96995", "https://github.com/PostHog/posthog/pull/96995"},
			},
		},
	}
}
