package page

// A meaning explains a word of the glossary where it is first needed.
type meaning struct{ Word, Text string }

// glossary has the words that a player meets, for somebody who knows SQL. The glossary of
// the documents has all.
func glossary() []meaning {
	return []meaning{
		{"orphan", "a row whose channel is gone"},
		{"cascade", "all steps of a deletion, one after the other: mark the channel, remove what belongs to it, remove the channel"},
		{"at rest", "nobody has anything left to do, and no message waits. Some laws can be judged only then"},
		{"Blogs", "the table of the posts. Posts are called blogs in it. A channel's gate and its subscribers are rows of this table too"},
		{"merge", "a write to a row that must be there: it sets some properties and keeps the others. If the row is gone, the whole transaction fails. (MERGE in SQL would insert it.)"},
		{"partition", "all rows of one table that share a key. A transaction spans one partition and no more"},
		{"transaction", "up to 100 writes to one partition of one table, all or nothing. Those on one partition take effect one after the other, so none sees half of another. " +
			"Two that merge one row without naming its version do not make each other fail. Nothing spans two tables, or a table and a queue"},
		{"lease", "for how long the queue hides a message from other workers. It saves work and protects nothing: whoever sleeps through it does not notice"},
		{"incarnation", "the random identity that a channel gets when it is created. The same name created again is another incarnation"},
		{"echo", "the answer to one's own earlier request, whose answer was lost"},
		{"idempotency key", "a text that a client sends with a request. Two requests with one key must have one effect"},
		{"etag", "the version of a row. A write can depend on it, and fails if the row has changed since"},
		{"gate", "a row beside the posts, in their partition, that other transactions depend on. The open gate (gate!open!…) lets posts in; the shut gate (gate!shut!…) lets a worker remove rows. " +
			"To merge a gate sets nothing: it makes the transaction depend on that row"},
		{"fence", "what the gates are together: the store refuses whatever comes too late"},
		{"reservation", "a row whose place the open gate takes, so that a gate opens once in all time"},
		{"sweep", "the removal of a channel's rows, behind its shut gate"},
		{"reconciling pass", "a look at all open deletions from time to time, which finds what a lost message would have done"},
		{"poison message", "a message that is not tried again until an operator has looked at it"},
	}
}

// notation explains how calls and rows are written.
func notation() []meaning {
	return []meaning{
		{"setup.4, ann.1", "random identities, written so that one can follow them: setup.4 was there from the start, ann.1 is the first that Ann has made"},
		{"once!…, rate!…", "two more rows of a post: the idempotency key of its request, and its place in the list by rating"},
		{"if still 0.17/0", "the write holds only for this version of the row (its ETag)"},
		{"+1 ~1 −1", "the step has inserted one row, changed one and deleted one"},
	}
}
