package page

import (
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

const news = "news"

// state is the state of the channel's row, empty if there is none.
func state(of mem.Snapshot) string {
	row, err := of.Get("Channels", news, "")
	if err != nil {
		return ""
	}
	return row.Properties.String("State")
}

// channel is about the channel's row in the shipped code.
func (d deed) channel() string {
	switch {
	case d.Call.Method == lab.Scan:
		return "one look at all channels, whoever owns them, finds the deletions that nobody is working on"
	case d.Call.Method == lab.Get:
		return d.readChannel()
	case d.does(driver.ActionInsert, ""):
		return d.insertChannel()
	case d.does(driver.ActionDelete, ""):
		return d.releaseName()
	case d.sets("State") == string(domain.ChannelDeleting):
		return d.markChannel()
	case d.refused():
		return "the row has changed since it was read, so the store refuses to overwrite it"
	}
	return "the row changes, and only in the version that was read"
}

func (d deed) readChannel() string {
	row := d.Applied.Entity
	switch {
	case d.refused() && isWorker(d.actor):
		return "the channel is gone already, so there is nothing left to do for this message"
	case d.refused() && d.has(lab.Created):
		return "the channel has been deleted since, so the name looks free again"
	case d.refused() && d.made(lab.Transact, "Channels"):
		return "the row that was sent cannot be seen, which does not mean that it will never arrive"
	case d.refused():
		return "the name looks free, but free now does not mean free a moment later"
	case isWorker(d.actor) && d.strange(row):
		return "the name belongs to another channel by now, and here a worker can notice it"
	case isWorker(d.actor):
		return "the name still belongs to the channel that the message means, at least at this instant"
	case row.Properties.String("State") == string(domain.ChannelDeleting):
		return "the channel is being deleted, so nobody may rely on it any more"
	case d.ownRow(row) && !d.has(lab.Created):
		return "the row carries the incarnation that " + d.who + " made up: whatever the insert was answered, the name is won"
	case d.made(lab.Transact, "Channels") && !d.has(lab.Created):
		return "the row says who has the name, which the answer to the insert could not"
	case d.has(lab.Asking) && d.made(lab.Transact, "Deletions"):
		return "a last look, so the mark hits this channel and no other that has the name by then"
	case d.has(lab.Asking):
		return "now " + d.who + " knows which incarnation is to go, and not only its name"
	case d.has(lab.Read):
		return "the reader has decided on what the first look showed; this look shows what has the name now"
	}
	return d.who + " sees that the channel is there, which may be wrong before the next request arrives"
}

// ownRow reports whether the row carries an incarnation of the actor, after the actor has
// sent a row.
func (d deed) ownRow(row driver.Entity) bool {
	if !d.made(lab.Transact, "Blogs") {
		return false
	}
	for _, c := range d.earlier {
		for _, op := range c.Operations {
			if op.Properties.String("Incarnation") == row.Properties.String("Incarnation") && c.Target == "Blogs" && strings.HasPrefix(op.Row, "gate!") && op.Action == driver.ActionInsert {
				return true
			}
		}
	}
	return false
}

func (d deed) insertChannel() string {
	if d.refused() {
		return "a row of this name is there already, but the answer does not say whose it is"
	}
	return "from now on everybody can see the channel, and its gate is open already"
}

func (d deed) releaseName() string {
	switch {
	case d.is(domain.ErrNotFound):
		return "somebody else has freed the name before, and to do it twice does no harm"
	case d.refused():
		return "the row has changed since it was read, so the store refuses: it may be another channel by now"
	}
	for _, c := range d.Changes() {
		if d.strange(c.Before) {
			return "the worker removes a channel that nobody asked to delete"
		}
	}
	return "the name is free from here on, and anybody may take it"
}

func (d deed) markChannel() string {
	switch {
	case d.refused():
		return "the row has changed since it was read, so the store refuses the mark"
	case !isWorker(d.actor):
		return "from here on nobody reads the channel, and whoever asked for the deletion gets an answer"
	}
	for _, c := range d.Changes() {
		if d.strange(c.Before) {
			return "the worker marks a channel that nobody asked to delete"
		}
	}
	return "the worker sets the mark itself, because whoever asked may have died before that"
}

// textbookChannel is about the channel's row in the textbook version.
func (d deed) textbookChannel() string {
	switch {
	case d.Call.Method == lab.Get && d.refused():
		return d.who + " sees no channel, and stops there"
	case d.Call.Method == lab.Get && d.Applied.Entity.Properties.String("State") == deletingState:
		return d.who + " sees that the channel is being deleted, and stops there"
	case d.Call.Method == lab.Get:
		return d.who + " has seen that the channel is there, and will rely on it from now on, however long that takes"
	case d.does(driver.ActionInsert, "") && d.refused():
		return "the row is there already, and nothing in the answer says whose it is"
	case d.does(driver.ActionInsert, ""):
		return "there is a channel of this name now, and nothing tells it from any other that had the name before"
	case d.does(driver.ActionDelete, "") && d.refused():
		return "somebody else has removed the channel before"
	case d.does(driver.ActionDelete, ""):
		return d.textbookRelease()
	case d.refused():
		return "there is no channel to mark, so " + d.who + " stops here and leaves the rest to nobody"
	case isWorker(d.actor) && state(d.before) == activeState:
		return "the mark hits the channel that has the name now, and that is not the one that was to go"
	case isWorker(d.actor):
		return "marked again, to be sure: a second mark does no harm to this channel"
	}
	return "whoever looks from now on sees the mark, but whoever looked before does not"
}

const (
	activeState   = "active"
	deletingState = "deleting"
)

// posts counts the posts that are left after the call.
func (d deed) posts() (n int) {
	for range d.after.Rows("Blogs") {
		n++
	}
	return n
}

func (d deed) textbookRelease() string {
	left := d.posts()
	switch {
	case left == 1:
		return "the channel is gone, and a post that was in it is not"
	case left > 1:
		return fmt.Sprintf("the channel is gone, and %d posts that were in it are not", left)
	}
	return "the channel is gone, and its name is free for anybody"
}

// textbookPost is about the posts in the textbook version.
func (d deed) textbookPost() string {
	switch {
	case d.Call.Method == lab.Range:
		return "the worker now knows what to delete, and a post that comes later is not on its list"
	case d.does(driver.ActionDelete, ""):
		return "one post less, as it should be"
	case d.refused():
		return "that post is there already"
	}
	switch state(d.before) {
	case "":
		return "the post lands where no channel is any more, and nothing refuses it"
	case deletingState:
		return "the post lands although the channel is being deleted, because a check that was made before is all that could have stopped it"
	}
	return "the post lands in a channel that is there, so all is well as yet"
}
