package page

import (
	"slices"
	"strings"

	"microblogging/lab"
)

// The parts of a scenario's page. A link ends in the id of its part, so that on a
// phone, which shows one part at a time, the next page shows the same part.
const (
	partActors = "#actors"
	partRun    = "#run"
	partTables = "#tables"
	partLaws   = "#laws"
)

// links makes the addresses of a scenario's other states.
type links struct{ request }

// start is the state before the first step, with no schedule.
func (l links) start() string { return l.to(nil, 0) + partActors }

// choose goes on from the state that is shown. What came after it in the schedule is
// left.
func (l links) choose(c lab.Choice) string {
	return l.choosing(c).address() + partActors
}

// full tells whether a schedule of so many choices is as long as one may be.
func (l links) full() bool { return l.at == maxChoices }

// undo takes back the step that led to the state that is shown.
func (l links) undo() string {
	before := max(l.at-1, 0)
	return l.to(l.schedule[:before], before) + partActors
}

// state is the state after n steps of the schedule, which stays.
func (l links) state(n int, part string) string { return l.to(l.schedule, n) + part }

// carryOn is the state that is shown, with what fresh workers leave.
func (l links) carryOn() string {
	q := l.request
	q.rest = true
	return q.address() + partActors
}

func (l links) to(schedule lab.Schedule, at int) string {
	q := request{Case: l.Case, schedule: schedule, at: at}
	q.show = l.show && slices.Equal(schedule, l.schedule)
	return q.address()
}

// sentence is a text as a sentence. A name of an actor stays as it is at its beginning.
func (l links) sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if slices.ContainsFunc(l.Actors, func(a lab.Actor) bool { return a.Name == first }) {
		return text + "."
	}
	return sentence(text)
}
