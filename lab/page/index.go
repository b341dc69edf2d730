package page

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/templates"
)

// An indexView is the first page of the lab.
type indexView struct {
	Chapters []chapterView
	// More are the safeguards that have no level.
	More []scenarioLink
	// Own are a reader's own protocols.
	Own []scenarioLink
	// Others are the scenarios of the production code that are no level.
	Others []scenarioLink
	// Stale reports whether the code has changed since it was searched.
	Stale bool
}

type chapterView struct {
	Title, Lead string
	Levels      []levelLink
}

// A levelLink leads to a level.
type levelLink struct {
	level
	Number int
	// Shortest is the number of steps of the shortest solution, 0 if there is none.
	Shortest int
	// Facts says what is allowed and what is known of the level.
	Facts string
	// Prevented is the outcome without the safeguard that prevents what the level shows. It is empty if the level is of
	// the production code.
	Prevented string
}

// A scenarioLink leads to a scenario that is no level.
type scenarioLink struct{ Name, About, Facts string }

// first is the level to begin with.
func (v indexView) first() levelLink { return v.Chapters[0].Levels[0] }

// index shows why the lab is there, and its levels.
func (l *Lab) index(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
	page.Path = templates.LabIndexPath
	l.own.begin(l.cases())
	v := l.newIndexView()
	return l.replayed(w, r, func() (templ.Component, error) { return indexPage(page, v), nil })
}

func (l *Lab) newIndexView() indexView {
	v := indexView{Stale: l.stale()}
	cases := map[string]modelcheck.Case{}
	for _, c := range l.cases() {
		cases[c.Name] = c
		_, number := levelOf(c.Name)
		switch {
		case number > 0:
		case c.Part == modelcheck.Own:
			v.Own = append(v.Own, scenarioLink{c.Name, c.Says(), l.foundInOwn(c)})
		case c.Part == modelcheck.Ablated:
			v.More = append(v.More, scenarioLink{c.Name, c.Safeguard.Why, factsOf(c, l.recordOf(c.Name))})
		case c.Part == modelcheck.Real:
			v.Others = append(v.Others, scenarioLink{c.Name, c.About, factsOf(c, l.recordOf(c.Name))})
		}
	}
	number := 0
	for _, c := range course() {
		chapter := chapterView{Title: c.Title, Lead: c.Lead}
		for _, level := range c.Levels {
			number++
			if cases[level.Name].Invariants == nil {
				continue // a reader has deleted its file
			}
			record := l.recordOf(level.Name)
			chapter.Levels = append(chapter.Levels, levelLink{level, number, record.Shortest, factsOf(cases[level.Name], record), l.prevented(level.Name)})
		}
		v.Chapters = append(v.Chapters, chapter)
	}
	return v
}

// factsOf says in a few words what a scenario allows and what the model checker has found.
func factsOf(c modelcheck.Case, record modelcheck.Record) string {
	var facts []string
	switch {
	case record.Shortest > 0:
		facts = append(facts, "breaks “"+titleOfInvariant(c, record.Invariant)+"”, shortest "+lab.Count(record.Shortest, "step"))
	case record.States > 0:
		facts = append(facts, claimOf(record))
	}
	if c.Faults > 0 {
		facts = append(facts, lab.Count(c.Faults, "fault")+" allowed")
	}
	return strings.Join(facts, ", ")
}

// foundIn says in a few words what the model checker has found in a scenario of a reader's own.
func foundIn(c modelcheck.Case, record modelcheck.Record) string {
	switch {
	case record.Failure != "":
		return "its code fails: " + record.Failure
	case record.Shortest > 0:
		return "breaks in " + lab.Count(record.Shortest, "step")
	case record.States > 0:
		return cmp.Or(c.Warning(), "holds in "+lab.Count(record.States, "state"))
	}
	return "has too many states for a quick search"
}

// titleOfInvariant is the name of an invariant in words.
func titleOfInvariant(c modelcheck.Case, name string) string {
	for _, invariant := range c.Invariants.List() {
		if invariant.Name == name {
			return invariant.Title
		}
	}
	return name
}
