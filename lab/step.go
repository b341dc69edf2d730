package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// errNoResponse is the error that an actor gets in place of a lost answer.
var errNoResponse = fmt.Errorf("%w: no answer", domain.ErrUnavailable)

// A stamp names the versions and messages that one sending of one call writes. It
// does not depend on other actors, so a row has the same version in all orders of
// calls that lead to it.
type stamp struct {
	actor, depth int
	send         uint8
}

func (s stamp) String() string {
	b := strconv.AppendInt(make([]byte, 0, 16), int64(s.actor), 36)
	b = strconv.AppendInt(append(b, '.'), int64(s.depth), 10)
	if s.send > 0 {
		b = strconv.AppendInt(append(b, '+'), int64(s.send), 10)
	}
	return string(b)
}

func (s stamp) sum() uint64 { return uint64(s.actor)<<32 | uint64(s.depth)<<8 | uint64(s.send) }

func (s stamp) etag(i int) string { return s.String() + "/" + strconv.Itoa(i) }

// A Step is a choice and its outcome.
type Step struct {
	Choice Choice
	// Call is nil if the queue lost a message.
	Call *Call
	// Applied is the backend's answer, if the call reached it.
	Applied *Result
	// Result is the answer that the actor got, if it got one.
	Result *Result
	// Told are the facts that the actor told next.
	Told []Fact
	// Message is the message that the queue lost.
	Message string
	// Sender is the number of the actor that has sent the call, also if it takes effect late. It is 0
	// if the queue lost a message.
	Sender  int
	at      *point
	changes []mem.Change
}

// Site is the line that makes the call, if calls are traced.
func (s Step) Site() Site {
	if s.at == nil {
		return Site{}
	}
	return s.at.line()
}

// Changes are the rows that the step changed, before and after.
func (s Step) Changes() []mem.Change { return s.changes }

// perform takes one choice that the state allows.
func (x *Explorer) perform(from *state, c Choice) (*state, Step) {
	to := *from
	step := Step{Choice: c}
	if c.Fate.costs() {
		to.faults--
	}
	switch {
	case c.Fate == Passes:
		to.time++
	case c.Fate == Forgotten:
		m := from.db.Messages(domain.QueueName)[c.Arg]
		to.db, step.Message = from.db.Forget(domain.QueueName, m.ID), m.Text
	case c.Fate == Lands:
		late := from.late[c.Arg]
		to.late = slices.Delete(slices.Clone(from.late), int(c.Arg), int(c.Arg)+1)
		step.Call, step.Sender, step.at = late.at.call, late.stamp.actor, late.at
		x.apply(&to, &step, late.stamp)
	default:
		to.places = slices.Clone(from.places)
		x.act(&to, &step)
	}
	if x.scenario.Preemptions > 0 {
		to.countPreemption(from, c)
	}
	return &to, step
}

// act applies the call of an actor as its fate says, and moves the actor on.
func (x *Explorer) act(to *state, step *Step) {
	c := step.Choice
	p := &to.places[c.Actor-1]
	program := x.programs[c.Actor-1]
	step.Call, step.Sender, step.at = p.at.call, int(c.Actor), p.at
	if p.at.follows(Looking) {
		to.history = to.history.withLook(beginning{int(c.Actor), len(p.at.facts) - 1, x.acknowledged(x.view(to))})
	}
	mine := stamp{int(c.Actor), p.at.depth, p.sends}
	switch c.Fate {
	case DiesBefore, Unsent, GivenUp:
	default:
		x.apply(to, step, mine)
	}
	switch c.Fate {
	case DiesBefore, DiesAfter:
		p.dead = true
		return
	case Repeated:
		p.sends++
		return
	case Lost, Unsent, GivenUp:
		step.Result = &Result{Err: errNoResponse}
	default:
		step.Result = step.Applied
	}
	if c.Fate == GivenUp || c.Fate == Copied {
		mine.send++
		to.late = append(slices.Clip(to.late), delayedCall{p.at, mine})
	}
	step.Result.clock = x.clock(to.time, program.actor.Name)
	before := len(p.at.facts)
	*p = place{at: program.after(p.at, *step.Result)}
	step.Told = p.at.facts[before:]
}

// apply applies the call to the backend and to the history.
func (x *Explorer) apply(to *state, step *Step, mine stamp) {
	var a Result
	to.db, a, step.changes = execute(to.db, step.Call, x.now(to), mine, int(step.Choice.Arg))
	step.Applied = &a
	if a.Err != nil {
		return
	}
	if step.Call.Method == driver.CallSend {
		to.history = to.history.withSent(step.Call.sent)
	}
	for _, change := range step.changes {
		if step.Call.Target == schema.TableChannels && change.Before.ETag == "" {
			to.history = to.history.withIncarnation(change.After.Properties.String("Incarnation"))
		}
	}
}

// execute applies one call to a snapshot. message is the index of the message that
// a Receive gets.
func execute(db mem.Snapshot, c *Call, now time.Time, mine stamp, message int) (mem.Snapshot, Result, []mem.Change) {
	if c.Method == driver.CallReceive {
		db, m, err := db.Deliver(c.Target, db.Messages(c.Target)[message].ID, never())
		return db, Result{Result: driver.Result{Messages: []driver.Message{m}}, Err: err}, nil
	}
	mint := mine.etag
	if c.Method == driver.CallSend {
		mint = func(int) string { return mine.String() }
	}
	done := c.Call
	db, changes, err := db.Do(&done, now, mint)
	return db, Result{Result: done.Result, Err: err}, changes
}

// countPreemption counts the switches away from an actor that can go on. What the
// network does preempts no actor.
func (s *state) countPreemption(from *state, c Choice) {
	if c.Actor == network {
		return
	}
	if from.last > 0 && c.Actor != from.last {
		s.preempted++
	}
	s.last = 0
	if !s.places[c.Actor-1].stopped() {
		s.last = c.Actor
	}
}

// describeFate is the fate of a step in the words of the table.
func describeFate(f Fate) string {
	return [...]string{
		"", "dies before it", "dies after it", "takes effect, reply lost, not sent again", "never arrives, not sent again",
		"takes effect, SDK sends it again", "caller gives up, still under way", "a copy is still under way",
		"the queue loses a message", "takes effect late", "time passes",
	}[f]
}

// StepText is a step in words.
type StepText struct {
	// Actor is "network" if no actor made the choice.
	Actor string
	Call  string
	// Fate is empty if the call took effect and was answered.
	Fate string
	// Result is empty if the actor got none, and in brackets if no caller waited for it.
	Result string
	// Told is what the actor was told next.
	Told []string
}

// Words says a step in words. The first token that ann minted is ann.1.
func (s *Scenario) Words(step Step) StepText {
	w := StepText{Actor: "network", Fate: describeFate(step.Choice.Fate)}
	if step.Choice.Actor != network {
		w.Actor = s.actorName(int(step.Choice.Actor))
	}
	switch {
	case step.Call != nil:
		w.Call = s.DescribeCall(step.Call)
	case step.Message != "":
		w.Call = s.DescribeMessage(step.Message)
	}
	switch {
	case step.Result != nil:
		w.Result = s.Pretty(describeResult(step.Call, step.Result))
	case step.Choice.Fate == Lands:
		w.Result = s.Pretty("(" + describeResult(step.Call, step.Applied) + ")")
	}
	w.Told = toldIn(step.Told)
	return w
}

// DescribeCall is what a call asks for, in one line.
func (s *Scenario) DescribeCall(c *Call) string { return s.Pretty(describeCall(c)) }

// DescribeMessage is what a message asks for, in one line.
func (s *Scenario) DescribeMessage(text string) string { return s.Pretty(describeMessage(text)) }

// Told is what the actor was told after a step, in words.
func Told(step Step) []string { return toldIn(step.Told) }

// toldIn are the facts in words.
func toldIn(facts []Fact) (words []string) {
	for _, fact := range facts {
		if told := fact.describe(); told != "" {
			words = append(words, told)
		}
	}
	return words
}

// Tell says in a sentence what a call asks for: the words of the line that makes it, and what it
// depends on. That is taken from the call, which may go without a safeguard.
func (s *Scenario) Tell(c *Call, site Site) string {
	sentence := strings.TrimSuffix(site.Sentence, ".")
	words := slices.DeleteFunc(conditions(c), func(word string) bool { return strings.Contains(sentence, word) })
	if len(words) == 0 || sentence == "" {
		return site.Sentence
	}
	if !slices.ContainsFunc(c.Operations, func(op driver.Operation) bool {
		kind := schema.Of(c.Target, c.Partition, op.Row)
		return op.Action != driver.ActionMerge || len(op.Properties) > 0 || kind == nil || kind.Requires == ""
	}) {
		sentence += " (here without the row)" // only the conditions are left
	}
	return sentence + ", " + strings.Join(words, ", ") + "."
}

// conditions are what the operations of a call depend on.
func conditions(c *Call) (words []string) {
	var out, in, version string
	for _, op := range c.Operations {
		kind := schema.Of(c.Target, c.Partition, op.Row)
		switch _, matches := op.If.ETag(); {
		case op.Action == driver.ActionInsert, op.Action == driver.ActionReplace && op.If == driver.Upsert:
			in = op.Row
		case matches:
			version = "in the version that was read"
		}
		switch {
		case kind == nil:
		case op.Action == driver.ActionDelete && kind.Swapped:
			out = "in the place of the " + kind.Name
		case op.Action == driver.ActionMerge && len(op.Properties) == 0 && kind.Requires != "":
			words = append(words, kind.Requires)
		}
	}
	if out != "" && in != "" {
		words = append(words, out)
	}
	if version != "" {
		words = append(words, version)
	}
	return words
}
