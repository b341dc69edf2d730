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
	// Alike are the steps that both take, and Why says why ours cannot follow any further, if so.
	Alike []lab.StepWords
	Why   string
	Code  sourceView
}

// A compareSide is one of the two runs.
type compareSide struct {
	prove.Case
	// Then are the steps from where they differ to the end of the run.
	Then []lab.StepWords
	// Broken says which laws are broken at the end. AtRest tells that all are judged there.
	Broken []string
	AtRest bool
	// URL is the whole run.
	URL string
}

func (l *Lab) newCompareView(c prove.Case, schedule lab.Schedule) (compareView, error) {
	v := compareView{Own: len(schedule) > 0, Code: codeOf(*c.Guard)}
	ours, err := l.find(c.Guard.Of)
	if err != nil {
		return v, err
	}
	if !v.Own {
		known, err := l.known()
		if err != nil {
			return v, err
		}
		record, _ := prove.About(known, c.Name)
		if schedule, err = c.Parse(record.Schedule); err != nil {
			return v, err
		}
	}
	without, with := lab.NewExplorer(c.Scenario), lab.NewExplorer(ours.Scenario)
	defer without.Close()
	defer with.Close()
	left, err := without.Follow(schedule)
	if err != nil {
		return v, refuseChoice(&c.Scenario, "That run is not possible", err)
	}
	same, right, err := taken(ours.Scenario, translated(c, ours, schedule))
	if err != nil {
		return v, err
	}
	n := 0
	for n < len(same) && alike(*left[n+1].Step, *right[n+1].Step) {
		n++
		v.Alike = append(v.Alike, c.Words(*left[n].Step))
	}
	if n == len(same) && n < len(schedule) {
		v.Why = "Ours makes no such call here."
	}
	last := left[len(schedule)]
	v.Without = compareSide{Case: c, AtRest: last.AtRest(), URL: templates.LabPath(c.Name) + "?s=" + c.Format(schedule)}
	for _, m := range left[n+1:] {
		v.Without.Then = append(v.Without.Then, c.Words(*m.Step))
	}
	for _, law := range last.Laws {
		if law.State == lab.LawBroken {
			v.Without.Broken = append(v.Without.Broken, law.Reason)
		}
	}
	run, err := with.Replay(same[:min(n+1, len(same))], n < len(schedule) || last.AtRest() || last.Broken())
	if err != nil {
		return v, err
	}
	v.With = compareSide{Case: ours, AtRest: run.AtRest, URL: templates.LabPath(ours.Name) + "?s=" + ours.Format(run.Schedule())}
	for _, step := range run.Steps[n:] {
		v.With.Then = append(v.With.Then, ours.Words(step))
	}
	for _, b := range run.Breaches {
		v.With.Broken = append(v.With.Broken, ours.DescribeBreach(b))
	}
	return v, nil
}

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
	case len(s.Broken) > 0:
		return "bad", "✗ A law is broken"
	case s.AtRest:
		return "good", "✓ All laws hold, and all is at rest"
	}
	return "open", "○ No law is broken so far"
}
