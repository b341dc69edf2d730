package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"microblogging/lab"
	"microblogging/lab/toy"
	"microblogging/templates"
)

// buildPath is where the condition of a write is chosen. ?l=3&c=any says what the model checker has found about level 3 with
// the condition any.
const buildPath = templates.LabIndexPath + "/build"

// buildAddress is the address of a level, with a condition unless that is empty.
func buildAddress(number int, clause string, large bool) string {
	address := buildPath + "?l=" + strconv.Itoa(number)
	if clause != "" {
		address += "&c=" + clause
	}
	return forProjector(address, large)
}

// A buildView is a level of which the condition is chosen.
type buildView struct {
	toy.Level
	Number int
	// Titles are those of all levels.
	Titles []string
	// Chosen is the clause that was checked, and Verdict what was found. Chosen has no name if none was.
	Chosen  toy.Clause
	Verdict toy.Verdict
	Large   bool
}

// build shows a level, and the verdict on the condition that was chosen.
func (l *Lab) build(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
	v, err := newBuildView(r.URL.RawQuery)
	if err != nil {
		return templates.Response{}, err
	}
	page.Path = buildAddress(v.Number, v.Chosen.Name, v.Large)
	return l.replayed(w, r, func() (templ.Component, error) {
		if v.Chosen.Name != "" {
			v.Verdict = l.verdict(v)
		}
		return buildPage(page, v), nil
	})
}

// newBuildView reads the query.
func newBuildView(raw string) (v buildView, err error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return v, refuseBuild(unreadable(err), 1)
	}
	levels := toy.Levels()
	for _, level := range levels {
		v.Titles = append(v.Titles, level.Title)
	}
	v.Number, v.Large = 1, query.Get("large") == "1"
	if text := query.Get("l"); text != "" {
		v.Number, err = strconv.Atoi(text)
	}
	if err != nil || v.Number < 1 || v.Number > len(levels) {
		return v, refuseBuild("“l” is the number of a level, from 1 to "+strconv.Itoa(len(levels))+".", 1)
	}
	v.Level = levels[v.Number-1]
	name := query.Get("c")
	if name == "" {
		return v, nil
	}
	chosen, found := v.Clause(name)
	switch {
	case !found:
		return v, refuseBuild("“c” is none of the conditions of this level.", v.Number)
	case chosen.Not != "":
		return v, refuseBuild("“"+chosen.Label+"” cannot be the condition. "+chosen.Not, v.Number)
	}
	v.Chosen = chosen
	return v, nil
}

func refuseBuild(detail string, number int) error {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusBadRequest, Title: "That cannot be checked", Detail: detail,
		Links: []templates.Link{{Label: "The conditions of level " + strconv.Itoa(number), URL: buildAddress(number, "", false)}, labLink()},
	}}
}

// verdict is what the model checker has found. It is searched once.
func (l *Lab) verdict(v buildView) toy.Verdict {
	key := buildAddress(v.Number, v.Chosen.Name, false)
	if known, ok := l.verdicts.Load(key); ok {
		return known.(toy.Verdict)
	}
	verdict := v.Check(v.Chosen.Name)
	l.verdicts.Store(key, verdict)
	return verdict
}

// name is that of the level in the course.
func (v buildView) name() string { return "build-" + strconv.Itoa(v.Number) }

// heading is the title of the level, with its number in the course.
func (v buildView) heading() string {
	l, number := levelOf(v.name())
	return l.numbered(number)
}

// mark says in two words what was found.
func (v buildView) mark() string {
	if v.Verdict.Violated == "" {
		return "✓ holds"
	}
	return "✗ " + lab.Count(len(v.Verdict.Run), "step")
}

// cause says which step did it, and before which it would have done no harm. That one need not be to blame.
func (v buildView) cause() string {
	did, because := strconv.Itoa(v.Verdict.Did), strconv.Itoa(v.Verdict.Because)
	switch {
	case v.Verdict.Refused && v.Verdict.Because == 0:
		return "Step " + did + " is refused, although no other actor has done anything."
	case v.Verdict.Refused:
		return "Step " + did + " is refused. Right before step " + because + " it would not have been."
	case v.Verdict.Because == 0:
		return "Step " + did + " did it."
	}
	return "Step " + did + " did it. Right before step " + because + " it would have done no harm."
}

// harmless says of the step before which the one that did it would have done no harm.
func (v buildView) harmless() string {
	if v.Verdict.Refused {
		return "not refused before this"
	}
	return "no harm before this"
}

// A buildLane is a column of the figure.
type buildLane struct {
	Name string
	// Hue is that of an actor. It is 0 for a row.
	Hue int
}

// lanes are the actors of the run, and the rows.
func (v buildView) lanes() (lanes []buildLane) {
	for i, actor := range v.Verdict.Actors {
		if slices.ContainsFunc(v.Verdict.Run, func(s toy.Step) bool { return s.Actor == actor }) {
			lanes = append(lanes, buildLane{actor, hue(i + 1)})
		}
	}
	for _, row := range v.Rows {
		lanes = append(lanes, buildLane{Name: row})
	}
	return lanes
}

// A buildLine is a line of the figure: an arrow from the actor to the row, in per cent of the width.
type buildLine struct {
	toy.Step
	Number, Hue int
	From, To    string
	// Class says what the line is: the step that did it, the one before which it would have done no harm, or the one that is refused. Tag says it
	// in words.
	Class, Tag string
	Bars       []buildBar
}

// A buildBar is a row that is there during a part of the line.
type buildBar struct{ X, From, To string }

func (v buildView) lines() (lines []buildLine) {
	lanes := v.lanes()
	x := func(i int) string {
		return strconv.FormatFloat((float64(i)+0.5)*100/float64(len(lanes)), 'f', 2, 64) + "%"
	}
	at := func(name string) int {
		return slices.IndexFunc(lanes, func(l buildLane) bool { return l.Name == name })
	}
	for i, step := range v.Verdict.Run {
		line := buildLine{Step: step, Number: i + 1, Hue: lanes[at(step.Actor)].Hue, From: x(at(step.Actor)), To: x(at(step.Row))}
		line.Class, line.Tag = v.kind(i + 1)
		for _, row := range v.Rows {
			switch before, after := slices.Contains(step.Before, row), slices.Contains(step.After, row); {
			case before && after:
				line.Bars = append(line.Bars, buildBar{x(at(row)), "0", "100%"})
			case before:
				line.Bars = append(line.Bars, buildBar{x(at(row)), "0", "50%"})
			case after:
				line.Bars = append(line.Bars, buildBar{x(at(row)), "50%", "100%"})
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// kind is what a step is, and the word for it.
func (v buildView) kind(step int) (class, tag string) {
	switch {
	case step == v.Verdict.Did && v.Verdict.Violated == "":
		return "stopped", "refused by your condition"
	case step == v.Verdict.Did:
		return "did", "did it"
	case step == v.Verdict.Because:
		return "why", v.harmless()
	}
	return "", ""
}

// radius is that of the dot at the row: a large one is written.
func (l buildLine) radius() string {
	if l.Writes {
		return "5"
	}
	return "2.5"
}

// required is the condition as a line of code.
func (v buildView) required() string {
	if v.Chosen.Code == "" {
		return "require …"
	}
	return "require " + v.Chosen.Code
}

// sentenceStart is a sentence as a part of another one.
func sentenceStart(text string) string { return strings.ToLower(text[:1]) + text[1:] }
