package page

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/lab/modelcheck"
	"microblogging/storage/driver"
	"microblogging/templates"
)

// twinTime is how long a page looks for the twin of a run that is not recorded.
const twinTime = time.Second

// An outcome is a run that violates the invariant of its level, next to one in which all invariants hold.
type outcome struct {
	modelcheck.Cause
	// whole reports whether there was time to look for the twin.
	whole bool
	// held is the other run: the twin, or else the run with the safeguard. It is nil if there is neither.
	held *scene
	// first is the first step that is not the same in both. It is 0 without another run.
	first int
	// with is the run with the safeguard that the scenario goes without. It is nil if it has all. The parting is that of
	// the two.
	with *scene
	parting
}

// outcomeOf finds what a violated invariant is held against.
func (l *Lab) outcomeOf(ctx context.Context, x *lab.Explorer, v *scene) (*outcome, error) {
	o := &outcome{whole: true}
	run := v.schedule[:v.wonAt()]
	if v.Safeguard != nil {
		complete, err := l.find(v.Safeguard.Of)
		if err != nil {
			return nil, err
		}
		complete.Until = v.Until
		complete.Preemptions = v.Preemptions // it may bound them more, and be stuck before that step
		same, _ := complete.Parse(v.Format(run))
		moments, _ := complete.Follow(same, true) // it has all actors, and leaves out what is not possible
		o.with = endOf(complete, moments, v.large)
		o.parting = partingOf(v.Case, v.moments[:len(run)+1], complete, moments)
	}
	if v.recorded() {
		o.Cause = v.record.Cause
	}
	if o.Twin == "" {
		searching, cancel := context.WithTimeout(ctx, twinTime)
		defer cancel()
		o.Cause, o.whole = v.TwinOf(searching, run)
	}
	switch o.first = max(o.Before, o.Fault); {
	case o.Twin != "":
		twin, err := v.Parse(o.Twin)
		if err != nil {
			return nil, err
		}
		moments, err := x.Follow(twin, false) // it knows most of its calls
		if err != nil {
			return nil, err
		}
		o.held = endOf(v.Case, moments, v.large)
	case o.with != nil && o.at > 0 && o.with.now().Violated() == nil:
		o.held, o.first = o.with, o.splits
	}
	return o, nil
}

// recorded reports whether the run is the one that the model checker has found in this code.
func (v *scene) recorded() bool { return !v.stale && v.text() == v.record.Schedule }

// endOf is a scene at the end of a run, of which the steps are shown and nothing else.
func endOf(c modelcheck.Case, run []lab.Moment, large bool) *scene {
	q := request{Case: c, at: len(run) - 1, large: large}
	for _, m := range run[1:] {
		q.schedule = append(q.schedule, m.Step.Choice)
	}
	return &scene{request: q, moments: run, names: namesOf(&q.Scenario, run)}
}

// because is the step because of which the invariant of the level is violated, and searched is how many states were
// searched to know it: all of them. Both are 0 if not all were.
func (v *scene) because() (step, searched int) {
	switch {
	case !v.won():
		return 0, 0
	case v.recorded() && v.record.Searched > 0:
		return v.record.Because, v.record.Searched
	case v.reachable != nil:
		return v.reachable.Because(v.moments[:v.wonAt()+1], v.record.Invariant), v.reachable.States
	}
	return 0, 0
}

// sure is the step since which every way on violates the invariant of the level. It is 0 if there is none yet, or if that
// is not known.
func (v *scene) sure() int {
	if v.reachable == nil || v.won() {
		return 0
	}
	return v.reachable.Because(v.moments[:v.at+1], v.record.Invariant)
}

// did is the write that violated the invariant of the level: the one that the safeguard refuses; or the last one, unless only
// the idle system showed it; or else the later of the one that does not come with the safeguard and the one that violates
// nothing in the twin. It is 0 if none is known.
func (v *scene) did() int {
	if v.outcome == nil {
		return 0
	}
	last := v.wonAt()
	if v.goal().Idle {
		last = 0
	}
	for _, n := range []int{v.outcome.refusedAt(), last, max(v.outcome.replacedAt(), v.outcome.Moved), v.outcome.Moved} {
		if n > 0 && v.moments[n].Step.Changes() != nil {
			return n
		}
	}
	return 0
}

// seen says at which step a violated invariant was seen, and because of which step it is violated.
func (v *scene) seen() string {
	goal := v.goal()
	words := "Seen at step " + strconv.Itoa(goal.Since)
	because, searched := v.because()
	switch {
	case searched > 0 && because == 0:
		return words + ". Every run of this level violates it."
	case because == goal.Since && because > 0:
		return words + ", because of that step."
	case because > 0:
		return words + ", because of step " + strconv.Itoa(because) + "."
	}
	return words + "."
}

// unsearched says why the step is not known because of which the invariant is violated. It is empty if it is.
func (v *scene) unsearched() string {
	switch _, searched := v.because(); {
	case searched > 0:
		return ""
	case v.ask == askReach:
		return "Because of which step is not known: there was no time to search all states."
	}
	if v.Part == modelcheck.Own {
		return "Because of which step is not known: a search ends at the first violation, and this needs all states."
	}
	return "Because of which step is not known: not all states were searched."
}

// searchAll is the address that searches all states for that step. It is empty if that was done, or is not offered.
func (v *scene) searchAll() string {
	if v.unsearched() == "" || v.ask == askReach {
		return ""
	}
	return v.asking(askReach)
}

// held is a step of the other run.
func (v *scene) held(n int) runLine {
	o := v.outcome
	l := o.held.told(n)
	l.URL, l.Current = o.held.state(n), false
	moved := o.first - 1 // where the call of step Moved is here
	for at := o.first; o.Moved > 0 && at <= o.Moved; at++ {
		if v.moments[at].Step.Choice.Actor == v.moments[o.Moved].Step.Choice.Actor {
			moved++
		}
	}
	switch {
	case o.Moved > 0 && n == moved:
		l.Class, l.Tags = "moved", []tag{{"good", "step " + strconv.Itoa(o.Moved) + ", before step " + strconv.Itoa(o.Before)}}
	case o.Moved > 0 && n == moved+1:
		l.Tags = []tag{{"", "step " + strconv.Itoa(o.Before)}}
		if then := v.told(o.Before); then.Result != l.Result {
			l.Class, l.Tags = "why", []tag{{"why", "step " + strconv.Itoa(o.Before) + ", with another answer"}}
		}
	case o.Fault > 0 && n == o.Fault && v.moments[n].Step.Choice.Fate != lab.Forgotten:
		l.Class, l.Tags = "moved", []tag{{"good", "the same step without the fault"}}
	case o.Twin == "" && n == o.first && n == o.refusedAt():
		l.Class, l.Tags = "moved", []tag{{"good", "the safeguard refuses it"}}
	case o.Twin == "" && n == o.first:
		l.Class, l.Tags = "moved", []tag{{"good", "with the safeguard"}}
	}
	return l
}

// same are the steps of both runs before they differ.
func (v *scene) same() []runLine { return lines(v.line, 1, v.outcome.first-1) }

// alike says which steps these are.
func (v *scene) alike() string {
	if last := v.outcome.first - 1; last > 1 {
		return "Steps 1 to " + strconv.Itoa(last) + " are"
	}
	return "Step 1 is"
}

// differs says how the other run differs.
func (v *scene) differs() string {
	o := v.outcome
	switch {
	case o.Moved > 0:
		return "Its twin: step " + strconv.Itoa(o.Moved) + " comes before step " + strconv.Itoa(o.Before)
	case o.Fault > 0:
		return "Its twin: the fault of step " + strconv.Itoa(o.Fault) + " does not happen"
	}
	return "The same run with the safeguard"
}

// apart says why the twin parts from the run at another step than the one because of which the invariant is violated. It is
// empty if it does not.
func (v *scene) apart() string {
	because, _ := v.because()
	if parts := max(v.outcome.Before, v.outcome.Fault); because > 0 && parts > 0 && parts != because {
		return "Every way on violates it since step " + strconv.Itoa(because) + ". A twin differs in one call only, so it has to part earlier: at step " + strconv.Itoa(parts) + "."
	}
	return ""
}

// answered says what the safeguard makes of the step of the parting: what the store answers, and since when, or what its
// actor does instead.
func (v *scene) answered() string {
	o := v.outcome
	if o.at == 0 {
		words := "With the safeguard, the same steps can be taken"
		if o.with.now().Violated() == nil {
			words += ", and all invariants hold"
		}
		return words + "."
	}
	mine, step := v.told(o.at), "step "+strconv.Itoa(o.at)
	call := step + " (" + mine.Actor + ": " + mine.Call + ")"
	if o.there == 0 {
		return "With the safeguard, " + call + " does not come then. The run parts at step " + strconv.Itoa(o.splits) + o.goesOn() + "."
	}
	there := o.with.told(o.there)
	switch {
	case o.refusedAt() > 0:
		words := "With the safeguard, the store refuses " + step + ": " + there.Result
		if since := v.refusedSince(o.with.moments[o.there].Step); since > 0 {
			words += ", since step " + strconv.Itoa(since)
		}
		return words + "."
	case !o.asks:
		return "With the safeguard, " + call + " does not come. In its place, " + there.Actor + " does this: “" + there.Call + "”."
	case there.Result+there.Changes != mine.Result+mine.Changes:
		return "With the safeguard, the answer to " + call + " is another one: " + there.Result + there.Changes + "."
	case !slices.Equal(v.moments[o.at].Step.Told, o.with.moments[o.there].Step.Told):
		return "With the safeguard, " + mine.Actor + " goes another way after " + call + ". " + o.nextOf(o.there)
	}
	return "With the safeguard, " + call + " writes or sends something else."
}

// goesOn says with which step the run with the safeguard goes on where the two split. It is empty if it ends there.
func (o *outcome) goesOn() string {
	if o.splits >= len(o.with.moments) {
		return ", where it ends"
	}
	l := o.with.told(o.splits)
	return ", and goes on with " + l.Actor + ": “" + l.Call + "”"
}

// knew says what the actor of the write that did it had read before it sent that, and was no longer so. A write that depends on
// the version of what was read is refused then, so this one did not. It is empty if a safeguard is missing, which says more.
func (v *scene) knew() string {
	did := v.did()
	if did == 0 || v.Safeguard != nil {
		return ""
	}
	sender, sent := v.moments[did].Step.Sender, v.sentAt(did)
	var words []string
	for _, x := range v.learned(sender, sent-1) {
		if v.compare(&x, sender, sent, did-1); x.Since > 0 {
			words = append(words, x.Name+": "+x.Value+", "+x.when()+", and since step "+strconv.Itoa(x.Since)+": "+x.Now)
		}
	}
	if words == nil {
		return ""
	}
	late := ""
	if sent < did {
		late = ", sent at step " + strconv.Itoa(sent) + ","
	}
	return "At step " + strconv.Itoa(did) + ", what " + v.Actors[sender-1].Name + " knew was old, and the write" + late + " did not depend on it. " + capital(strings.Join(words, "; ")) + "."
}

// sentAt is the step at which the call of a step was sent: the step itself, unless it takes effect late.
func (v *scene) sentAt(n int) int {
	for sent := 1; sent < n && v.moments[n].Step.Choice.Fate == lab.Lands; sent++ {
		if v.moments[sent].Step.Call == v.moments[n].Step.Call {
			return sent
		}
	}
	return n
}

// nextOf says what the actor of a step of the run with the safeguard does next.
func (o *outcome) nextOf(n int) string {
	for next := n + 1; next < len(o.with.moments); next++ {
		if o.with.moments[next].Step.Choice.Actor == o.with.moments[n].Step.Choice.Actor {
			return "Its next call is this: “" + o.with.told(next).Call + "”."
		}
	}
	return "It makes no other call."
}

// refusedSince is the step that changed last the row because of which a call was refused. It is 0 if none has, or if the
// run with the safeguard has gone another way before.
func (v *scene) refusedSince(refused *lab.Step) int {
	var failed *driver.OperationError
	if v.outcome.splits < v.outcome.at || !errors.As(refused.Applied.Err, &failed) || failed.Index >= len(refused.Call.Operations) {
		return 0
	}
	row := refused.Call.Operations[failed.Index].Row
	for n := v.outcome.at - 1; n > 0; n-- {
		step := v.moments[n].Step
		if step.Call != nil && step.Call.Target == refused.Call.Target && slices.ContainsFunc(step.Changes(), func(c mem.Change) bool {
			return later(c).Partition == refused.Call.Partition && later(c).Row == row
		}) {
			return n
		}
	}
	return 0
}

// A parting says how a run without a safeguard and the same with it go different ways. Both take the same choices as long
// as these can be taken, so that each actor comes to its calls in the same order.
type parting struct {
	// splits is the first step that is not the same in both.
	splits int
	// at is the first write that takes no effect with the safeguard; or else the first step that goes another way there; or
	// else the first that writes something else; or else the first that comes in another order. Of each actor, no step
	// counts after one that goes another way. It is 0 if there is none. there is the step of the same actor in the place of
	// it: 0 if its actor does not come so far, or if it is the order that differs.
	at, there int
	// asks reports whether that is the same call, and refused whether the store refuses it, and did not without the safeguard.
	asks, refused bool
}

func partingOf(c modelcheck.Case, without []lab.Moment, complete modelcheck.Case, with []lab.Moment) (p parting) {
	calls, parted, writes := map[string][]int{}, map[string]bool{}, parting{}
	for n := 1; n < len(with); n++ {
		name := chosen(complete, with[n])
		calls[name] = append(calls[name], n)
	}
	splits, lost := 0, false
	for n := 1; n < len(without); n++ {
		name, step, there := chosen(c, without[n]), *without[n].Step, 0
		if parted[name] {
			continue
		}
		if list := calls[name]; len(list) > 0 {
			there, calls[name] = list[0], list[1:]
		}
		next, same := meets(n, step, there, with)
		if splits == 0 && (!same || there != n) {
			splits = n
		}
		if same && writes.at == 0 && !writeAlike(step, *with[there].Step) {
			writes = next
		}
		loses := step.Changes() != nil && (!next.asks || next.refused)
		if parted[name] = !same; !same && (p.at == 0 || loses && !lost) {
			p, lost = next, loses
		}
	}
	switch {
	case p.at == 0 && writes.at > 0:
		p, splits = writes, cmp.Or(splits, writes.at)
	case p.at == 0:
		p.at = splits
	}
	p.splits = splits
	return p
}

// meets is a step next to the one in its place with the safeguard. same reports whether both go the same way.
func meets(at int, step lab.Step, there int, with []lab.Moment) (p parting, same bool) {
	p = parting{at: at, there: there}
	if there == 0 {
		return p, false
	}
	other := *with[there].Step
	p.asks = step.Site() == other.Site()
	p.refused = p.asks && failed(other) && !failed(step)
	return p, p.asks && alike(step, other)
}

// chosen is the actor of a step, by name, because a scenario without a safeguard may have fewer. It is empty for the network.
func chosen(c modelcheck.Case, m lab.Moment) string {
	if m.Step.Choice.Actor <= 0 {
		return ""
	}
	return c.Actors[m.Step.Choice.Actor-1].Name
}

// refusedAt is the step that the store refuses with the safeguard. It is 0 if it refuses none.
func (p parting) refusedAt() int {
	if p.refused {
		return p.at
	}
	return 0
}

// replacedAt is the step in the place of which its actor makes another call with the safeguard. It is 0 if there is none.
func (p parting) replacedAt() int {
	if p.there > 0 && !p.asks {
		return p.at
	}
	return 0
}

func failed(s lab.Step) bool { return s.Applied != nil && s.Applied.Err != nil }

// alike reports whether the same call is answered alike, and tells the same.
func alike(a, b lab.Step) bool { return failed(a) == failed(b) && slices.Equal(a.Told, b.Told) }

// writeAlike reports whether two steps leave the same in rows, and send the same.
func writeAlike(a, b lab.Step) bool {
	return (a.Call == nil || a.Call.Message.Text == b.Call.Message.Text) && slices.EqualFunc(a.Changes(), b.Changes(), func(a, b mem.Change) bool {
		return slices.Equal(a.After.Properties, b.After.Properties)
	})
}

// outcomePath is the address of the shortest run known that violates the invariant of a scenario.
func (l *Lab) outcomePath(name string) string {
	c, err := l.find(name)
	way, unreadable := c.Parse(l.recordOf(name).Schedule)
	if err != nil || unreadable != nil {
		return templates.LabPath(name)
	}
	return request{Case: c, schedule: way, at: len(way)}.address()
}

// prevented is the outcome without the safeguard by which MicroBlogging prevents what a level of the textbook shows. It
// is empty for another scenario.
func (l *Lab) prevented(name string) string {
	if level, _ := levelOf(name); level.Safeguard != "" {
		return l.outcomePath(level.Safeguard)
	}
	return ""
}
