package prove

import (
	"errors"
	"fmt"
	"slices"

	"microblogging/lab"
)

// A Comparison is one story on the textbook version, or on ours without a guard, and on the
// shipped code, up to where they differ.
type Comparison struct {
	// Textbook and Shipped are the scenarios. Textbook may be an ablation.
	Textbook, Shipped Case
	// TextbookSchedule and ShippedSchedule are what was taken of each.
	TextbookSchedule, ShippedSchedule string
	// Rows are the steps of the textbook version, each with those of the shipped code that
	// come as far. The last row is where they differ, or where the shipped code cannot
	// follow, if it says so. Otherwise both go on alike to the end of the schedule.
	Rows []ComparisonRow
	// TextbookEnding are the steps of the schedule after the last row.
	TextbookEnding []lab.StepWords
	// TextbookWhole is the whole schedule of the textbook version, and TextbookEnd what it
	// leads to.
	TextbookWhole string
	TextbookEnd   Ending
	// ShippedEnding are the steps by which the shipped code comes to rest, if nothing goes
	// wrong any more. There is none if the textbook version can go on in the same way, or if
	// the shipped code cannot follow. ShippedWhole is its schedule with them, and ShippedEnd
	// what it leads to.
	ShippedEnding []lab.StepWords
	ShippedWhole  string
	ShippedEnd    Ending
	// Guard is the ablation without which the shipped code would do the same.
	Guard Case
	// Site is the call that the guard is in. It is empty if the story has none.
	Site lab.Site
}

// Differs tells that the two got different answers, or that the shipped code refused.
func (c Comparison) Differs() bool { return c.last().Differs }

// Stuck tells that the shipped code cannot follow the schedule.
func (c Comparison) Stuck() bool { return c.last().Stuck }

func (c Comparison) last() ComparisonRow {
	if len(c.Rows) == 0 {
		return ComparisonRow{}
	}
	return c.Rows[len(c.Rows)-1]
}

// Refuses tells that the textbook version breaks the law that it is to show, and that the
// shipped code could follow and breaks none. Only then the guard has refused something.
func (c Comparison) Refuses() bool {
	law := c.Textbook.Law()
	return !c.Stuck() && slices.ContainsFunc(c.TextbookEnd.Broken(), func(l lab.LawState) bool { return law == "" || l.Law == law }) &&
		len(c.ShippedEnd.Broken()) == 0
}

// An Ending is what a schedule leads to.
type Ending struct {
	Laws []lab.LawState
	// AtRest tells that nobody can go on, so that every law is judged.
	AtRest bool
}

// Broken are the laws that are broken.
func (e Ending) Broken() []lab.LawState { return e.in(lab.LawBroken) }

// Open are the laws that are not judged yet.
func (e Ending) Open() []lab.LawState { return e.in(lab.LawOpen) }

func (e Ending) in(state string) (list []lab.LawState) {
	for _, l := range e.Laws {
		if l.State == state {
			list = append(list, l)
		}
	}
	return list
}

func endingOf(m lab.Moment) Ending { return Ending{m.Laws, m.AtRest} }

// A ComparisonRow is one step of the textbook version.
type ComparisonRow struct {
	Textbook lab.StepWords
	// Shipped are the steps of the shipped code.
	Shipped []lab.StepWords
	// Differs tells that the two got different answers, or that the shipped code refuses to
	// go on. Stuck tells that the shipped code cannot follow, so that nothing can be said
	// about what would come next.
	Differs, Stuck bool
	// Why says why there is no step of the shipped code, or why it cannot follow. It is empty
	// if there is nothing to say.
	Why string
}

// ErrNoStory is the error of a scenario that is not compared with another.
var ErrNoStory = errors.New("there is no story about this scenario")

// Compare tells the story of a schedule on both versions. An empty schedule stands for the
// shortest one known. If the schedule cannot be taken, the error is a *lab.StuckError.
func Compare(name string, schedule lab.Schedule) (Comparison, error) {
	s, err := storyOf(name)
	if err != nil {
		return Comparison{}, err
	}
	shipped, err := Find(s.shipped)
	if err != nil {
		return Comparison{}, err
	}
	return tell(s, shipped, schedule)
}

// tell tells a story on a scenario of the shipped code, or of one without a guard.
func tell(s story, shipped Case, schedule lab.Schedule) (Comparison, error) {
	textbook, err := Find(s.about)
	if err != nil {
		return Comparison{}, err
	}
	guard, err := Find(s.guard)
	if err != nil {
		return Comparison{}, err
	}
	if len(schedule) == 0 {
		known, err := Known()
		if err != nil {
			return Comparison{}, err
		}
		record, _ := About(known, s.about)
		if schedule, err = textbook.Parse(record.Schedule); err != nil {
			return Comparison{}, fmt.Errorf("what is known of %s: %v", s.about, err)
		}
	}
	t := telling{story: s, Comparison: Comparison{Textbook: textbook, Shipped: shipped, Guard: guard}}
	err = t.tell(schedule)
	return t.Comparison, err
}
