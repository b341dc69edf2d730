package page

import (
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"microblogging/lab"
	"microblogging/lab/prove"
	"microblogging/templates"
)

// compare shows a run without a guard beside the same run with it.
func (l *Lab) compare(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Answer, error) {
	c, schedule, err := l.parseRun(r, r.PathValue("name"))
	if err != nil {
		return templates.Answer{}, err
	}
	if level, _ := levelOf(c.Name); c.Guard == nil && level.Guard != "" {
		return redirect(w, r, templates.LabComparePath(level.Guard))
	}
	if c.Guard == nil {
		return templates.Answer{}, &templates.Refusal{Problem: templates.Problem{
			Status: http.StatusNotFound, Title: "There is no such comparison", Detail: "Ours without a guard is compared with ours. This is ours.",
			Links: []templates.Link{{Label: "Step through " + c.Name, URL: templates.LabPath(c.Name)}, labLink()},
		}}
	}
	page.Path = comparePath(c, schedule)
	if r.URL.Query().Get("s") != c.Format(schedule) {
		return redirect(w, r, page.Path)
	}
	return l.replayed(w, r, func() (templ.Component, error) {
		v, err := l.newCompareView(c, schedule)
		if err != nil {
			return nil, err
		}
		return comparePage(page, v), nil
	})
}

// comparePath is the address of a comparison. Without a schedule it is about the shortest
// one known.
func comparePath(c prove.Case, schedule lab.Schedule) string {
	if len(schedule) == 0 {
		return templates.LabComparePath(c.Name)
	}
	return templates.LabComparePath(c.Name) + "?s=" + c.Format(schedule)
}

// A compareView is one run without a guard and with it, up to where they differ.
type compareView struct {
	// Without is what goes without the guard, and With is ours.
	Without, With compareSide
	// Own tells that the reader has chosen the run.
	Own bool
	// Alike are the steps that both take.
	Alike []lab.StepWords
	Code  sourceView
}

// A compareSide is one of the two runs.
type compareSide struct {
	prove.Case
	lab.Run
	// Then are the steps from where they differ to the end of the run.
	Then []lab.StepWords
}

// newCompareView takes a run without a guard, and with it as much of the run as can be taken. A
// run that has come to its end without the guard does so with it.
func (l *Lab) newCompareView(c prove.Case, schedule lab.Schedule) (compareView, error) {
	v := compareView{Own: len(schedule) > 0, Code: codeOf(*c.Guard)}
	ours, err := l.find(c.Guard.Of)
	if err != nil {
		return v, err
	}
	if !v.Own {
		schedule, _ = c.Parse(l.recordOf(c.Name).Schedule) // TestKnown reads all
	}
	without, err := c.Replay(schedule, false)
	if err != nil {
		return v, refuseChoice(&c.Scenario, "That run is not possible", err)
	}
	same, _ := ours.Parse(c.Format(schedule))                               // ours has all its actors
	with, _ := ours.Replay(same, without.AtRest || without.Breaches != nil) // it may end sooner
	n := 0
	for n < min(len(without.Steps), len(with.Steps)) && alike(without.Steps[n], with.Steps[n]) {
		n++
	}
	v.Alike = wordsOf(c, without.Steps[:n])
	v.Without, v.With = compareSide{c, without, wordsOf(c, without.Steps[n:])}, compareSide{ours, with, wordsOf(ours, with.Steps[n:])}
	return v, nil
}

// decisiveStep is the number of the first step that goes another way with the guard, or is not made
// there. It is 0 if the guard makes no difference.
func (l *Lab) decisiveStep(c prove.Case, schedule lab.Schedule) (int, error) {
	ours, err := l.find(c.Guard.Of)
	if err != nil {
		return 0, err
	}
	without, _ := c.Replay(schedule, false) // it was followed
	same, _ := ours.Parse(c.Format(schedule))
	with, _ := ours.Replay(same, false)
	for n, step := range without.Steps {
		if n >= len(with.Steps) || !alike(step, with.Steps[n]) {
			return n + 1, nil
		}
	}
	return 0, nil
}

func wordsOf(c prove.Case, steps []lab.Step) (words []lab.StepWords) {
	for _, step := range steps {
		words = append(words, c.Words(step))
	}
	return words
}

// url is the whole run.
func (s compareSide) url() string { return templates.LabPath(s.Name) + "?s=" + s.Format(s.Schedule()) }

// alike tells whether two steps ask the same and are answered alike.
func alike(a, b lab.Step) bool {
	failed := func(s lab.Step) bool { return s.Applied != nil && s.Applied.Err != nil }
	if a.Call == nil || b.Call == nil {
		return a.Call == b.Call
	}
	return a.Call.Method == b.Call.Method && a.Call.Target == b.Call.Target && failed(a) == failed(b) && slices.Equal(a.Told, b.Told)
}

// verdict says what a run leads to, and class is that of the style sheet.
func (s compareSide) verdict() (class, words string) {
	switch {
	case s.Breaches != nil:
		return "bad", "✗ A law is broken"
	case s.AtRest:
		return "good", "✓ All laws hold, and all is at rest"
	}
	return "open", "○ No law is broken so far"
}
