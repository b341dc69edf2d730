package page

import "strconv"

// A level is one task of the course: break a law in this scenario. Its par, its law and
// the faults that it allows are not here: they are those of the scenario, or were found
// by the explorer.
type level struct {
	// Name is the scenario's.
	Name string
	// Title is a few words, and Goal one sentence.
	Title, Goal string
	// Scene says who is there and what they are about to do, for somebody who sees the
	// lab for the first time.
	Scene string
	// Nudge is a first thought for somebody who is stuck.
	Nudge string
	// Guard is the ablation of the guard by which ours refuses this. A level about a guard is
	// its own.
	Guard string
	// Teaches is said when the level is won.
	Teaches string
	Cousin  cousin
}

// A cousin is a public incident or a pattern that is like what a level shows.
type cousin struct {
	Text string
	source
}

// A source is a page on which something can be read.
type source struct{ Title, URL string }

// A chapter is a part of the course.
type chapter struct {
	Title string
	// Lead says what the levels have in common.
	Lead   string
	Levels []level
}

// course has the levels in the order in which they build on each other.
func course() []chapter {
	return []chapter{
		{
			Title: "The textbook",
			Lead: "A worker deletes a channel in five obvious steps, in a hundred lines of Go. " +
				"It is wrong in four ways. Find them.",
			Levels: anomalies(),
		},
		{
			Title: "One guard less",
			Lead: "From here on, what you step through is the code that ships. In each level one of its guards is taken out. " +
				"Show that it was needed.",
			Levels: guardLevels(),
		},
		{
			Title: "Faults of your choice",
			Lead: "The textbook again. In these levels the order of calls alone does no harm. The right fault at the right call does: " +
				"which one, and when, is for you to choose.",
			Levels: mishapLevels(),
		},
		{
			Title:  "The code that ships",
			Lead:   "Nothing is taken out. Try what you have learned.",
			Levels: []level{lastLevel()},
		},
	}
}

// levels are those of the course, one after the other.
func levels() (list []level) {
	for _, c := range course() {
		list = append(list, c.Levels...)
	}
	return list
}

// levelOf is the level of a scenario, and its number, which counts from 1. The number is 0
// if the scenario is no level.
func levelOf(name string) (level, int) {
	for i, l := range levels() {
		if l.Name == name {
			return l, i + 1
		}
	}
	return level{}, 0
}

// numbered is the title with the number.
func (l level) numbered(number int) string {
	return "Level " + strconv.Itoa(number) + ": " + l.Title
}

// levelAfter is the level that follows the one of that number, if there is one.
func levelAfter(number int) (level, bool) {
	list := levels()
	if number < 1 || number >= len(list) {
		return level{}, false
	}
	return list[number], true
}
