package prove

import (
	"errors"
	"fmt"
	"slices"

	"microblogging/lab"
)

// A Comparison is one story on the textbook version and on the shipped code, up to where
// they differ.
type Comparison struct {
	// Textbook and Shipped are the scenarios.
	Textbook, Shipped Case
	// TextbookSchedule and ShippedSchedule are what was taken of each.
	TextbookSchedule, ShippedSchedule string
	// Rows are the steps of the textbook version, each with those of the shipped code that
	// come as far. The last row is where they differ, if Differs says so. Otherwise they
	// differ in what fresh workers leave.
	Rows []ComparisonRow
	// TextbookWhole is the whole schedule of the textbook version, and Broken the law that
	// it breaks, in words.
	TextbookWhole, Broken string
	// Ending are the steps by which the shipped code comes to rest, if nothing goes wrong
	// any more. ShippedWhole is its schedule with them. No law is broken then.
	Ending       []lab.StepWords
	ShippedWhole string
	// Guard is the ablation without which the shipped code would do the same, and Site is
	// the call that the guard is in.
	Guard Case
	Site  lab.Site
}

// A ComparisonRow is one step of the textbook version.
type ComparisonRow struct {
	Textbook lab.StepWords
	// Shipped are the steps of the shipped code. There is none if it has done this before,
	// or needs no such call.
	Shipped []lab.StepWords
	// Differs tells that the two got different answers, or that the shipped code refuses to
	// go on.
	Differs bool
}

// A story says on which scenario of the shipped code an anomaly's is told, which guard
// refuses it, and by what call.
type story struct {
	anomaly, shipped, guard string
	by                      milestone
}

func stories() []story {
	return []story{
		{"A1", "post", "open-gate", insertsPost},
		{"A2", "again", "incarnation", readsChannel},
		{"A3", "web-dies", "queue-first", sends},
		{"A4", "creators", "look", readsChannel},
	}
}

// Compare tells the story of an anomaly's shortest schedule on both versions.
func Compare(anomaly string) (Comparison, error) {
	list := stories()
	at := slices.IndexFunc(list, func(s story) bool { return s.anomaly == anomaly })
	if at < 0 {
		return Comparison{}, fmt.Errorf("there is no story about %q", anomaly)
	}
	s := list[at]
	guard, err := Find(s.guard)
	if err != nil {
		return Comparison{}, err
	}
	c, moment, err := tell(s, s.shipped)
	if err == nil && moment.Broken() {
		err = fmt.Errorf("%s: the shipped code breaks a law: %+v", anomaly, moment.Laws)
	}
	c.Guard = guard
	return c, err
}

// tell tells a story on a scenario of the shipped code, or of one without a guard. The
// moment is the last one, when all is at rest.
func tell(s story, shipped string) (Comparison, lab.Moment, error) {
	t := telling{by: s.by}
	known, err := Known()
	if err != nil {
		return Comparison{}, lab.Moment{}, err
	}
	record, _ := About(known, s.anomaly)
	var textbookErr, shippedErr error
	t.Textbook, textbookErr = Find(s.anomaly)
	t.Shipped, shippedErr = Find(shipped)
	schedule, parseErr := t.Textbook.Parse(record.Schedule)
	if err := errors.Join(textbookErr, shippedErr, parseErr); err != nil {
		return Comparison{}, lab.Moment{}, err
	}
	moment, err := t.tell(schedule)
	return t.Comparison, moment, err
}

// A telling is a comparison that is being made.
type telling struct {
	Comparison
	by milestone
	// at is how far the shipped code has come, by which choices and steps.
	at    lab.Cursor
	taken lab.Schedule
	steps []lab.Step
}

// tell takes one step of the textbook version after the other.
func (t *telling) tell(schedule lab.Schedule) (lab.Moment, error) {
	textbook, shipped := lab.NewExplorer(t.Textbook.Scenario), lab.NewExplorer(t.Shipped.Scenario)
	defer textbook.Close()
	defer shipped.Close()
	moments, err := textbook.Follow(schedule)
	if err != nil {
		return lab.Moment{}, err
	}
	t.TextbookWhole, t.Broken = t.Textbook.Format(schedule), broken(moments[len(schedule)])
	t.at = shipped.Begin()
	taken := 0
	for taken < len(schedule) && !t.differs() && err == nil {
		err = t.follow(moments[taken+1].Step, moments[taken+2:])
		taken++
	}
	t.TextbookSchedule, t.ShippedSchedule = t.Textbook.Format(schedule[:taken]), t.Shipped.Format(t.taken)
	if err == nil {
		err = t.end()
	}
	if err != nil {
		return lab.Moment{}, err
	}
	moments, err = shipped.Follow(t.taken)
	return moments[len(moments)-1], err
}

// broken is the first law that is broken, in words.
func broken(m lab.Moment) string {
	at := slices.IndexFunc(m.Laws, func(l lab.LawState) bool { return l.State == lab.LawBroken })
	if at < 0 {
		return ""
	}
	return m.Laws[at].Reason
}

// end lets all actors of the shipped code go on to their ends.
func (t *telling) end() error {
	site, before := t.Site, len(t.steps)
	for c, ok := t.at.Next(); ok; c, ok = t.at.Next() {
		if err := t.take(lab.Schedule{c}); err != nil {
			return err
		}
	}
	for _, step := range t.steps[before:] {
		t.Ending = append(t.Ending, t.Shipped.Words(step))
	}
	t.Site, t.ShippedWhole = site, t.Shipped.Format(t.taken)
	return nil
}

func (t *telling) differs() bool { return len(t.Rows) > 0 && t.Rows[len(t.Rows)-1].Differs }

// follow lets the actor of a textbook step do the same on the shipped code. ahead are the
// moments after that step.
func (t *telling) follow(step *lab.Step, ahead []lab.Moment) error {
	word := t.Textbook.Format(lab.Schedule{step.Choice})
	same, err := t.Shipped.Parse(word)
	if err != nil {
		return err
	}
	fated, plain := same[0], lab.Choice{Actor: same[0].Actor}
	before := len(t.steps)
	goal := milestoneOf(step.Call)
	alone, later := t.alone(plain), remaining(step, ahead)
	at, row := reach(alone, goal, later), ComparisonRow{Textbook: t.Textbook.Words(*step)}
	switch {
	case at >= 0:
		err = t.take(slices.Concat(slices.Repeat(lab.Schedule{plain}, at), lab.Schedule{fated}))
		row.Differs = err == nil && failed(step) != failed(&t.steps[len(t.steps)-1])
	case t.has(plain, goal):
	case !slices.ContainsFunc(later, func(m milestone) bool { return slices.Contains(alone, m) }):
		err = t.take(slices.Repeat(lab.Schedule{plain}, len(alone)))
		row.Differs = true
	}
	if err == nil && len(row.Textbook.Told) > 0 {
		err = t.listen(plain)
		row.Differs = row.Differs || !slices.Equal(t.told(plain), row.Textbook.Told)
	}
	for _, taken := range t.steps[before:] {
		row.Shipped = append(row.Shipped, t.Shipped.Words(taken))
	}
	t.Rows = append(t.Rows, row)
	return err
}

func failed(s *lab.Step) bool { return s.Answer != nil && s.Answer.Err != nil }

// remaining are the milestones of an actor of the textbook version after a step.
func remaining(step *lab.Step, ahead []lab.Moment) (list []milestone) {
	for _, m := range ahead {
		if m.Step.Choice.Actor == step.Choice.Actor {
			list = append(list, milestoneOf(m.Step.Call))
		}
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

// alone are the milestones of an actor from here to its end, if nobody else acts.
func (t *telling) alone(actor lab.Choice) (list []milestone) {
	for at := t.at; ; {
		call := at.Call(actor)
		next, _, err := at.Take(actor)
		if err != nil {
			return list // it has ended, or waits for a message
		}
		list, at = append(list, milestoneOf(call)), next
	}
}

// take takes choices on the shipped code. It keeps the line of the latest call by which
// the guard refuses.
func (t *telling) take(choices lab.Schedule) error {
	for _, c := range choices {
		if call := t.at.Call(c); call != nil && milestoneOf(call) == t.by {
			t.Site = deciding(t.at.Sites(c))
		}
		next, step, err := t.at.Take(c)
		if err != nil {
			return err
		}
		t.at, t.steps, t.taken = next, append(t.steps, step), append(t.taken, c)
	}
	return nil
}

// deciding is the line of the function that decides by what a call answers: reading a
// channel is only the means.
func deciding(lines []lab.Site) lab.Site {
	at := slices.IndexFunc(lines, func(l lab.Site) bool { return l.Function != "(*Store).readChannel" })
	return lines[max(at, 0)]
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
