package storage

import (
	"errors"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A rowForm tells the rows of one kind by the beginning of their row keys, in one table,
// and says what reading and writing them is for.
type rowForm struct {
	table, prefix string
	// form is the row key as keys.go writes it: what varies is in angle brackets.
	form string
	// point, list and write say what it is for to read one such row, to read several, and
	// to write one.
	point, list, write string
}

// rowForms lists the kinds of row that requests meet. Of several whose prefix fits, the
// first counts.
func rowForms() []rowForm {
	return []rowForm{
		{tableChannels, "", "",
			"Finds the channel by its name: the owner, the description, the state, and which incarnation it is.",
			"Lists channels in the order of their names.",
			"Changes the channel’s own row."},
		{tableBlogs, prefixOpen, "gate!open!<incarnation>",
			"Reads the version of the open gate: it is another one after each change of the channel’s posts, votes and subscribers.",
			"Finds the open gate and its version: it is another one after each change of the channel’s posts, votes and subscribers.",
			"Touches the open gate: this gives it another version, and fails if the channel was deleted."},
		{tableBlogs, prefixReserved, "gate!reserved!<incarnation>",
			"Reads the version of the gate’s reservation, which the open gate will replace.", "", "Reserves the gate of a new channel."},
		{tableBlogs, prefixSeed, "gate!seed!<incarnation>", "", "", ""},
		{tableBlogs, prefixShut, "gate!shut!<incarnation>",
			"Looks whether the channel’s rows are still being removed, and how many were.", "", "Counts on the shut gate what is removed: it fails if the deletion has ended."},
		{tableBlogs, prefixGate, "gate!<state>!<incarnation>",
			"", "Reads the channel’s gates.", ""},
		{tableBlogs, prefixBlog, "blog!<id>",
			"Reads one post.", "Reads posts, the newest first.", "Changes the post, unless somebody changed it since it was read."},
		{tableBlogs, prefixRate, "rate!<inverted>!<id>",
			"", "Reads the index by rating, the best rated post first.", ""},
		{tableBlogs, prefixVote, "vote!<id>!<user>",
			"Looks whether this user votes for the post.", "Reads who votes for these posts.", "Removes votes on a post that was deleted."},
		{tableBlogs, prefixSub, "sub!<user>",
			"Looks whether this user subscribes. The channel’s side is the truth.", "Counts the subscribers of the channel.", "Ends the subscription on the channel’s side."},
		{tableBlogs, prefixJoin, "join!<user>",
			"Reads the version of a subscription that has begun.", "Reads who is about to join.", "Ends a subscription that has only begun."},
		{tableBlogs, prefixOnce, "once!<hash>",
			"Looks up which post an idempotency key has made.", "Reads which idempotency keys were used.", ""},
		{tableDeletions, "", "<incarnation>",
			"Reads how far the deletion has come.", "Reads what is known of the deletion.", "Records how far the deletion has come."},
		{tableUsers, prefixOwned, "owned!<key>",
			"Looks whether the channel is on its owner’s list.", "Reads which channels the user has.", "Puts the channel on its owner’s list, or takes one off that is gone."},
		{tableUsers, prefixAsked, "asked!<back>!<key>!<incarnation>",
			"", "Lists the deletions that the user asked for, the newest first.", "Puts the deletion on the list of the user who asked for it."},
		{tableUsers, prefixMade, "made!<hash>",
			"Looks up which channel an idempotency key has made.", "", "Records which channel an idempotency key has made."},
		{tableUsers, prefixOnce, "once!<hash>",
			"Looks up what an idempotency key was used for.", "", "Records what an idempotency key is used for."},
		{tableUsers, "", "",
			"Reads the account.", "", "Writes the account, in the version that was read."},
		{tableSessions, "", "",
			"Finds whose session it is.", "", "Begins a session, ends one, or keeps the key of a sign-up. Only a hash names it."},
		{tableSubscriptions, "", "<key>!<incarnation>",
			"Looks whether the user’s own list has the channel.", "Reads which channels the user subscribes to.", "Changes the user’s side of the subscription."},
		{tableThrottle, prefixKnown, "known!<hash>",
			"Looks whether the user has signed in from this address before.", "", "Remembers an address that the user signs in from."},
		{tableThrottle, "", "<time>",
			"Looks how many attempts were counted lately.", "", "Counts an attempt, or takes it back."},
	}
}

// formOf returns the form of a row. An unknown kind has an empty table.
func formOf(table, partition, row string) rowForm {
	for _, f := range rowForms() {
		if f.table == table && strings.HasPrefix(row, f.prefix) {
			return f.refined(partition, row)
		}
	}
	return rowForm{}
}

// refined tells apart the rows that no prefix tells apart.
func (f rowForm) refined(partition, row string) rowForm {
	switch {
	case f.table == tableUsers && f.prefix == "" && row != singleRow:
		return rowForm{}
	case f.table == tableDeletions && isOpenPartition(partition):
		f.form, f.point = "<key>!<incarnation>", ""
		f.list, f.write = "Lists the deletions that may be open.", "Puts the deletion on the index of open deletions, so that it is found if its message is lost."
	case f.table == tableDeletions && partition == unreadPartition:
		f.form = "<hash>"
	case f.table == tableDeletions && isLesson(row):
		f.form = "<incarnation>!lesson"
		f.point, f.write = "Reads which workers pause before their next step.", "Says what the workers that pause are to do."
	case f.table == tableDeletions && strings.Contains(row, "!"):
		f.form = "<incarnation>!<id>!<revision>"
	case f.table == tableThrottle && f.form == "<time>" && strings.Contains(row, "!"):
		f.form = "<time>!<hash>"
	}
	return f
}

// shownRow is a row key, or the bound of a range, by its form.
func shownRow(table, partition, row string) string {
	f := formOf(table, partition, row)
	switch {
	case f.table == "":
		return "…"
	case f.form == "":
		return "(empty)"
	}
	return shownForm(f.form)
}

// shownForm has a "…" for each part of a form that varies, or its name if nothing else
// says what the key is.
func shownForm(form string) string {
	parts := strings.Split(form, "!")
	named := strings.HasPrefix(form, "<")
	for i, part := range parts {
		switch {
		case named && strings.HasPrefix(part, "<"):
			parts[i] = "(" + strings.Trim(part, "<>") + ")"
		case strings.HasPrefix(part, "<"):
			parts[i] = "…"
		}
	}
	return strings.Join(parts, "!")
}

// shownPartition is a partition key. The key of a channel and the name of a user are in
// addresses of pages, and so no secrets. What somebody typed as a name may be a password,
// so a name is shown only if there is such a row.
func shownPartition(call driver.LedgerCall) string {
	switch call.Target {
	case tableChannels, tableBlogs, tableDeletions, tableSubscriptions:
		return call.Partition
	case tableUsers:
		if errors.Is(call.Err, domain.ErrNotFound) {
			return "(a name)"
		}
		return call.Partition
	case tableThrottle:
		what, _, _ := strings.Cut(call.Partition, "!")
		return what + "!…"
	}
	return "(a hash)"
}
