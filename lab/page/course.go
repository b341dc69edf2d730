package page

import (
	"slices"
	"strconv"
	"sync"

	"microblogging/lab/modelcheck"
)

// A level is one task of the course: break an invariant in this scenario. Its invariant, its shortest run
// and the faults that it allows are not here: they are those of the scenario, or were found
// by the model checker.
type level struct {
	// Name is the scenario's.
	Name string
	// Title is a few words, and Goal one sentence. New is the one concept that the level adds.
	Title, Goal, New string
	// Scene says which actors there are and what they are about to do, for a reader who sees the
	// lab for the first time.
	Scene string
	// Nudge is a first thought for a reader who is stuck.
	Nudge string
	// Safeguard is the ablation of the safeguard that prevents this in the production code. It is empty
	// for a level that is itself an ablation.
	Safeguard string
	// Teaches is said when the level is won. Orders are what each side of the production code does, one after the other.
	Teaches   string
	Orders    []order
	Precedent precedent
}

// An order is the steps of one side.
type order struct {
	Of    string
	Steps []string
}

// A precedent is a public incident or a pattern that is like what a level shows.
type precedent struct {
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
			Title:  "Lost, late and twice",
			Lead:   "What a queue and a network do to a program, in small protocols with a fault of your choice.",
			Levels: messageLevels(),
		},
		{
			Title:  "One row and its version",
			Lead:   "From here on a level is the production code without one of its safeguards: show that it is needed.",
			Levels: rowLevels(),
		},
		{
			Title:  "The fence",
			Lead:   "How the store itself refuses writes that come too late. In each level one part of that is missing.",
			Levels: fenceLevels(),
		},
		{
			Title:  "Lists, pages and accounts",
			Lead:   "The same thoughts where rows lie in several partitions, and no transaction spans them.",
			Levels: listLevels(),
		},
		{
			Title:  "The production code",
			Lead:   "All safeguards are on. Try what you have learned.",
			Levels: []level{lastLevel()},
		},
	}
}

// levels are those of the course, one after the other, as far as their scenarios are there: a reader may have deleted the
// file of one.
func (l *Lab) levels() []level {
	return slices.DeleteFunc(slices.Clone(levels()), func(of level) bool {
		return !slices.ContainsFunc(l.cases(), func(c modelcheck.Case) bool { return c.Name == of.Name })
	})
}

// levels are those of the course, one after the other. No caller changes them.
var levels = sync.OnceValue(func() (list []level) {
	for _, c := range course() {
		list = append(list, c.Levels...)
	}
	return list
})

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

// lastLevel is about the production code, with all its safeguards.
func lastLevel() level {
	return level{
		Name: "again", New: "nothing is missing", Title: "Break the production code",
		Goal: "Break any invariant of the production code.",
		Scene: "As in “The worker that slept”: two workers handle one deletion, one of them late, and Ann tries once to take the name. " +
			"All safeguards are there. Here you may interrupt an actor four times: another one goes first while it can go on.",
		Nudge:   "Try what has worked before, to the end, and see which safeguard refuses it.",
		Teaches: "If you see this, you have found what the model checker has not. Please send us the address of this page.",
		Precedent: precedent{"The model checker enters every state that these actors can reach, once. That is called model checking of the code itself. CMC, an early tool for that, found 34 errors in three programs for one network protocol, and one in the protocol.",
			source{"CMC: A pragmatic approach to model checking real code, OSDI 2002", "https://www.microsoft.com/en-us/research/publication/cmc-a-pragmatic-approach-to-model-checking-real-code/"}},
	}
}
