package prove

import (
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
)

// A milestone is what a call is for, as far as the textbook version and the shipped code
// have it in common. It is empty for a call that has no counterpart.
type milestone string

const (
	readsChannel   milestone = "reads the channel"
	insertsChannel milestone = "inserts the channel"
	marks          milestone = "marks the channel"
	releases       milestone = "deletes the channel"
	insertsPost    milestone = "inserts a post"
	lists          milestone = "lists the posts"
	sweeps         milestone = "deletes posts"
	sends          milestone = "sends the message"
	receives       milestone = "receives the message"
	settles        milestone = "deletes the message"
)

func milestoneOf(c *lab.Call) milestone {
	switch {
	case c.Method == lab.Send:
		return sends
	case c.Method == lab.Receive:
		return receives
	case c.Method == lab.Settle:
		return settles
	case c.Method == lab.Get && c.Target == "Channels":
		return readsChannel
	case c.Method == lab.Range && c.Target == "Blogs":
		return lists
	case c.Method != lab.Transact:
		return ""
	case c.Target == "Channels":
		return milestoneOfChannel(c.Operations[0])
	case c.Target == "Blogs":
		return milestoneOfPosts(c.Operations)
	default:
		return ""
	}
}

func milestoneOfChannel(op driver.Operation) milestone {
	switch {
	case op.Action == driver.ActionInsert:
		return insertsChannel
	case op.Action == driver.ActionDelete:
		return releases
	case op.Properties.String("State") == string(domain.ChannelDeleting):
		return marks
	default:
		return ""
	}
}

func milestoneOfPosts(ops []driver.Operation) milestone {
	at := slices.IndexFunc(ops, func(op driver.Operation) bool { return strings.HasPrefix(op.Row, "blog!") })
	switch {
	case at >= 0 && ops[at].Action == driver.ActionInsert:
		return insertsPost
	case at >= 0 && ops[at].Action == driver.ActionDelete:
		return sweeps
	default:
		return ""
	}
}
