package page

import (
	"net/http"
	"strings"

	"microblogging/lab"
	"microblogging/lab/prove"
	"microblogging/templates"
)

// compare tells the story of an anomaly on the textbook version and on ours.
func (l *Lab) compare(w http.ResponseWriter, r *http.Request, page templates.Page) error {
	c, err := l.find(r.PathValue("name"))
	if err != nil {
		return err
	}
	if c.Part != prove.Textbook {
		return &templates.Refusal{Problem: templates.Problem{
			Status: http.StatusNotFound, Title: "There is no such comparison",
			Detail: "The four anomalies of the textbook version are compared with ours, and nothing else.",
			Links:  []templates.Link{{Label: "Step through " + c.Name, URL: templates.LabPath(c.Name)}, labLink()},
		}}
	}
	page.Path = templates.LabComparePath(c.Name)
	return l.sendReplay(w, r, page.Origin+page.Path, func() (answer, error) {
		told, err := prove.Compare(c.Name)
		if err != nil {
			return answer{}, err
		}
		return l.rendered(comparePage(page, newCompareView(told, l.anomalies())))
	})
}

// anomalies are the names of those that can be compared.
func (l *Lab) anomalies() (names []string) {
	for _, c := range l.cases() {
		if c.Part == prove.Textbook {
			names = append(names, c.Name)
		}
	}
	return names
}

// A compareView is what the page of a comparison shows.
type compareView struct {
	prove.Comparison
	// Guard explains what refuses. Source is the line that does, and Code is the guard's own
	// function. Code has no lines if it is the same function.
	Guard        guard
	Source, Code sourceView
	// Names are all anomalies.
	Names []string
}

func newCompareView(c prove.Comparison, names []string) compareView {
	v := compareView{Comparison: c, Names: names, Source: newSourceView([]lab.Site{c.Site})}
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

// differ tells whether the two get different answers in the story. If not, they differ in
// what is left for others.
func (v compareView) differ() bool { return v.Rows[len(v.Rows)-1].Differs }

// textbookURL and shippedURL are the whole stories, to step through.
func (v compareView) textbookURL() string {
	return templates.LabPath(v.Textbook.Name) + "?s=" + v.TextbookWhole
}

func (v compareView) shippedURL() string {
	return templates.LabPath(v.Shipped.Name) + "?s=" + v.ShippedWhole
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

// steps are steps in words, with what is to be said about them.
func (v compareView) steps(words ...lab.StepWords) (list []compareStep) {
	for _, w := range words {
		list = append(list, compareStep{w, v.reason().says(w)})
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

// told are facts in words, without "told: ".
func told(words []string) string {
	var list []string
	for _, word := range words {
		list = append(list, strings.TrimPrefix(word, "told: "))
	}
	return strings.Join(list, "; ")
}
