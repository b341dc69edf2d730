package page

import (
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
)

// partition is about the channel's partition in Blogs: gates, posts, subscribers.
func (d deed) partition() string {
	switch {
	case d.Call.Method == lab.Range:
		return d.listPartition()
	case d.Call.Method == lab.Get:
		return d.readRow()
	case d.does(driver.ActionInsert, "gate!"), d.does(driver.ActionDelete, "gate!"):
		return d.changeGate()
	case isWorker(d.actor) && d.does(driver.ActionDelete, "") && !d.isAboutOnePost():
		return d.sweep()
	case d.does(driver.ActionInsert, "blog!"):
		return d.insertPost()
	case d.does(driver.ActionInsert, "vote!"), d.does(driver.ActionDelete, "vote!"):
		return d.vote()
	case d.does(driver.ActionDelete, "blog!"):
		return d.removePost()
	case d.does(driver.ActionInsert, "sub!"), d.does(driver.ActionDelete, "sub!"), d.does(driver.ActionInsert, "join!"), d.does(driver.ActionDelete, "join!"):
		return d.subscriber()
	case d.does(driver.ActionMerge, "gate!open!") && len(d.Call.Operations) == 1:
		return d.holdGateOnly()
	case d.refused() && d.failedOn("gate!"):
		return "the gate is gone, so the store refuses what comes too late"
	case d.refused():
		return "one of the rows has changed since it was read, so the store refuses all of it"
	}
	return "these rows belong together, so they change together or not at all"
}

// isAboutOnePost reports whether a worker removes one post and not a channel.
func (d deed) isAboutOnePost() bool {
	for _, c := range d.earlier {
		if c.Method == lab.Range && c.Target == "Blogs" && c.Range.From == "" {
			return false
		}
	}
	return d.does(driver.ActionDelete, "blog!")
}

func (d deed) listPartition() string {
	if d.Call.Range.From != "" {
		return d.who + " looks which rows there are, and decides by a list that is old at once"
	}
	rows, strangers := 0, 0
	for _, row := range d.Applied.Page.Rows {
		if strings.HasPrefix(row.Row, "gate!") {
			continue
		}
		rows++
		if whole, err := d.before.Get("Blogs", row.Partition, row.Row); err == nil && d.strange(whole) {
			strangers++
		}
	}
	switch {
	case strangers > 0:
		return "rows of another incarnation are on this list, and the worker takes them for those of the old one"
	case rows == 0 && d.made(lab.Range, "Blogs"):
		return "a fresh look finds nothing but the gate, so the gate may go as well"
	case rows == 0:
		return "there is nothing behind the gate, so nothing has to be removed"
	case rows == 1:
		return "one row is to go, by a list that may be out of date before the next call"
	}
	return fmt.Sprintf("%d rows are to go, by a list that may be out of date before the next call", rows)
}

func (d deed) readRow() string {
	row, gone := d.Call.Row, d.is(domain.ErrNotFound)
	switch {
	case strings.HasPrefix(row, "gate!reserved!") && gone:
		return "the reservation has been removed, so this incarnation is lost, and " + d.who + " begins again with another"
	case strings.HasPrefix(row, "gate!reserved!"):
		return "its version is what the next step depends on, and no version ever returns"
	case strings.HasPrefix(row, "gate!open!") && gone:
		return "the gate is not open, or not any more, so this incarnation takes nothing in"
	case strings.HasPrefix(row, "gate!open!"):
		return "the gate stands, and its version would change if anybody posted, edited or voted behind it"
	case strings.HasPrefix(row, "gate!shut!") && gone:
		return "neither gate is there, so somebody else has finished before"
	case strings.HasPrefix(row, "gate!shut!"):
		return "the gate is shut already, so this worker may sweep beside the other"
	case strings.HasPrefix(row, "join!") && gone:
		return "nobody seems about to join, at this instant"
	case strings.HasPrefix(row, "join!"):
		return "the version of this announcement is what the subscription will depend on"
	case strings.HasPrefix(row, "sub!") && gone:
		return "the row that decides is not there: no subscriber, at this instant"
	case strings.HasPrefix(row, "sub!"):
		return "the row that decides is there: this is a subscriber"
	case gone:
		return "it is not there, or not any more"
	}
	return "whatever " + d.who + " writes next depends on the version that was read here"
}

func (d deed) changeGate() string {
	switch {
	case d.does(driver.ActionInsert, "gate!reserved!"):
		if d.refused() {
			return "it is there already, and nobody else can have made it: this is an echo"
		}
		return "a reservation is made, and its place can be taken once and never again"
	case d.does(driver.ActionInsert, "gate!open!"):
		return d.openGate()
	case d.does(driver.ActionInsert, "gate!shut!"):
		if d.refused() {
			return "the gate is not open any more, so somebody else was here before"
		}
		return "the gate shuts: from here on no post can land"
	case d.does(driver.ActionDelete, "gate!shut!"):
		return d.disarm()
	}
	return d.withdraw()
}

func (d deed) openGate() string {
	swap := d.does(driver.ActionDelete, "gate!reserved!")
	switch {
	case d.refused() && swap:
		return "the reservation has been used up or has another version, so the store opens no gate for the second time"
	case d.refused():
		return "the gate is open already"
	case swap:
		return "the gate opens, and the reservation is used up, so it can happen only once"
	}
	return "the gate opens, and nothing is used up by that, so it could open once more"
}

func (d deed) disarm() string {
	if d.refused() {
		return "the gate has gone before, and to remove it twice does no harm"
	}
	for row := range d.after.Rows("Blogs") {
		if row.Partition == news && !strings.HasPrefix(row.Row, "gate!") {
			return "the last thing that could let a worker remove rows is gone, and there are rows left"
		}
	}
	return "from here on no worker can remove anything in the name of this message, however late it wakes up"
}

func (d deed) withdraw() string {
	if d.refused() {
		return "the gate has changed since it was read, so somebody has posted behind it, and it stays"
	}
	for row := range d.after.Rows("Blogs") {
		if row.Partition == news && strings.HasPrefix(row.Row, "blog!") {
			return d.who + " gives up and takes the gate away, although somebody has posted behind it"
		}
	}
	return d.who + " gives up and takes the gate away, so a row that arrives late belongs to nobody"
}

func (d deed) sweep() string {
	held := d.does(driver.ActionMerge, "gate!shut!")
	switch {
	case d.refused() && d.failedOn("gate!"):
		return "the shut gate of this incarnation is gone, so the store refuses every removal: the worker is too late"
	case d.refused():
		return "one of the rows has gone meanwhile, so the store refuses the whole transaction and all the others stay"
	}
	for _, c := range d.Changes() {
		if d.strange(c.Before) {
			return "the worker removes what belongs to another incarnation"
		}
	}
	if held {
		return "the rows go only because the shut gate still stands: a worker that comes too late would be refused"
	}
	return "the rows go, and nothing has asked whether this worker is still entitled to remove them"
}

func (d deed) insertPost() string {
	held := d.does(driver.ActionMerge, "gate!open!")
	switch {
	case d.refused() && d.failedOn("gate!"):
		return "the gate is gone, so the store refuses the post: it comes too late to do harm"
	case d.refused() && d.failedOn("once!"):
		return "this key has made a post before, so the store refuses a second one"
	case d.refused():
		return "one of its rows is there already, so the store refuses the whole post"
	case held && d.has(lab.Read) && d.elsewhere():
		return "the gate is open, and it is the gate of a channel that the reader has never seen"
	case held:
		return "the gate was open at the very instant of the post, because the store looks at both together"
	case !d.anyGate():
		return "the post lands where no gate is open any more, because it did not ask for one"
	}
	return "the post lands without a question for the gate, and only by luck it is still open"
}

// elsewhere reports whether the call is about another incarnation than the one that the
// actor has read.
func (d deed) elsewhere() bool {
	for _, f := range d.told {
		if f.Kind == lab.Read && d.does(driver.ActionMerge, "gate!open!"+string(f.Channel.Incarnation)) {
			return false
		}
	}
	return true
}

// anyGate reports whether an open gate is there.
func (d deed) anyGate() bool {
	for row := range d.before.Rows("Blogs") {
		if row.Partition == news && strings.HasPrefix(row.Row, "gate!open!") {
			return true
		}
	}
	return false
}

func (d deed) holdGateOnly() string {
	if d.refused() {
		return "the gate is gone, and with it the way in"
	}
	return "the gate stands at this instant, and no row says that somebody is about to come in"
}

func (d deed) removePost() string {
	switch {
	case d.refused() && d.failedOn("gate!"):
		return "the gate is gone, so the store refuses: the post goes with the channel"
	case d.refused():
		return "the post has changed or has gone since it was read, so the store refuses"
	}
	return "the post goes together with all that belongs to it, in one transaction"
}

func (d deed) vote() string {
	switch {
	case d.refused() && d.failedOn("gate!"):
		return "the gate is gone, so the vote is refused together with all that comes too late"
	case d.refused():
		return "the post has changed or has gone since it was read, so the vote is refused as a whole"
	}
	return "the vote and the rating that counts it change together, or not at all"
}

func (d deed) subscriber() string {
	late := d.refused() && d.failedOn("gate!")
	switch {
	case late:
		return "the gate is gone, so the store lets nobody in and nobody out"
	case d.refused() && d.does(driver.ActionInsert, "sub!"):
		return "the announcement has gone or has changed, so the store refuses a subscriber who comes too late"
	case d.refused():
		return "the row has changed since it was read, so the store refuses"
	case d.does(driver.ActionInsert, "sub!") && d.does(driver.ActionDelete, "join!"):
		return d.who + " is a subscriber, and the announcement is used up, so it cannot happen again later"
	case d.does(driver.ActionInsert, "sub!"):
		return d.who + " is a subscriber, whatever anybody has concluded meanwhile"
	case d.does(driver.ActionInsert, "join!"):
		return "it is announced that somebody is about to join, so whoever cleans up can see it and stop it"
	case d.does(driver.ActionDelete, "sub!"):
		return d.who + " is no subscriber any more, because this is the row that decides"
	}
	return "whoever was about to join will fail now, because what they depend on is gone"
}
