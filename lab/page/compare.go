package page

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"microblogging/lab"
	"microblogging/lab/prove"
	"microblogging/templates"
)

// compare tells the story of a run on two versions of the code.
func (l *Lab) compare(w http.ResponseWriter, r *http.Request, page templates.Page) error {
	c, err := l.find(r.PathValue("name"))
	if err != nil {
		return err
	}
	if c.Part == prove.Real {
		return noComparison(c)
	}
	query, err := queryOf(r, &c.Scenario)
	if err != nil {
		return err
	}
	schedule, err := parseSchedule(&c.Scenario, query.Get("s"))
	if err != nil {
		return err
	}
	address := comparePath(c, schedule)
	if r.URL.Query().Get("s") != c.Format(schedule) {
		return redirect(w, r, address)
	}
	page.Path = address
	return l.sendReplay(w, r, page.Origin+page.Path, func() (answer, error) {
		told, err := prove.Compare(c.Name, schedule)
		switch {
		case errors.Is(err, prove.ErrNoStory):
			return answer{}, noComparison(c)
		case err != nil:
			return answer{}, refuseChoice(&c.Scenario, "That run is not possible", err)
		}
		v := newCompareView(told, l.compared())
		v.Own = len(schedule) > 0
		return l.rendered(comparePage(page, v))
	})
}

// noComparison is the error of a scenario that is compared with no other.
func noComparison(c prove.Case) error {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusNotFound, Title: "There is no such comparison",
		Detail: "The textbook version is compared with ours, and ours without a guard with ours. This is ours.",
		Links:  []templates.Link{{Label: "Step through " + c.Name, URL: templates.LabPath(c.Name)}, labLink()},
	}}
}

// comparePath is the address of a comparison. Without a schedule it is about the shortest
// one known.
func comparePath(c prove.Case, schedule lab.Schedule) string {
	if len(schedule) == 0 {
		return templates.LabComparePath(c.Name)
	}
	return templates.LabComparePath(c.Name) + "?s=" + c.Format(schedule)
}

// compared are the names of the textbook's scenarios, which can be compared.
func (l *Lab) compared() (names []string) {
	for _, c := range l.cases() {
		if c.Part == prove.Textbook || c.Part == prove.Mishap {
			names = append(names, c.Name)
		}
	}
	return names
}

// A compareView is what the page of a comparison shows.
type compareView struct {
	prove.Comparison
	// Own tells that the reader has chosen the schedule.
	Own bool
	// Guard explains what refuses. Source is the line that does, which is empty if the story
	// does not come to it. Code is the guard's own function. It has no lines if it is the
	// same function.
	Guard        guard
	Source, Code sourceView
	// Names are all scenarios of the textbook.
	Names []string
}

func newCompareView(c prove.Comparison, names []string) compareView {
	v := compareView{Comparison: c, Names: names}
	if c.Site.File != "" {
		v.Source = newSourceView([]lab.Site{c.Site})
	}
	var ok bool
	if v.Guard, ok = guardOf(c.Guard.Name); !ok {
		v.Guard = guard{Label: c.Guard.Name, Why: sentence(c.Guard.Guard)}
	}
	if first, last := v.Guard.lines(); first > 0 && (v.Guard.File != c.Site.File || c.Site.Line < first || c.Site.Line > last) {
		v.Code = newSourceView([]lab.Site{{File: v.Guard.File, Line: first}})
		for i := range v.Code.Lines {
			v.Code.Lines[i].Marked = false
		}
	}
	return v
}

// left is what the first of the two versions is called, in the middle of a sentence.
func (v compareView) left() string {
	if v.Textbook.Part == prove.Ablated {
		return "ours without the guard"
	}
	return "the textbook"
}

// title says what is compared.
func (v compareView) title() string { return v.Textbook.Name + ": " + v.left() + " and ours" }

// lead says whose run it is.
func (v compareView) lead() string {
	if v.Own {
		return sentence(v.Textbook.About) + " Your run on both, up to where they differ."
	}
	return sentence(v.Textbook.About) + " A shortest run that breaks the law, on both, up to where they differ."
}

// textbookURL and shippedURL are the whole stories, to step through.
func (v compareView) textbookURL() string {
	return templates.LabPath(v.Textbook.Name) + "?s=" + v.TextbookWhole
}

func (v compareView) shippedURL() string {
	if v.ShippedWhole == "" {
		return templates.LabPath(v.Shipped.Name)
	}
	return templates.LabPath(v.Shipped.Name) + "?s=" + v.ShippedWhole
}

// A compareVerdict says what a run has led one version to.
type compareVerdict struct {
	// Class is "bad", "good" or "open", as the style sheet has them.
	Class, Sign, Headline string
	Reasons               []string
}

// textbookVerdict is the one of the first version.
func (v compareView) textbookVerdict() compareVerdict {
	return newCompareVerdict(upperFirst(v.left()), v.TextbookEnd, "")
}

// shippedVerdict is the one of ours.
func (v compareView) shippedVerdict() compareVerdict {
	var why string
	if v.Stuck() {
		why = v.Rows[len(v.Rows)-1].Why
	}
	return newCompareVerdict("Ours", v.ShippedEnd, why)
}

// newCompareVerdict makes the verdict of an ending. stuck says why the version could not
// follow, and is empty if it could.
func newCompareVerdict(who string, end prove.Ending, stuck string) compareVerdict {
	broken, open := end.Broken(), end.Open()
	switch {
	case len(broken) > 0:
		v := compareVerdict{"bad", "✗", who + " breaks", nil}
		for _, law := range broken {
			v.Reasons = append(v.Reasons, sentence(law.Reason))
		}
		return v
	case stuck != "":
		return compareVerdict{"open", "○", who + " cannot follow this run", []string{stuck, "No law is broken up to there."}}
	case len(open) > 0:
		return compareVerdict{"open", "○", who + " has broken nothing so far", []string{openWords(open)}}
	default:
		return compareVerdict{"good", "✓", who + " holds", []string{"All is at rest, and no law is broken."}}
	}
}

// openWords says which laws are open, and why.
func openWords(open []lab.LawState) string {
	var names []string
	for _, law := range open {
		names = append(names, law.Law)
	}
	words := "The law " + names[0] + " is open"
	if len(names) > 1 {
		words = "The laws " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " are open"
	}
	return words + ": " + open[0].Reason + "."
}

// rowsInSight is how many of the last rows are never folded, and rowsToFold how many there
// are at least in a fold.
const (
	rowsInSight = 3
	rowsToFold  = 4
)

// folded are the first rows in which the same code does the same. There are none if they
// are few, or if the two versions are not the same code.
func (v compareView) folded() []prove.ComparisonRow {
	n := len(v.Rows) - rowsInSight
	if v.Textbook.Part != prove.Ablated || n < rowsToFold {
		return nil
	}
	return v.Rows[:n]
}

// A comparePart are steps of ours that follow each other. Folded ones are only on the way.
type comparePart struct {
	Folded bool
	Steps  []compareStep
}

// A compareStep is a step in words. Says is not empty if the answer hangs on the step.
type compareStep struct {
	lab.StepWords
	Says string
}

// told is what was told, in a line.
func (s compareStep) told() string { return strings.Join(s.Told, "; ") }

// steps are steps of ours in words, with what is to be said about them.
func (v compareView) steps(words ...lab.StepWords) (list []compareStep) {
	for _, w := range words {
		list = append(list, compareStep{w, v.reason().says(w)})
	}
	return list
}

// plain are steps in words, with nothing to be said about them.
func plain(words ...lab.StepWords) (list []compareStep) {
	for _, w := range words {
		list = append(list, compareStep{StepWords: w})
	}
	return list
}

// parts folds what is only on the way: neither the last step of the row, nor one that the
// answer hangs on. Where the two differ, nothing is folded.
func (v compareView) parts(row prove.ComparisonRow) (list []comparePart) {
	steps := v.steps(row.Shipped...)
	for i, step := range steps {
		folded := !row.Differs && len(steps) > 2 && i < len(steps)-1 && step.Says == ""
		if len(list) == 0 || list[len(list)-1].Folded != folded {
			list = append(list, comparePart{Folded: folded})
		}
		list[len(list)-1].Steps = append(list[len(list)-1].Steps, step)
	}
	return list
}

// words are the names of the glossary that the story needs.
func (v compareView) words() []string {
	if words := v.reason().Words; words != nil {
		return words
	}
	l, _ := levelOf(v.Textbook.Name)
	return slices.Clone(l.Words)
}
