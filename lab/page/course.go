package page

import (
	"slices"
	"strconv"
	"sync"

	"microblogging/lab/toy"
	"microblogging/templates"
)

// A level is one task of the course. Of most, the task is to break an invariant in a scenario. Its invariant, its shortest
// run and the faults that it allows are not here: they are those of the scenario, or were found by the model checker. Of a
// level of package toy the task is to choose the condition of a write.
type level struct {
	// Name is the scenario's, or build-1 and so on.
	Name string
	// Build is the number of the level of package toy. It is 0 if the level is about a scenario: a level of package toy has
	// nothing else here but Name, Title and Idea.
	Build int
	// Rule says in one sentence what must hold, and Missing is the part of it that the scenario goes without.
	Rule, Missing string
	// Title is a few words, and Goal one sentence. Idea is what to remember, and no other level's.
	Title, Goal, Idea string
	// Scene says which actors there are and what they are about to do, for a reader who sees the
	// lab for the first time.
	Scene string
	// Fence reports whether the scene needs the figure of the fence.
	Fence bool
	// Nudge is a first thought for a reader who is stuck.
	Nudge string
	// Safeguard is the ablation of the safeguard that prevents this in the production code. It is empty
	// for a level that is itself an ablation.
	Safeguard string
	// Teaches is said when the level is won.
	Teaches   string
	Precedent precedent
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
	Title  string
	Levels []level
}

// course has the levels in the order in which they build on each other.
func course() []chapter {
	return []chapter{
		{"You break a textbook", named("A1", "build-1", "link-version", "twice", "A4")},
		{"Two writes, no transaction", named("A3", "lost-message", "index-first", "poison-row")},
		{"Names, locks and late requests", named("A2", "build-2", "late-copy")},
		{"The fence", named("build-3", "own-gate", "build-4", "shut-gate", "build-5", "fresh-read", "pivot", "reply-gate", "again")},
	}
}

// named are the levels of these names.
func named(names ...string) []level {
	texts := slices.Concat(textbookLevels(), productionLevels(), buildLevels(), []level{lastLevel()})
	list := make([]level, len(names))
	for i, name := range names {
		list[i] = texts[slices.IndexFunc(texts, func(l level) bool { return l.Name == name })]
	}
	return list
}

// buildLevels are those of package toy.
func buildLevels() (list []level) {
	for i, l := range toy.Levels() {
		number := strconv.Itoa(i + 1)
		list = append(list, level{Name: "build-" + number, Build: i + 1, Title: "Build " + number + ": " + l.Title, Idea: l.Idea})
	}
	return list
}

// levels are those of the course, one after the other. No caller changes them.
var levels = sync.OnceValue(func() (list []level) {
	for _, c := range course() {
		list = append(list, c.Levels...)
	}
	return list
})

// levelOf is the level of a name, and its number, which counts from 1. The number is 0 if there is none.
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

// begin is where the level begins, for a projector if it is large.
func (l level) begin(large bool) string {
	if l.Build > 0 {
		return buildAddress(l.Build, "", large)
	}
	return forProjector(templates.LabPath(l.Name), large)
}

// after is the level after the one of this name. It has no name if there is none.
func after(name string) level {
	_, number := levelOf(name)
	if list := levels(); number > 0 && number < len(list) {
		return list[number]
	}
	return level{}
}
