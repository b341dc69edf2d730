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
	Title  string
	Levels []levelLink
}

// A levelLink leads to a level.
type levelLink struct {
	level
	Number int
	// Kind says whose code it is about.
	Kind kind
	// Shortest is the number of steps of the shortest solution, 0 if there is none.
	Shortest int
	// Prevented is the outcome without the safeguard that prevents what the level shows. It is empty if the level is of
	// the production code, or of package toy.
	Prevented string
}

// A kind of level is about the textbook version, about a protocol that the reader completes, or about the production code.
type kind string

const (
	kindTextbook   kind = "textbook"
	kindBuild      kind = "you build"
	kindProduction kind = "production"
)

// kindOf is the kind of a level. The part is that of its scenario.
func kindOf(l level, part modelcheck.Part) kind {
	switch {
	case l.Build > 0:
		return kindBuild
	case part == modelcheck.Textbook || part == modelcheck.TextbookFault:
		return kindTextbook
	}
	return kindProduction
}

// A scenarioLink leads to a scenario that is no level.
type scenarioLink struct{ Name, About, Facts string }

// levels are all of the course.
func (v indexView) levels() (list []levelLink) {
	for _, c := range v.Chapters {
		list = append(list, c.Levels...)
	}
	return list
}

// index shows why the lab is there, and its levels.
func (l *Lab) index(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
	page.Path = templates.LabIndexPath
	l.own.begin(l.cases())
	v := l.newIndexView()
	return l.replayed(w, r, func() (templ.Component, error) { return indexPage(page, v), nil })
}

func (l *Lab) newIndexView() indexView {
	v := indexView{Stale: l.stale()}
	parts := map[string]modelcheck.Part{}
	for _, c := range l.cases() {
		parts[c.Name] = c.Part
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
	for _, c := range course() {
		chapter := chapterView{Title: c.Title}
		for _, level := range c.Levels {
			_, number := levelOf(level.Name)
			chapter.Levels = append(chapter.Levels, levelLink{level, number, kindOf(level, parts[level.Name]), l.recordOf(level.Name).Shortest, l.prevented(level.Name)})
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
	case record.Invariant != "" && record.Shortest == 0:
		return "breaks at the start"
	case record.Invariant != "":
		return "breaks in " + lab.Count(record.Shortest, "step")
	case record.States > 0:
		return cmp.Or(c.Warning(), "holds in "+lab.Count(record.States, "state"))
	}
	return "no violation in the " + ownTime.String() + " of a quick search, which took too long to end"
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
