package page

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

// A variable is what an actor knows: of a row, of what it has listed, of a message, or what it was told.
type variable struct {
	Name, Value string
	// How and Step say how it came to know that.
	How  string
	Step int
	// Now is what it has become without the actor, and Since the step since when it is that. Since is 0 if it is still so.
	Since int
	Now   string
	// Refused reports whether it is what the store said to a call that it refused.
	Refused bool
	call    *lab.Call
}

// when says how and when an actor came to know it.
func (x variable) when() string { return x.How + " " + strconv.Itoa(x.Step) }

// variables are what an actor knows after n steps of the run, the latest last, and what that has become.
func (v *scene) variables(actor, n int) (list []variable) {
	list = v.learned(actor, n)
	for i := range list {
		v.compare(&list[i], actor, n+1, n)
	}
	return list
}

// learned is what an actor knows after n steps of the run, the latest last.
func (v *scene) learned(actor, n int) (list []variable) {
	last := 0
	for at := 1; at <= n; at++ {
		if int(v.moments[at].Step.Choice.Actor) == actor {
			last = at
			list = v.learn(list, at)
		}
	}
	if step := v.moments[last].Step; last > 0 && step.Result != nil && step.Result.Err != nil && !hasRead(step) {
		list = append(list, variable{Name: "answer", Value: "✗ " + v.names.answer(step), How: "step", Step: last, Refused: true})
	}
	return list
}

// hasRead reports whether a step has read something, or that it is not there.
func hasRead(step *lab.Step) bool {
	return !step.Call.Writes() && (step.Result.Err == nil || step.Call.Method == driver.CallGet && errors.Is(step.Result.Err, domain.ErrNotFound))
}

// learn adds what an actor knows by its step.
func (v *scene) learn(list []variable, at int) []variable {
	step := v.moments[at].Step
	add := func(x variable) {
		list = slices.DeleteFunc(list, func(old variable) bool {
			return old.call != nil && old.call.Target == x.call.Target && old.call.Partition == x.call.Partition && old.call.Row == x.call.Row && old.call.From == x.call.From
		})
		list = append(list, x)
	}
	switch {
	case step.Result == nil:
	case hasRead(step):
		add(variable{Name: v.names.call(step.Call), Value: v.stateOf(step.Call, step.Result.Entity, step.Result.Page.Rows), How: "read at", Step: at, call: step.Call})
	case step.Result.Err != nil:
	case step.Call.Method == driver.CallReceive:
		add(variable{Name: "message", Value: v.names.message(step.Result.Messages[0].Text), How: "received at", Step: at, call: step.Call})
	default: // what it has read it may have written
		for _, c := range step.Changes() {
			for i := range list {
				if x := &list[i]; x.call != nil && x.call.Method == driver.CallGet && covers(x.call, step.Call.Target, c) {
					x.Value, x.How, x.Step = v.stateOf(x.call, c.After, nil), "wrote at", at
					if !c.After.Found() {
						x.Value, x.How = "gone", "removed at"
					}
				}
			}
		}
	}
	for _, told := range lab.Told(*step) {
		list = append(list, variable{Name: "was told", Value: "“" + told + "”", How: "at", Step: at})
	}
	return list
}

// stateOf is what a call finds, in words.
func (v *scene) stateOf(c *lab.Call, e driver.Entity, rows []driver.Entity) string {
	switch {
	case c.Method != driver.CallGet && len(rows) > mostNamed:
		return lab.Count(len(rows), "row")
	case c.Method != driver.CallGet && len(rows) == 1 && strings.HasPrefix(v.names.row(c.Target, rows[0]), v.names.listed(c)):
		e = rows[0] // the name says it
	case c.Method != driver.CallGet:
		return v.names.rows(c.Target, rows)
	case !e.Found():
		return "not there"
	}
	if value := v.names.value(c.Target, e); value != "" {
		return value
	}
	return "there"
}

// compare says whether what an actor has read is still so after n steps, and if not, since when it is what it is now. What the
// actor itself has changed counts if it did so after the step sent.
func (v *scene) compare(x *variable, actor, sent, n int) {
	if x.call == nil || x.call.Writes() {
		return
	}
	was := x.Value
	for later := x.Step + 1; later <= n; later++ {
		step := v.moments[later].Step
		if int(step.Choice.Actor) == actor && later <= sent || !slices.ContainsFunc(step.Changes(), func(c mem.Change) bool { return covers(x.call, step.Call.Target, c) }) {
			continue
		}
		if now := v.wouldFind(x.call, later); now != was || x.Since == 0 {
			x.Since, was = later, now
		}
	}
	if x.Since > 0 {
		if x.Now = v.wouldFind(x.call, n); x.Now == x.Value {
			x.Now = "changed"
		}
	}
}

// wouldFind is what a read would find after n steps, in words.
func (v *scene) wouldFind(c *lab.Call, n int) string {
	rows := v.covered(c, n)
	if len(rows) == 0 {
		return v.stateOf(c, driver.Entity{}, nil)
	}
	return v.stateOf(c, rows[0], rows)
}

// covered are the rows that a call reads after n steps.
func (v *scene) covered(c *lab.Call, n int) (rows []driver.Entity) {
	for e := range v.moments[n].DB.Rows(c.Target) {
		if covers(c, c.Target, mem.Change{After: e}) {
			rows = append(rows, e)
		}
	}
	return rows
}

// covers reports whether a call reads the row that is changed.
func covers(c *lab.Call, target string, change mem.Change) bool {
	row := later(change)
	switch {
	case c.Target != target:
		return false
	case c.Method == driver.CallScan:
		return c.From <= row.Partition && (c.To == "" || row.Partition < c.To)
	case c.Method == driver.CallGet:
		return c.Partition == row.Partition && c.Row == row.Row
	case c.Method == driver.CallRange:
		return c.Partition == row.Partition && c.From <= row.Row && (c.To == "" || row.Row < c.To)
	}
	return false
}
