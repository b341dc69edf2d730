package prove

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"microblogging/lab"
)

// A telling is a comparison that is being made.
type telling struct {
	Comparison
	story
	// at is how far the shipped code has come, by which choices and steps.
	at    lab.Cursor
	taken lab.Schedule
	steps []lab.Step
	// end is where the schedule leads the textbook version.
	end lab.Cursor
}

// tell takes one step of the textbook version after the other.
func (t *telling) tell(schedule lab.Schedule) error {
	textbook, shipped := lab.NewExplorer(t.Textbook.Scenario), lab.NewExplorer(t.Shipped.Scenario)
	defer textbook.Close()
	defer shipped.Close()
	moments, err := textbook.Follow(schedule)
	if err != nil {
		return err
	}
	t.end, t.at = textbook.Begin(), shipped.Begin()
	for _, c := range schedule {
		if t.end, _, err = t.end.Take(c); err != nil {
			return err
		}
	}
	t.TextbookWhole, t.TextbookEnd = t.Textbook.Format(schedule), endingOf(moments[len(schedule)])
	taken := 0
	for ; taken < len(schedule) && !t.Differs() && !t.Stuck(); taken++ {
		t.row(moments[taken+1].Step, moments[taken+2:])
	}
	for _, m := range moments[taken+1:] {
		t.TextbookEnding = append(t.TextbookEnding, t.Textbook.Words(*m.Step))
	}
	t.TextbookSchedule, t.ShippedSchedule = t.Textbook.Format(schedule[:taken]), t.Shipped.Format(t.taken)
	if !t.Stuck() && (t.Differs() || t.TextbookEnd.AtRest || len(t.TextbookEnd.Broken()) > 0) {
		err = t.rest()
	}
	if err != nil {
		return fmt.Errorf("bringing %s to rest: %v", t.Shipped.Name, err)
	}
	t.ShippedWhole = t.Shipped.Format(t.taken)
	if moments, err = shipped.Follow(t.taken); err != nil {
		return fmt.Errorf("following %s: %v", t.Shipped.Name, err)
	}
	t.ShippedEnd = endingOf(moments[len(t.taken)])
	return nil
}

// rest lets all actors of the shipped code go on to their ends.
func (t *telling) rest() error {
	site, before := t.Site, len(t.steps)
	for c, ok := t.at.Next(); ok; c, ok = t.at.Next() {
		if err := t.take(lab.Schedule{c}); err != nil {
			return err
		}
	}
	for _, step := range t.steps[before:] {
		t.ShippedEnding = append(t.ShippedEnding, t.Shipped.Words(step))
	}
	t.Site = site
	return nil
}

// row adds the row of a step of the textbook version. ahead are the moments after it.
func (t *telling) row(step *lab.Step, ahead []lab.Moment) {
	before := len(t.steps)
	var row ComparisonRow
	if t.same {
		row = t.repeat(step)
	} else {
		row = t.follow(step, ahead)
	}
	row.Textbook = t.Textbook.Words(*step)
	for _, taken := range t.steps[before:] {
		row.Shipped = append(row.Shipped, t.Shipped.Words(taken))
	}
	t.Rows = append(t.Rows, row)
}

// stuck is the row of a step that the shipped code cannot follow.
func stuck(why string) ComparisonRow { return ComparisonRow{Stuck: true, Why: why} }

// stuckBy is the row of a step whose choice could not be taken.
func stuckBy(err error) ComparisonRow {
	var cause *lab.StuckError
	if errors.As(err, &cause) {
		return stuck("“" + cause.Word + "” is not possible there: " + cause.Why)
	}
	return stuck(err.Error())
}

// take takes choices on the shipped code. It keeps the line of the latest call by which
// the guard refuses. If a choice cannot be taken, those before it are.
func (t *telling) take(choices lab.Schedule) error {
	for _, c := range choices {
		if call := t.at.Call(c); call != nil && t.by != "" && milestoneOf(call) == t.by && strings.HasPrefix(t.nameOf(c), t.who) {
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

// nameOf is the name of the actor of a choice on the shipped code.
func (t *telling) nameOf(c lab.Choice) string {
	return t.Shipped.Format(lab.Schedule{{Actor: c.Actor}})
}

// deciding is the line of the function that decides by what a call answers: reading a
// channel is only the means.
func deciding(lines []lab.Site) lab.Site {
	at := slices.IndexFunc(lines, func(l lab.Site) bool { return l.Function != "(*Store).readChannel" })
	return lines[max(at, 0)]
}

// failed tells whether a call was refused, also one that nobody waited for.
func failed(s *lab.Step) bool {
	switch {
	case s.Answer != nil:
		return s.Answer.Err != nil
	case s.Choice.Fate == lab.Lands:
		return s.Applied.Err != nil
	default:
		return false
	}
}

// latest is the step that was taken last.
func (t *telling) latest() *lab.Step { return &t.steps[len(t.steps)-1] }
