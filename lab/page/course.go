package page

import (
	"slices"
	"strconv"
)

// A level is one task of the course: break a law in this scenario. Its par, its law and
// the faults that it allows are not here: they are those of the scenario, or were found
// by the explorer.
type level struct {
	// Name is the scenario's.
	Name string
	// Title is a few words, and Goal one sentence.
	Title, Goal string
	// Scene says who is there and what they are about to do, for somebody who sees the
	// lab for the first time.
	Scene string
	// Nudge is a first thought for somebody who is stuck.
	Nudge string
	// Guard is the ablation of the guard by which ours refuses this. A level about a guard is
	// its own.
	Guard string
	// Teaches is said when the level is won.
	Teaches string
	Cousin  cousin
}

// A cousin is a public incident or a pattern that is like what a level shows.
type cousin struct {
	Text string
	source
}

// A source is a page on which something can be read.
type source struct{ Title, URL string }

// A chapter is a part of the course.
type chapter struct {
	Title string
	// Lead says what the levels have in common.
	Lead   string
	Levels []level
}

// course has the levels in the order in which they build on each other.
func course() []chapter {
	return []chapter{
		{
			Title: "The textbook",
			Lead: "A worker deletes a channel in five obvious steps, in a hundred lines of Go. " +
				"It is wrong in four ways. Find them.",
			Levels: anomalies(),
		},
		{
			Title: "One guard less",
			Lead: "From here on, what you step through is the code that ships. In each level one of its guards is taken out. " +
				"Show that it was needed.",
			Levels: guardLevels(),
		},
		{
			Title: "Faults of your choice",
			Lead: "The textbook again. In these levels the order of calls alone does no harm. The right fault at the right call does: " +
				"which one, and when, is for you to choose.",
			Levels: mishapLevels(),
		},
		{
			Title:  "The code that ships",
			Lead:   "Nothing is taken out. Try what you have learned.",
			Levels: []level{lastLevel()},
		},
	}
}

// levels are those of the course, one after the other.
func levels() (list []level) {
	for _, c := range course() {
		list = append(list, c.Levels...)
	}
	return list
}

// levelOf is the level of a scenario, and its number, which counts from 1. The number is 0
// if the scenario is no level.
func levelOf(name string) (level, int) {
	for i, l := range levels() {
		if l.Name == name {
			return l, i + 1
		}
	}
	return level{}, 0
}

// numbered is the title with the number.
func (l level) numbered(number int) string {
	return "Level " + strconv.Itoa(number) + ": " + l.Title
}

// levelAfter is the level that follows the one of that number, if there is one.
func levelAfter(number int) (level, bool) {
	list := levels()
	if number < 1 || number >= len(list) {
		return level{}, false
	}
	return list[number], true
}

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
			Cousin: cousin{"In October 2025 nobody could open a new connection to Amazon's database DynamoDB in the region us-east-1 for almost three hours. Its DNS addresses are written by several processes. " +
				"One of them checked that its plan was newer than the one in force, and was then held up. Meanwhile another one wrote a much newer plan. The first one went on and wrote its old plan over it. " +
				"The clean-up deleted that plan as too old. It was the live one, and all addresses of the region went with it.",
				source{"AWS, Summary of the Amazon DynamoDB service disruption", "https://aws.amazon.com/message/101925/"}},
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
		{
			Name: "active-first", Title: "An index in another table",
			Goal: "Leave a post behind that nobody finds among the newest.",
			Scene: "Each channel is a partition of its own. So the newest posts of all channels are found by an index in another table: a row for each channel and each hour with posts. Ann posts, an hour after the last post. " +
				"The shipped code writes the row of the index before the post. Here it writes it afterwards.",
			Nudge: "There are two writes, and Ann may die. Which of them is there without the other?",
			Teaches: "Of two writes that cannot be one, make the one first that does no harm alone. A row without a post leads its reader to nothing. " +
				"A post without a row is never found, and nobody knows that something is missing.",
			Cousin: cousin{"Azure's guide to table design has an index in other partitions, which is kept in step by messages on a queue: if a step fails, it is done again until it is done.",
				source{"Microsoft, Table design patterns: inter-partition secondary index", "https://learn.microsoft.com/azure/storage/tables/table-storage-design-patterns#inter-partition-secondary-index-pattern"}},
		},
		{
			Name: "author-gone", Title: "Tidied away too soon",
			Goal: "Hide a post that was accepted from the page of its author.",
			Scene: "Ann posts. First her post is put on her list, which lies in her own partition, and then it is made. A reader looks at her page: it reads the list, and then each post and its channel. " +
				"The shipped code takes a post off the list only when its channel is gone. Here the reader does so when the post is not there.",
			Nudge: "When is a post on the list and not there? And who says that it stays so?",
			Teaches: "A row that points to nothing may be of a writer who died, or of one who is slow, and no age tells the two apart: a request may land at any later time. " +
				"So rubbish is what can never be used again, and not what is not in use. Here the gate decides: once the channel is gone, no post can land in it.",
			Cousin: cousin{"A push to a Git repository writes its objects first, and refers to them last. GitLab's housekeeping once deleted what nothing referred to, without the usual grace of two weeks. " +
				"So it could delete what a push had just written.",
				source{"gitlab-org/gitaly, merge request 4416", "https://gitlab.com/gitlab-org/gitaly/-/merge_requests/4416"}},
		},
	}
}

// fenceLevels are about whole deletions, and about rules.
func fenceLevels() []level {
	return []level{
		{
			Name: "guests-token", Title: "Blocked, and heard once more",
			Goal: "Let a post of Ann land after Olga was told that Ann is blocked.",
			Scene: "Olga owns the channel, and blocks Ann, who is about to post. Whether Ann may post stands in a row of the channel, under a random token. Ann's request reads that row first. " +
				"The shipped code then names the row in the transaction of the post. Here the post goes without it.",
			Nudge: "Ann's request reads that she may post. How long is that true?",
			Teaches: "To look whether something is allowed, and then to do it, are two steps, and the rule may change in between. So the rule carries a token, which each change replaces, " +
				"and the store checks that token together with the post. To be told “blocked” then means: from now on.",
			Cousin: cousin{"Google's Zanzibar calls this the new enemy problem: an old permission is applied to new content. Its clients keep a token with the content, which says how fresh a check must be.",
				source{"Zanzibar, USENIX ATC 2019", "https://www.usenix.org/conference/atc19/presentation/pang"}},
		},
		{
			Name: "pivot", Title: "Undone, and gone",
			Goal: "Let Olga be told that her deletion is undone, and take her channel away all the same.",
			Scene: "Olga has deleted her channel, and changes her mind. Her request makes the channel's row active again, if nobody was faster. " +
				"The workers w1 and w2 have the message. The shipped code marks the row past the point of no return before it touches anything else. Here it goes on without that mark.",
			Nudge: "A worker that finds the channel undone goes away. When must it have looked?",
			Teaches: "What takes several steps can be undone up to one of them, the pivot. The pivot and the undoing are two writes to one row, in the version that was read. " +
				"So one of them takes effect, and the other learns that it came second.",
			Cousin: cousin{"Azure's catalogue of patterns says the same of a saga: before the pivot each step can be compensated, and after it only finished.",
				source{"Azure Architecture Center, Saga design pattern", "https://learn.microsoft.com/en-us/azure/architecture/patterns/saga"}},
		},
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
			Cousin: cousin{"In PostHog, a person who was deleted may come back. In September 2026 its developers found that a deletion that crashed before it had finished its mark " +
				"could carry out its last step again, over the person who had come back, and destroy them.",
				source{"PostHog/posthog, pull request 96995", "https://github.com/PostHog/posthog/pull/96995"}},
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

// lastLevel is about the shipped code, with all its guards.
func lastLevel() level {
	return level{
		Name: "again", Title: "Break what ships",
		Goal: "Break any law of the code that ships.",
		Scene: "The same as in the levels before: two workers handle one deletion, one of them late, and Ann takes the name as soon as it is free. " +
			"All guards are there.",
		Nudge:   "Try what has worked before, and see which guard refuses it.",
		Teaches: "If you see this, you have found what the explorer has not. Please send us the address of this page.",
		Cousin: cousin{"The explorer enters every state that these actors can reach, once. That is called model checking of the code itself. CMC, an early tool for that, found 34 errors in three programs for one network protocol, and one in the protocol.",
			source{"CMC: A pragmatic approach to model checking real code, OSDI 2002", "https://www.microsoft.com/en-us/research/publication/cmc-a-pragmatic-approach-to-model-checking-real-code/"}},
	}
}
