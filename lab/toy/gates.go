package toy

import (
	"microblogging/lab"
	"microblogging/lab/own"
	"microblogging/storage/driver"
)

// anyGate is the key of a gate that does not say of which incarnation it is. Its row says it.
const anyGate = "gate"

// gateOf is the key of the gate of an incarnation.
func gateOf(incarnation int64) string { return "gate " + digit(incarnation) }

// insertChannel inserts the channel in an incarnation.
func insertChannel(incarnation int64) driver.Operation {
	return driver.Insert("", driver.Int64("Incarnation", incarnation))
}

// incarnationOf is the incarnation of the channel that is there, or 0.
func incarnationOf(s own.State) int64 { return s.Row(channels, partition, "").Int64("Incarnation") }

func gate() Level {
	return Level{
		Title: "The gate",
		Task: "The channel's row lies in another table now, so no transaction spans it and a post. A gate lies next to the posts: gate 1 of incarnation 1. The worker w deletes gate 1 first, then lists, deletes, and frees the name. " +
			"Nora may create the channel again, with gate 2. Ann and Otto post; each has read the channel and its gate.",
		Never: "a post in a channel that it was not made for, or in none. And no post is refused while its gate is there.",
		Write: "Insert the post",
		Why:   "Gate 1 is deleted before the posts are listed, and no other gate is gate 1. Two posts do not hinder each other, because neither asks for a version.",
		Idea:  "A row next to the posts represents the channel, in one incarnation only.",
		Rows:  []string{"channel" + Elsewhere, "gate 1", "gate 2", "post"},
		Clauses: []Clause{none(),
			{Name: "channel", Label: "the channel exists", Not: "It lies in another table. No transaction spans both."},
			{Name: "any", Label: "a gate exists", Code: "some gate exists"},
			{Name: "version", Label: "the gate has the version that was read", Code: "gate.version = read"},
			{Name: "gate", Label: "the gate of this incarnation exists", Code: "gate(incarnation) exists"}},
		protocol: gateWith,
	}
}

func gateWith(clause string) own.Protocol {
	key := gateOf
	if clause == "any" { // then one key is every gate's
		key = func(int64) string { return anyGate }
	}
	gate := func(incarnation int64) driver.Operation {
		return driver.Insert(key(incarnation), driver.Int64("Incarnation", incarnation))
	}
	author := func(me string) func(own.Client) {
		return func(c own.Client) {
			//lab: Read the channel.
			channel, err := c.Table(channels).Get(c, partition, "")
			if err != nil {
				return
			}
			incarnation := channel.Properties.Int64("Incarnation")
			//lab: Read its gate.
			gate, err := c.Table(rows).Get(c, partition, key(incarnation))
			if err != nil || gate.Properties.Int64("Incarnation") != incarnation {
				return
			}
			var write []driver.Operation
			switch clause {
			case "any", "gate":
				write = append(write, driver.Merge(key(incarnation), driver.Exists))
			case "version":
				write = append(write, driver.Merge(key(incarnation), driver.Match(gate.ETag)))
			}
			//lab: Insert the post.
			if c.Table(rows).Transact(c, partition, append(write, driver.Insert("post of "+me, driver.Int64("Incarnation", incarnation)))...) != nil {
				c.Tell(me + " is refused by " + gateOf(incarnation))
			}
		}
	}
	w := func(c own.Client) {
		//lab: Delete gate 1.
		_ = c.Table(rows).Transact(c, partition, driver.Delete(key(1), driver.Exists)) // it is there
		sweep(c)
		//lab: Free the name.
		_ = c.Table(channels).Transact(c, partition, driver.Delete("", driver.Exists)) // it is there
	}
	nora := func(c own.Client) {
		//lab: Create the channel.
		if c.Table(channels).Transact(c, partition, insertChannel(2)) == nil {
			//lab: Put up gate 2.
			_ = c.Table(rows).Transact(c, partition, gate(2)) // there is none
		}
	}
	return own.Protocol{
		Setup: func(c own.Client) {
			_ = c.Table(channels).Transact(c, partition, insertChannel(1)) // no call of a set-up fails
			_ = c.Table(rows).Transact(c, partition, gate(1))
		},
		Actors: []own.Actor{{Name: "ann", Run: author("ann")}, {Name: "otto", Run: author("otto")}, {Name: "w", Run: w}, {Name: "nora", Run: nora}},
		Invariants: []own.Invariant{
			always("each post lies in its channel", func(s own.State) string {
				now := incarnationOf(s)
				for _, me := range []string{"ann", "otto"} {
					switch made := s.Row(rows, partition, "post of "+me).Int64("Incarnation"); {
					case made == 0 || made == now:
					case now == 0:
						return "A post is left of a channel that is gone."
					default:
						return capital(me) + "'s post was made for incarnation " + digit(made) + ". It lies in incarnation " + digit(now) + "."
					}
				}
				return ""
			}),
			always("no post is refused in vain", func(s own.State) string {
				for _, me := range []string{"ann", "otto"} {
					for incarnation := range int64(2) {
						name := gateOf(incarnation + 1)
						if s.Told(me+" is refused by "+name) > 0 && s.Row(rows, partition, key(incarnation+1)).Int64("Incarnation") == incarnation+1 {
							return capital(me) + " is refused although the gate is there: another author has just posted."
						}
					}
				}
				return ""
			}),
		},
	}
}

func shutGate() Level {
	return Level{
		Title: "The shut gate",
		Task: "The workers w1 and w2 have the message of one deletion, and one may sleep. Each first looks for incarnation 1, lists the posts, deletes what it has listed, deletes the shut gate, and frees the name. " +
			"Nora may create the channel again and post.",
		Never: "a post of Nora's disappears.",
		Write: "Delete what was listed",
		Why:   "Shut gate 1 is deleted before the name is free. So a worker that still has a list of Nora's posts has no shut gate any more.",
		Idea:  "A worker that removes rows needs a row as well, which goes before the name is free.",
		Rows:  []string{"channel" + Elsewhere, "shut gate 1", "post"},
		Clauses: []Clause{none(),
			{Name: "exists", Label: "the post exists", Code: "post exists"},
			{Name: "version", Label: "the post has the version that was listed", Code: "post.version = listed"},
			{Name: "gate", Label: "the shut gate of this incarnation exists", Code: "shut gate(incarnation) exists"}},
		protocol: shutGateWith,
	}
}

func shutGateWith(clause string) own.Protocol {
	const shut, old, new = "shut gate 1", "post (old)", "post of nora"
	work := func(c own.Client) {
		//lab: Look whether it is still incarnation 1.
		channel, err := c.Table(channels).Get(c, partition, "")
		if err != nil || channel.Properties.Int64("Incarnation") != 1 {
			return
		}
		//lab: List the posts.
		listed, _ := c.Table(rows).First(c, 10, posts()) // nothing fails here
		if len(listed) > 0 {
			write := deletions(listed) // which fail if a post is gone: that is all that can be asked of one without its version
			switch clause {
			case "version":
				for i, row := range listed {
					write[i].If = driver.Match(row.ETag)
				}
			case "gate":
				write = append([]driver.Operation{driver.Merge(shut, driver.Exists)}, write...)
			}
			//lab: Delete what was listed.
			_ = c.Table(rows).Transact(c, partition, write...) // or it is gone, or the gate is
		}
		//lab: Delete shut gate 1.
		if c.Table(rows).Transact(c, partition, driver.Delete(shut, driver.Exists)) != nil {
			return
		}
		//lab: Free the name of incarnation 1.
		_ = c.Table(channels).Transact(c, partition, driver.Delete("", driver.Match(channel.ETag))) // or the other worker has
	}
	nora := func(c own.Client) {
		//lab: Create the channel.
		if c.Table(channels).Transact(c, partition, insertChannel(2)) == nil {
			//lab: Post.
			_ = c.Table(rows).Transact(c, partition, driver.Insert(new)) // there is none
			c.Tell("posted")
		}
	}
	return own.Protocol{
		Setup: func(c own.Client) {
			_ = c.Table(channels).Transact(c, partition, insertChannel(1)) // no call of a set-up fails
			_ = c.Table(rows).Transact(c, partition, driver.Insert(shut), driver.Insert(old))
		},
		Actors: []own.Actor{{Name: "w1", Run: work}, {Name: "w2", Run: work}, {Name: "nora", Run: nora}},
		Invariants: []own.Invariant{
			always("Nora's post stays", func(s own.State) string {
				if s.Told("posted") > 0 && !s.There(rows, partition, new) {
					return "Nora's post is gone, although no user deleted it."
				}
				return ""
			}),
			{Name: "the old post goes", Means: "the old post goes", Quiescent: func(s own.State) string {
				if s.There(rows, partition, old) {
					return "The old post is left."
				}
				return ""
			}},
		},
	}
}

func reservation() Level {
	return Level{
		Title: "The reservation",
		Task: "Olga's program reserves, reads the reservation, puts up gate 1, and then posts behind the gate. A condition on the reservation also deletes it, in the same transaction. The network may deliver each of her first two writes once more, at any later time. " +
			"The worker w deletes gate 1, lists and deletes the posts, and frees the name.",
		Never: "a post without a channel. And gate 1 goes up if no worker deletes the channel.",
		Write: "Put up gate 1",
		Why:   "The write that puts up gate 1 deletes the reservation, so a copy of it finds none. Or it finds one that a copy of “Reserve” has made, in another version, because no version returns.",
		Idea:  "What must happen once needs a row that can be used once.",
		Rows:  []string{"channel" + Elsewhere, "reservation", "gate 1", "post"},
		Clauses: []Clause{none(),
			{Name: "exists", Label: "a reservation exists", Code: "reservation exists, and delete it"},
			{Name: "version", Label: "the reservation has the version that was read", Code: "reservation.version = read, and delete it"},
			{Name: "gate", Label: "the gate of this incarnation exists", Code: "gate(incarnation) exists"}},
		protocol: reservationWith,
		adjusts: func(s *lab.Scenario) {
			s.Faults, s.Only, s.DelayedCalls = 2, lab.Copied, func(c *driver.Call) bool {
				last := c.Operations[len(c.Operations)-1]
				return last.Action != driver.ActionDelete && (last.Row == "reservation" || last.Row == gateOf(1))
			}
		},
	}
}

func reservationWith(clause string) own.Protocol {
	olga := func(c own.Client) {
		//lab: Reserve.
		_ = c.Table(rows).Transact(c, partition, driver.Insert("reservation")) // there is none
		//lab: Read the reservation.
		read, _ := c.Table(rows).Get(c, partition, "reservation") // it is there
		write := []driver.Operation{driver.Insert(gateOf(1))}
		switch clause {
		case "exists":
			write = []driver.Operation{driver.Delete("reservation", driver.Exists), write[0]}
		case "version":
			write = []driver.Operation{driver.Delete("reservation", driver.Match(read.ETag)), write[0]}
		case "gate":
			write = []driver.Operation{driver.Merge(gateOf(1), driver.Exists)}
		}
		//lab: Put up gate 1.
		if c.Table(rows).Transact(c, partition, write...) != nil {
			c.Tell("refused")
			return
		}
		//lab: Post behind gate 1.
		_ = c.Table(rows).Transact(c, partition, driver.Merge(gateOf(1), driver.Exists), driver.Insert("post")) // or it is refused
	}
	w := func(c own.Client) {
		//lab: Delete gate 1.
		if c.Table(rows).Transact(c, partition, driver.Delete(gateOf(1), driver.Exists)) != nil {
			return // it is not up yet, so there is nothing to delete
		}
		sweep(c)
		//lab: Free the name.
		_ = c.Table(channels).Transact(c, partition, driver.Delete("", driver.Exists)) // it is there
	}
	return own.Protocol{
		Setup: func(c own.Client) {
			_ = c.Table(channels).Transact(c, partition, insertChannel(1)) // no call of a set-up fails
		},
		Actors: []own.Actor{{Name: "olga", Run: olga}, {Name: "w", Run: w}},
		Invariants: []own.Invariant{always("the gate goes up, and only once", func(s own.State) string {
			switch {
			case s.Told("refused") > 0:
				return "The gate never goes up, and nothing was deleted."
			case s.There(rows, partition, "post") && incarnationOf(s) == 0:
				return "A post is left of a channel that is gone, behind a gate that went up twice."
			}
			return ""
		})},
	}
}
