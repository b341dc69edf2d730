package page

import (
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
)

// intent says in plain words what an actor wants with a call. It is empty if the call's
// own words are as plain.
func intent(c *lab.Call) string {
	switch c.Method {
	case lab.Send:
		return "leaves a message, so that a worker does the rest"
	case lab.Receive:
		return "takes a message from the queue, if there is one"
	case lab.Settle:
		return "takes the message off the queue, because the work is done"
	case lab.Length:
		return "looks how many messages wait"
	case lab.Update:
		return "changes the message on the queue"
	}
	d := deed{Step: &lab.Step{Call: c}}
	switch c.Target {
	case "Channels":
		return d.intentOnChannel()
	case "Blogs":
		return d.intentOnPartition()
	case "Subscriptions":
		return d.pick("looks at the user's own list of subscriptions", "changes the user's own list of subscriptions")
	case "Deletions":
		return d.pick("reads the report on the deletion", "writes the report on the deletion")
	case "Users":
		return d.pick("reads a row of the user", "writes a row of the user")
	case "Sessions":
		return d.pick("looks at the session or the sign-in link", "writes the row of the session or the sign-in link")
	}
	return ""
}

// pick is the first text for a call that reads, and the second for one that writes.
func (d deed) pick(reads, writes string) string {
	if d.Call.Writes() {
		return writes
	}
	return reads
}

func (d deed) intentOnChannel() string {
	switch {
	case !d.Call.Writes():
		return "looks whether the channel is there"
	case d.does(driver.ActionInsert, ""):
		return "creates the channel"
	case d.does(driver.ActionDelete, ""):
		return "removes the channel, which frees its name"
	case d.sets("State") == string(domain.ChannelDeleting):
		return "marks the channel as being deleted"
	}
	return "changes the channel"
}

func (d deed) intentOnPartition() string {
	switch {
	case d.Call.Method == lab.Range:
		return "lists the rows of the channel"
	case d.Call.Method == lab.Get && strings.HasPrefix(d.Call.Row, "gate!"):
		return "looks at the gate"
	case !d.Call.Writes():
		return "looks at one row of the channel"
	case d.does(driver.ActionInsert, "gate!reserved!"):
		return "reserves a gate for the new channel"
	case d.does(driver.ActionInsert, "gate!open!"):
		return "opens the gate of the channel"
	case d.does(driver.ActionInsert, "gate!shut!"):
		return "shuts the gate of the channel"
	case d.does(driver.ActionDelete, "gate!"):
		return "removes the gate"
	case d.does(driver.ActionInsert, "blog!"):
		return "writes the post"
	case d.does(driver.ActionDelete, "blog!"):
		return "removes posts"
	case d.does(driver.ActionInsert, "sub!"), d.does(driver.ActionInsert, "join!"):
		return "writes the row of the subscriber"
	case d.does(driver.ActionDelete, "sub!"), d.does(driver.ActionDelete, "join!"):
		return "removes rows of the channel"
	}
	return "changes rows of the channel"
}
