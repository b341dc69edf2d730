package page

import (
	"net/http"
	"slices"
	"strconv"

	"microblogging/lab/prove"
	"microblogging/templates"
)

// An indexView is the first page of the lab.
type indexView struct {
	Incidents []incident
	Chapters  []chapterView
	// More are the guards that have no level.
	More []scenarioLink
	// Others are the scenarios of the shipped code that are no level.
	Others []scenarioLink
}

type chapterView struct {
	Title, Lead string
	Levels      []levelLink
}

// start is the number of the first level.
func (c chapterView) start() int { return c.Levels[0].Number }

// A levelLink leads to a level.
type levelLink struct {
	level
	Number int
	// Mishaps says how many are allowed.
	Mishaps string
}

// A scenarioLink leads to a scenario that is no level.
type scenarioLink struct{ Name, About string }

// first is the level to begin with.
func (v indexView) first() levelLink { return v.Chapters[0].Levels[0] }

// index shows why the lab is there, and its levels.
func (l *Lab) index(w http.ResponseWriter, r *http.Request, page templates.Page) error {
	a, err := l.rendered(indexPage(page, l.newIndexView()))
	if err != nil {
		return err
	}
	return a.send(w, r)
}

func (l *Lab) newIndexView() indexView {
	v := indexView{Incidents: incidents()}
	number := 0
	for _, c := range course() {
		chapter := chapterView{Title: c.Title, Lead: c.Lead}
		for _, level := range c.Levels {
			number++
			at := slices.IndexFunc(l.cases(), func(c prove.Case) bool { return c.Name == level.Name })
			if at < 0 {
				continue
			}
			chapter.Levels = append(chapter.Levels, levelLink{
				level: level, Number: number, Mishaps: mishaps(l.cases()[at].Faults),
			})
		}
		if len(chapter.Levels) > 0 {
			v.Chapters = append(v.Chapters, chapter)
		}
	}
	for _, c := range l.cases() {
		if _, number := levelOf(c.Name); number > 0 {
			continue
		}
		switch c.Part {
		case prove.Ablated:
			v.More = append(v.More, scenarioLink{c.Name, c.Guard})
		case prove.Real:
			v.Others = append(v.Others, scenarioLink{c.Name, c.About})
		}
	}
	return v
}

// mishaps says how many mishaps a scenario allows.
func mishaps(n int) string {
	switch n {
	case 0:
		return "no mishaps"
	case 1:
		return "1 mishap"
	}
	return strconv.Itoa(n) + " mishaps"
}
