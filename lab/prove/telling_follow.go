package prove

import (
	"slices"

	"microblogging/lab"
)

// follow lets the actor of a textbook step do the same on the shipped code, which makes
// more calls for it, or others. ahead are the moments after that step.
func (t *telling) follow(step *lab.Step, ahead []lab.Moment) ComparisonRow {
	fated, err := t.counterpart(step)
	if err != nil {
		return stuckBy(err)
	}
	if step.Choice.Actor < 0 {
		if err := t.take(lab.Schedule{fated}); err != nil {
			return stuckBy(err)
		}
		return ComparisonRow{Differs: failed(step) != failed(t.latest())}
	}
	row := t.advance(step, fated, ahead)
	told := t.Textbook.Words(*step).Told
	if row.Stuck || len(told) == 0 {
		return row
	}
	plain := lab.Choice{Actor: fated.Actor}
	if err := t.listen(plain); err != nil {
		return stuckBy(err)
	}
	heard := t.told(plain)
	if heard == nil && failed(step) {
		row.Why = "Ours refuses this as well."
		return row
	}
	row.Differs = row.Differs || !slices.Equal(heard, told)
	return row
}

// counterpart is the choice on the shipped code that is like one of the textbook version.
func (t *telling) counterpart(step *lab.Step) (lab.Choice, error) {
	word := t.Textbook.Format(lab.Schedule{step.Choice})
	if step.Choice.Actor < 0 {
		return t.choice(word)
	}
	name := t.Textbook.Actors[step.Choice.Actor-1].Name
	fate := word[len(name):]
	same, err := t.choice(t.actor(name, milestoneOf(step.Call)) + fate)
	if next := t.again[name]; err == nil && next != "" && t.at.Call(same) == nil {
		return t.choice(next + fate)
	}
	return same, err
}

// choice reads a choice on the shipped code.
func (t *telling) choice(word string) (lab.Choice, error) {
	read, err := t.Shipped.Parse(word)
	if err != nil {
		return lab.Choice{}, err
	}
	return read[0], nil
}

// advance lets an actor of the shipped code go on until it has made the call that the
// textbook version makes in a step.
func (t *telling) advance(step *lab.Step, fated lab.Choice, ahead []lab.Moment) ComparisonRow {
	goal, plain := milestoneOf(step.Call), lab.Choice{Actor: fated.Actor}
	ours, later := alone(t.at, plain), t.remaining(step, ahead)
	at := reach(ours, goal, later)
	switch {
	case at >= 0:
		if err := t.take(slices.Concat(slices.Repeat(lab.Schedule{plain}, at), lab.Schedule{fated})); err != nil {
			return stuckBy(err)
		}
		return ComparisonRow{Differs: failed(step) != failed(t.latest())}
	case t.at.Call(plain) == nil && t.has(plain, goal):
		return t.without(fated, "Ours has done this before, and has ended.")
	case t.has(plain, goal):
		return t.without(fated, "Ours has done this before.")
	case slices.ContainsFunc(later, func(m milestone) bool { return m != settles && slices.Contains(ours, m) }):
		// A worker that refuses deletes its message as well.
		return t.without(fated, "Ours needs no such call.")
	case fated.Fate != lab.Arrives:
		return t.without(fated, "Ours makes no such call here.")
	}
	if err := t.take(slices.Repeat(lab.Schedule{plain}, len(ours))); err != nil {
		return stuckBy(err)
	}
	if t.at.Call(plain) != nil { // it waits
		if err := t.take(lab.Schedule{plain}); err != nil {
			return stuckBy(err)
		}
	}
	changes := step.Call.Writes() && !failed(step)
	return ComparisonRow{Differs: changes, Why: "Ours has ended, and makes no such call."}
}

// without is the row of a step that has no call on the shipped code. An actor can die
// there all the same. Nothing else can befall a call that is not made.
func (t *telling) without(fated lab.Choice, why string) ComparisonRow {
	switch dies := fated.Fate == lab.DiesBefore || fated.Fate == lab.DiesAfter; {
	case fated.Fate == lab.Arrives:
		return ComparisonRow{Why: why}
	case !dies:
		return stuck(why + " So nothing can befall this call.")
	case t.at.Call(fated) == nil:
		return ComparisonRow{Why: why + " So a death changes nothing any more."}
	}
	if err := t.take(lab.Schedule{{Actor: fated.Actor, Fate: lab.DiesBefore}}); err != nil {
		return stuckBy(err)
	}
	return ComparisonRow{}
}

// repeat takes the choice of a step on the shipped code, which is the same code with a
// guard.
func (t *telling) repeat(step *lab.Step) ComparisonRow {
	same, err := t.counterpart(step)
	if err != nil {
		return stuckBy(err)
	}
	var site lab.Site
	if same.Actor > 0 {
		call := t.at.Call(same)
		if call == nil {
			return ComparisonRow{Differs: true, Why: "Ours has ended, and makes no such call."}
		}
		site = t.at.Sites(same)[0]
	}
	if err := t.take(lab.Schedule{same}); err != nil {
		return stuckBy(err)
	}
	ours := t.latest()
	row := ComparisonRow{Differs: failed(step) != failed(ours) || !sameKind(step.Call, ours.Call) ||
		!slices.Equal(t.Textbook.Words(*step).Told, t.Shipped.Words(*ours).Told)}
	if row.Differs {
		t.Site = site
	}
	return row
}

// sameKind tells whether two calls ask the same of the same table or queue.
func sameKind(a, b *lab.Call) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Method == b.Method && a.Target == b.Target
}

// remaining are the milestones that the shipped code's actor has before it after a step:
// those of the schedule, and those that follow if the actor goes on alone.
func (t *telling) remaining(step *lab.Step, ahead []lab.Moment) (list []milestone) {
	name := t.Textbook.Actors[step.Choice.Actor-1].Name
	who := t.actor(name, milestoneOf(step.Call))
	add := func(m milestone) {
		if t.actor(name, m) == who {
			list = append(list, m)
		}
	}
	for _, m := range ahead {
		if m.Step.Choice.Actor == step.Choice.Actor {
			add(milestoneOf(m.Step.Call))
		}
	}
	for _, m := range alone(t.end, lab.Choice{Actor: step.Choice.Actor}) {
		add(m)
	}
	return list
}

// reach is the index of the call that has gone as far as the goal: the last of several
// like it before anything that comes later in the textbook version. It is -1 if there is
// none.
func reach(alone []milestone, goal milestone, later []milestone) int {
	at := slices.Index(alone, goal)
	if at < 0 || slices.Contains(later, goal) {
		return at
	}
	for i := at; i < len(alone) && !slices.Contains(later, alone[i]); i++ {
		if alone[i] == goal {
			at = i
		}
	}
	return at
}

// alone are the milestones of an actor from a place to its end, if nobody else acts.
func alone(at lab.Cursor, actor lab.Choice) (list []milestone) {
	for {
		call := at.Call(actor)
		next, _, err := at.Take(actor)
		if err != nil {
			return list // it has ended, or waits
		}
		list, at = append(list, milestoneOf(call)), next
	}
}

// listen lets an actor go on until it was told something, or to its end.
func (t *telling) listen(actor lab.Choice) error {
	for t.told(actor) == nil && t.at.Call(actor) != nil {
		if err := t.take(lab.Schedule{actor}); err != nil {
			return err
		}
	}
	return nil
}

// told is what an actor was told latest.
func (t *telling) told(actor lab.Choice) (words []string) {
	for _, step := range t.steps {
		if told := t.Shipped.Words(step).Told; step.Choice.Actor == actor.Actor && told != nil {
			words = told
		}
	}
	return words
}

// has tells whether an actor has made such a call.
func (t *telling) has(actor lab.Choice, goal milestone) bool {
	return slices.ContainsFunc(t.steps, func(s lab.Step) bool {
		return s.Choice.Actor == actor.Actor && milestoneOf(s.Call) == goal
	})
}
