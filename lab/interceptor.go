package lab

import (
	"errors"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// An Interceptor stands between an actor's code and the turnstile. It may send the
// call, another call, several or none, and may return any answer.
type Interceptor func(call Call, do func(Call) Answer) Answer

func always(interceptor func() Interceptor) func(string) Interceptor {
	return func(string) Interceptor { return interceptor() }
}

// only intercepts the actors whose names start with the prefix.
func only(prefix string, interceptor func() Interceptor) func(string) Interceptor {
	return func(actor string) Interceptor {
		if !strings.HasPrefix(actor, prefix) {
			return nil
		}
		return interceptor()
	}
}

// withoutGuard leaves out the merge of a gate before other operations.
func withoutGuard(gate string) Interceptor {
	return func(c Call, do func(Call) Answer) Answer {
		if len(c.Operations) < 2 || c.Operations[0].Action != driver.ActionMerge || !strings.HasPrefix(c.Operations[0].Row, gate) {
			return do(c)
		}
		return withoutOperation(c, 0, do)
	}
}

// withoutOperation sends the call without operation i. The index of an operation
// that fails is counted as if i had been sent.
func withoutOperation(c Call, i int, do func(Call) Answer) Answer {
	c.Operations = slices.Delete(slices.Clone(c.Operations), i, i+1)
	a := do(c)
	var failed *driver.OperationError
	if errors.As(a.Err, &failed) && failed.Index >= i {
		a.Err = &driver.OperationError{Index: failed.Index + 1, Err: failed.Err}
	}
	return a
}

// outright takes out the rows that start with the prefix and that another row
// replaces later. The other row is then inserted without anything to replace.
func outright(prefix string) func() Interceptor {
	return func() Interceptor {
		began := false
		return func(c Call, do func(Call) Answer) Answer {
			at := slices.IndexFunc(c.Operations, func(op driver.Operation) bool { return strings.HasPrefix(op.Row, prefix) })
			began = began || at >= 0
			switch {
			case at >= 0 && len(c.Operations) == 1:
				return Answer{}
			case at >= 0:
				return withoutOperation(c, at, do)
			case began && c.Method == Get && strings.HasPrefix(c.Row, prefix):
				return Answer{Entity: driver.Entity{Partition: c.Partition, Row: c.Row, ETag: "none"}}
			}
			return do(c)
		}
	}
}

// withoutOnce leaves out the inserts of once! rows.
func withoutOnce(c Call, do func(Call) Answer) Answer {
	for i, op := range c.Operations {
		if strings.HasPrefix(op.Row, "once!") {
			return withoutOperation(c, i, func(c Call) Answer { return withoutOnce(c, do) })
		}
	}
	return do(c)
}

// afterRefusal intercepts the calls that follow a transaction whose row was there before.
func afterRefusal(inner Interceptor) func() Interceptor {
	return func() Interceptor {
		refused := false
		return func(c Call, do func(Call) Answer) Answer {
			if refused {
				return inner(c, do)
			}
			a := do(c)
			refused = c.Method == Transact && errors.Is(a.Err, domain.ErrExists)
			return a
		}
	}
}

// unmarkedChannels makes every channel that is read look active.
func unmarkedChannels() Interceptor {
	return func(c Call, do func(Call) Answer) Answer {
		a := do(c)
		if c.Method == Get && c.Target == tableChannels && a.Err == nil {
			a.Entity.Properties = a.Entity.Properties.Merged(driver.Properties{driver.String("State", domain.ChannelActive)})
		}
		return a
	}
}

// withoutMatch makes writes to a table's rows that start with the prefix hold for
// any version.
func withoutMatch(table, prefix string) Interceptor {
	return func(c Call, do func(Call) Answer) Answer {
		if c.Target == table {
			c.Operations = slices.Clone(c.Operations)
			for i, op := range c.Operations {
				if _, ok := op.If.ETag(); ok && strings.HasPrefix(op.Row, prefix) {
					c.Operations[i].If = driver.Exists
				}
			}
		}
		return do(c)
	}
}

// anyIncarnation makes every channel that a worker reads look like the incarnation
// that its message is about.
func anyIncarnation() Interceptor {
	var about domain.Incarnation
	return func(c Call, do func(Call) Answer) Answer {
		a := do(c)
		switch {
		case c.Method == Receive && a.Err == nil:
			if m, err := domain.DecodeMessage(a.Messages[0].Text); err == nil {
				about = m.Incarnation
			}
		case c.Method == Get && c.Target == tableChannels && a.Err == nil:
			a.Entity.Properties = a.Entity.Properties.Merged(driver.Properties{driver.String("Incarnation", about)})
		}
		return a
	}
}

// firstIncarnation makes every channel that an actor reads look like the incarnation that
// it read first.
func firstIncarnation() Interceptor {
	var first driver.Properties
	return func(c Call, do func(Call) Answer) Answer {
		a := do(c)
		if c.Method != Get || c.Target != tableChannels || a.Err != nil {
			return a
		}
		if first == nil {
			first = driver.Properties{driver.String("Incarnation", a.Entity.Properties.String("Incarnation"))}
		}
		a.Entity.Properties = a.Entity.Properties.Merged(first)
		return a
	}
}

// oneRead makes every read of the partition after the first look empty.
func oneRead() Interceptor {
	reads := 0
	return func(c Call, do func(Call) Answer) Answer {
		if c.Method != Range || c.Target != tableBlogs {
			return do(c)
		}
		if reads++; reads > 1 {
			return Answer{}
		}
		return do(c)
	}
}

// markFirst sends the message and the record of the deletion only after the channel
// is marked.
func markFirst() Interceptor {
	var held []Call
	return func(c Call, do func(Call) Answer) Answer {
		switch {
		case c.Method == Send, c.Method == Transact && c.Target == tableDeletions:
			held = append(held, c)
			return Answer{}
		case c.Method != Transact || c.Target != tableChannels:
			return do(c)
		}
		a := do(c)
		for _, late := range held {
			if a.Err == nil {
				a = do(late)
			}
		}
		held = nil
		return a
	}
}

// believer makes a creator trust the answer to its insert of a channel's row: the
// read that follows shows what the answer says. After "exists" it shows the channel
// of a stranger, whose gate is there.
func believer() Interceptor {
	const stranger = "STRANGERSTRANGERSTRANGERAA"
	var inserted *Call
	var answer Answer
	return func(c Call, do func(Call) Answer) Answer {
		switch {
		case c.Target == tableChannels && len(c.Operations) == 1 && c.Operations[0].Action == driver.ActionInsert:
			answer = do(c)
			inserted = &c
			return answer
		case strings.HasSuffix(c.Row, stranger):
			return Answer{}
		case inserted == nil || c.Method != Get || c.Target != tableChannels:
			return do(c)
		}
		row := driver.Entity{Partition: c.Partition, Row: c.Row, Properties: inserted.Operations[0].Properties}
		inserted = nil
		switch {
		case answer.Err == nil:
			return Answer{Entity: row}
		case errors.Is(answer.Err, domain.ErrExists):
			row.Properties = row.Properties.Merged(driver.Properties{driver.String("Incarnation", stranger)})
			return Answer{Entity: row}
		default:
			return Answer{Err: domain.ErrNotFound}
		}
	}
}

// withoutMade does not insert the row that says which channel a key made.
func withoutMade(c Call, do func(Call) Answer) Answer {
	if c.Method == Transact && strings.HasPrefix(c.Operations[0].Row, "made!") {
		return Answer{}
	}
	return do(c)
}

// withoutProperty reads rows that do not have the property.
func withoutProperty(table, name string) Interceptor {
	return func(c Call, do func(Call) Answer) Answer {
		a := do(c)
		if c.Method == Get && c.Target == table && a.Err == nil {
			a.Entity.Properties = slices.DeleteFunc(slices.Clone(a.Entity.Properties), func(p driver.Property) bool { return p.Name == name })
		}
		return a
	}
}

// withoutLinkEpoch reads a sign-in link as one of the epoch that its user is in.
func withoutLinkEpoch(c Call, do func(Call) Answer) Answer {
	a := do(c)
	if c.Method != Get || c.Target != tableSessions || !a.Entity.Properties.Bool("Link") {
		return a
	}
	user := do(Call{Method: Get, Target: tableUsers, Partition: a.Entity.Properties.String("User")})
	a.Entity.Properties = append(slices.DeleteFunc(slices.Clone(a.Entity.Properties), func(p driver.Property) bool { return p.Name == "Epoch" }),
		driver.Int64("Epoch", user.Entity.Properties.Int64("Epoch")))
	return a
}

// withoutMark deletes the row of a session, or of a link that is used, instead of marking
// it as ended.
func withoutMark(ofLink bool) Interceptor {
	return func(c Call, do func(Call) Answer) Answer {
		if c.Method == Transact && c.Target == tableSessions && c.Operations[0].Action == driver.ActionMerge {
			mark := c.Operations[0]
			if used := mark.Properties.String("UsedBy") != ""; used == ofLink {
				c.Operations = []driver.Operation{driver.Delete(mark.Row, mark.If)}
			}
		}
		return do(c)
	}
}

// errRefused is a refusal: the store answered, and no later attempt can succeed.
var errRefused = errors.New("refused")

// refused refuses to read any row of a channel's partition.
func refused() Interceptor {
	return func(c Call, do func(Call) Answer) Answer {
		if c.Target == tableBlogs && (c.Method == Get || c.Method == Range) {
			return Answer{Err: errRefused}
		}
		return do(c)
	}
}

// listLast puts a deletion on its user's list only after the channel is marked.
func listLast() Interceptor {
	return afterMark(func(c Call) bool {
		return c.Method == Transact && c.Target == tableUsers && strings.HasPrefix(c.Operations[0].Row, "asked!")
	})
}

// indexLast writes the index row of a deletion only after the channel is marked.
func indexLast() Interceptor {
	return afterMark(func(c Call) bool { return toIndex(&c) })
}

// afterMark holds the calls back that are to be late, until the channel is marked.
func afterMark(late func(Call) bool) Interceptor {
	var held []Call
	return func(c Call, do func(Call) Answer) Answer {
		if late(c) {
			held = append(held, c)
			return Answer{}
		}
		a := do(c)
		if c.Method == Transact && c.Target == tableChannels && a.Err == nil {
			for _, call := range held {
				a = do(call)
			}
			held = nil
		}
		return a
	}
}

// untouched leaves out the write to a channel's row before its index row is removed.
func untouched(c Call, do func(Call) Answer) Answer {
	if c.Method == Transact && c.Target == tableChannels && len(c.Operations[0].Properties) == 0 {
		return Answer{}
	}
	return do(c)
}

// sameIncarnation makes every channel that a pass reads look like the incarnation whose
// index row it has read.
func sameIncarnation() Interceptor {
	var about string
	return func(c Call, do func(Call) Answer) Answer {
		a := do(c)
		switch {
		case c.Method == Scan && c.Target == tableDeletions && len(a.Page.Rows) > 0:
			_, about, _ = strings.Cut(a.Page.Rows[0].Row, "!")
		case c.Method == Get && c.Target == tableChannels && a.Err == nil && about != "":
			a.Entity.Properties = a.Entity.Properties.Merged(driver.Properties{driver.String("Incarnation", about)})
		}
		return a
	}
}

// unavailableRefuses makes a store that does not answer look like a refusal.
func unavailableRefuses() Interceptor {
	return func(c Call, do func(Call) Answer) Answer {
		a := do(c)
		if errors.Is(a.Err, domain.ErrUnavailable) {
			a.Err = errRefused
		}
		return a
	}
}

// unmarked leaves out the mark of a message that is poisoned.
func unmarked() Interceptor {
	return func(c Call, do func(Call) Answer) Answer {
		if m, err := domain.DecodeMessage(c.Message.Text); err == nil && m.Copied && c.Method == Update {
			return Answer{Receipt: c.Message.Receipt}
		}
		return do(c)
	}
}

// unrecorded leaves out the Deletions row.
func unrecorded() Interceptor {
	return func(c Call, do func(Call) Answer) Answer {
		switch {
		case c.Target != tableDeletions:
			return do(c)
		case c.Method == Get:
			return Answer{Entity: driver.Entity{Partition: c.Partition, Row: c.Row,
				Properties: driver.Properties{driver.String("State", domain.DeletionDone)}}}
		default:
			return Answer{}
		}
	}
}

// both lets a call meet one interceptor and then another.
func both(outer, inner func() Interceptor) func() Interceptor {
	return func() Interceptor {
		first, second := outer(), inner()
		return func(c Call, do func(Call) Answer) Answer {
			return first(c, func(c Call) Answer { return second(c, do) })
		}
	}
}

// trustsTime takes each version of a page for the one that it read first.
func trustsTime() Interceptor {
	var channel, gate *Answer
	return func(c Call, do func(Call) Answer) Answer {
		a := do(c)
		switch {
		case a.Err != nil && channel == nil:
		case c.Method == Get && c.Target == tableChannels:
			if channel == nil {
				channel = &a
			}
			return *channel
		case c.Method == Range && strings.HasPrefix(c.Range.From, "gate!open!") && len(a.Page.Rows) > 0:
			gate = &Answer{Entity: a.Page.Rows[0]}
		case c.Method == Get && strings.HasPrefix(c.Row, "gate!open!") && gate != nil:
			return *gate
		}
		return a
	}
}

// countsStanding counts a vote although it stood already: it leaves out the vote's row and
// keeps what the vote adds to the rating.
func countsStanding(c Call, do func(Call) Answer) Answer {
	a := do(c)
	var failed *driver.OperationError
	if c.Method == Transact && errors.As(a.Err, &failed) && strings.HasPrefix(c.Operations[failed.Index].Row, "vote!") {
		return withoutOperation(c, failed.Index, func(c Call) Answer { return countsStanding(c, do) })
	}
	return a
}
