package page

import (
	"slices"
	"strconv"
	"strings"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

// won reports whether the invariant that the scenario is about is broken in the state that is
// shown: any invariant, if it is about the production code.
func (v *scene) won() bool {
	return slices.ContainsFunc(v.broken(), func(invariant invariantView) bool {
		return v.record.Invariant == "" || invariant.Name == v.record.Invariant
	})
}

// level is the level of the scenario. Its number is 0 if it is none.
func (v *scene) level() (level, int) { return levelOf(v.Name) }

// A rule says in one sentence what must hold, in three parts. The second one is missing in the scenario.
type rule struct{ Before, Missing, After string }

// rule is that of the level, or what the safeguard that is taken out is for.
func (v *scene) rule() rule {
	l, number := v.level()
	switch before, after, _ := strings.Cut(l.Rule, l.Missing); {
	case number > 0 && l.Missing != "":
		return rule{before, l.Missing, after}
	case number > 0:
		return rule{Before: l.Rule + " " + v.claim()}
	case v.Safeguard != nil:
		return rule{Missing: v.Safeguard.Label, After: ": " + v.Safeguard.Why}
	}
	return rule{Before: v.sentence(strings.TrimSuffix(v.About, "."))}
}

// clause is the line of the production code that decides, and that is missing here. It has no lines if none is, or while
// it would answer what the page asks. That of a textbook level is shown once the level is won.
func (v *scene) clause() sourceView {
	if v.lacking == nil || v.question() != "" || v.Safeguard == nil && !v.won() {
		return sourceView{}
	}
	return codeOf(*v.lacking)
}

// lacks says what is wrong with the clause here.
func (v *scene) lacks() string {
	if v.lacking.Reordered {
		return "in another order here"
	}
	return "missing here"
}

// program says whose code it is.
func (v *scene) program() string {
	switch v.Part {
	case modelcheck.Textbook, modelcheck.TextbookFault:
		return "a textbook program"
	case modelcheck.Own:
		return "a small protocol"
	case modelcheck.Real:
		return "the production code"
	}
	return "the production code without a safeguard"
}

// goal is the invariant that is to be broken. It is the zero value if any will do.
func (v *scene) goal() (goal lab.InvariantState) {
	for _, invariant := range v.now().Invariants {
		if invariant.Name == v.record.Invariant {
			goal = invariant
		}
	}
	return goal
}

// wayKnown is the shortest schedule known. It is nil if there is none.
func (v *scene) wayKnown() lab.Schedule {
	way, _ := v.Parse(v.record.Schedule) // TestKnown reads all
	return way
}

// shows reports whether the page shows the shortest schedule known, step by step.
func (v *scene) shows() bool {
	return v.show && len(v.schedule) > 0 && slices.Equal(v.schedule, v.wayKnown())
}

// showMe is the start of the shortest schedule known. It is empty if there is none.
func (v *scene) showMe() string {
	if way := v.wayKnown(); way != nil {
		return request{Case: v.Case, schedule: way, show: true, large: v.large}.address()
	}
	return ""
}

// hint leads to the next choice of the shortest way known, or back to where the run has left it.
// Its link is empty if there is none.
func (v *scene) hint() (text, link, url string) {
	way := v.wayKnown()
	common := 0
	for common < min(v.at, len(way)) && way[common] == v.schedule[common] {
		common++
	}
	switch {
	case v.won():
		return "It is broken already.", "", ""
	case way == nil:
		return "No way is known. " + v.claim(), "", ""
	case common < v.at:
		return "A shortest way leaves your run after step " + strconv.Itoa(common) + ". There may be others from here.",
			"Go back there", v.state(common)
	}
	if l, _ := v.level(); v.at == 0 {
		text = l.Nudge + " "
	}
	return text + "From here a shortest way has " + lab.Count(len(way)-v.at, "step") + ". The next one:",
		v.Format(way[v.at : v.at+1]), v.choosing(way[v.at]).address()
}

// next is the address of what comes after this level: the next stop in the hall, else the next level.
func (v *scene) next() (url, words string) {
	l, words := after(v.Name), "Next: "
	if _, number := v.stop(); number > 0 && number < len(stops()) {
		l, _ = levelOf(stops()[number].Name)
		words = "Next stop: "
	}
	if l.Name == "" {
		return "", ""
	}
	return l.begin(v.large), words + l.Title
}

// forProjector is an address, for a projector if it is large.
func forProjector(address string, large bool) string {
	switch {
	case !large || address == "":
		return address
	case strings.Contains(address, "?"):
		return address + "&large=1"
	}
	return address + "?large=1"
}

// whose says what code the invariants are about: those of the textbook and of MicroBlogging have similar
// titles.
func (v *scene) whose() string {
	switch v.Part {
	case modelcheck.Textbook, modelcheck.TextbookFault:
		return "the textbook's"
	case modelcheck.Own:
		return "your"
	}
	return "MicroBlogging's"
}

// wonIn says how many steps the run has, and the shortest one.
func (v *scene) wonIn() string {
	words := "Won in " + lab.Count(v.wonAt(), "step") + "."
	if v.record.Shortest > 0 {
		words += " The shortest run known has " + strconv.Itoa(v.record.Shortest) + "."
	}
	return words
}

// wonAt is the number of steps after which the invariant of the level was broken.
func (v *scene) wonAt() int {
	if goal := v.goal(); goal.State == lab.InvariantViolated {
		return goal.Since
	}
	return v.at
}

// ships reports whether it is the production code, where a violated invariant would be no success.
func (v *scene) ships() bool { return v.Part == modelcheck.Real }

// titleOf is what a person calls a scenario.
func titleOf(c modelcheck.Case) string {
	if l, number := levelOf(c.Name); number > 0 {
		return l.numbered(number)
	}
	if c.Safeguard != nil {
		return "Without a safeguard: " + strings.ToLower(c.Safeguard.Label[:1]) + c.Safeguard.Label[1:]
	}
	if c.Part == modelcheck.Own {
		return "Yours: " + strings.TrimPrefix(c.Name, lab.OwnPrefix)
	}
	about, _, _ := strings.Cut(c.About, ",")
	return "All safeguards on: " + about
}

// A meaning explains a word of the glossary where it is first needed.
type meaning struct{ Word, Text string }

// glossary has the words that a player meets, for a reader who knows SQL. The glossary of
// the documents has all.
func glossary() []meaning {
	return []meaning{
		{"invariant", "what must be true: in every state, or whenever the system is idle. No post without a channel, for example"},
		{"safeguard", "a condition, a read or an order of writes without which some run violates an invariant"},
		{"orphan", "a row whose channel is gone, or a reply whose post is gone"},
		{"index", "rows that lead to other rows. The store finds and sorts rows by their keys alone, so the program writes these itself: the index of open deletions (for the reconciling pass, which alone removes rows of it, also those of deletions that are done), the rating index (the posts of a channel by their rating), and the index of active channels"},
		{"pending, deleting", "what the row of a channel says once it is marked. Pending: its deletion can still be undone. Deleting: it cannot, because a worker has begun. Where no deletion can be undone, as in the textbook program, in the protocols that you build and in some levels, what is marked is deleting immediately"},
		{"cascade", "the steps by which a worker carries out one deletion, one after the other"},
		{"idle", "no request is on its way, and no message is on the queue. When no actor can go on, new workers handle the messages that are left, and some invariants are checked only then"},
		{"pivot", "the step after which a deletion cannot be undone: a worker sets the channel's row from pending to deleting"},
		{"interruption", "another actor goes first while the one that has just called can go on. Some levels allow only a few"},
		{"Blogs", "the table of the posts. Posts are called blogs in it. A channel's gate and its subscribers are rows of this table too"},
		{"merge", "a write to a row that must be there: it sets some properties and keeps the others. If the row is gone, the whole transaction fails. (MERGE in SQL would insert it.) Two that do not name its version do not make each other fail"},
		{"fault", "what goes wrong with one call. The actor dies before or after it. The request never arrives. It takes effect and the reply is lost, and perhaps the SDK (the library that talks to the store) sends it again. " +
			"The caller gives up, or has its answer, and the request or a copy is still under way: it may take effect at any later time"},
		{"partition", "all rows of one table that share a key. A transaction spans one partition and no more"},
		{"transaction", "up to 100 writes to one partition of one table, all or nothing. Those on one partition take effect one after the other, so none sees half of another. " +
			"Nothing spans two tables, or a table and a queue"},
		{"queue", "it hands each message to a worker, once or more often, and may lose one. No transaction contains a message"},
		{"lease", "of a message: how long the queue hides it from other workers. Of a lock: how long others leave it alone. It saves work and protects nothing: a holder that sleeps through it notices too late"},
		{"incarnation", "the random identity that a channel gets when it is created. The same name created again is another incarnation"},
		{"self-conflict", "a conflict with one's own earlier write, whose answer was lost"},
		{"idempotency key", "a text that a client sends with a request. Two requests with one key must have one effect"},
		{"etag", "the version of a row. A write can depend on it, and fails if the row has changed since"},
		{"gate", "a row in the partition of the posts that other transactions depend on. The open gate (gate!open!…) allows posts; the shut gate (gate!shut!…) allows a worker to remove rows. " +
			"A transaction that merges a gate depends on that row, and gives it a new version. It changes nothing else there"},
		{"fence", "the two gates together: the store refuses a write that comes too late"},
		{"reservation", "a row that the open gate replaces, so that a gate opens at most once"},
		{"sweep", "the removal of a channel's rows, behind its shut gate"},
		{"reconciling pass", "a scan of all open deletions from time to time. It sends a new message for a deletion that makes no progress, because its message may be lost"},
		{"posting rule", "a row of a channel that says who may post. A post requires it, but for the owner's, whom no rule refuses"},
		{"poison message", "a message that failed too often, and is not tried again until an operator requeues it"},
	}
}

// notation explains how calls and rows are written.
func notation() []meaning {
	return []meaning{
		{"news, news2", "the channel that all is about, and another one, which no actor means to touch"},
		{"incarnation 1", "the first that the channel has had in this run. What a user has written is counted too: “post by Ann (2)”"},
		{"take from, take off", "a worker takes a message from the queue, which hides it from others for a while, and takes it off the queue once its work is done"},
		{"not there: Ann's account", "an actor of the lab may have no row of an account. Only a row that says that the account is being deleted stops it"},
		{"idempotency key: post by Ann", "the key by which a post was made, or a reply to it"},
		{"+ ~ −", "the step has inserted the row, changed it, or deleted it"},
	}
}
