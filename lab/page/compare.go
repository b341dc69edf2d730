package page

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/templates"
)

// compare shows a run without a safeguard and the same run with it, side by side.
func (l *Lab) compare(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
	c, schedule, err := l.parseRun(r, r.PathValue("name"))
	if err != nil {
		return templates.Response{}, err
	}
	large := r.URL.Query().Get("large") == "1"
	if level, _ := levelOf(c.Name); c.Safeguard == nil && level.Safeguard != "" {
		return redirect(w, r, forProjector(templates.LabComparePath(level.Safeguard), large))
	}
	if c.Safeguard == nil {
		return templates.Response{}, &templates.Refusal{Problem: templates.Problem{
			Status: http.StatusNotFound, Title: "There is no such comparison", Detail: "A comparison shows the production code with and without one safeguard. This scenario has all safeguards.",
			Links: []templates.Link{{Label: "Step through " + c.Name, URL: templates.LabPath(c.Name)}, labLink()},
		}}
	}
	page.Path = forProjector(comparePath(c, schedule), large)
	if r.URL.Query().Get("s") != c.Format(schedule) {
		return redirect(w, r, page.Path)
	}
	return l.replayed(w, r, func() (templ.Component, error) {
		v, err := l.newCompareView(c, schedule)
		if err != nil {
			return nil, err
		}
		v.Without.large, v.With.large = large, large
		return comparePage(page, v), nil
	})
}

// comparePath is the address of a comparison. Without a schedule it is about the shortest
// one known.
func comparePath(c modelcheck.Case, schedule lab.Schedule) string {
	if len(schedule) == 0 {
		return templates.LabComparePath(c.Name)
	}
	return templates.LabComparePath(c.Name) + "?s=" + c.Format(schedule)
}

// A compareView is one run without a safeguard and with it, on one axis of time.
type compareView struct {
	// Without is the run without the safeguard, and With the run with it.
	Without, With compareSide
	// Own reports whether the reader has chosen the run.
	Own bool
	// Code is the function that has the line which decides.
	Code sourceView
}

// mostCompared is how many lines the comparison has: a screen of 720 pixels shows them.
const mostCompared = 13

// A compareSide is one of the two runs.
type compareSide struct {
	*scene
	lines []runLine
}

// A compareRow is a line of the comparison: the steps of both runs, or what each does. A run that has ended has
// none there.
type compareRow struct {
	Without, With *runLine
	// Same reports whether both do the same, and Differs whether this is the first step in which they do not.
	Same, Differs bool
}

// rows are the lines of both runs, side by side.
func (v compareView) rows() (rows []compareRow) {
	for i := range max(len(v.Without.lines), len(v.With.lines)) {
		var row compareRow
		if i < len(v.Without.lines) {
			row.Without = &v.Without.lines[i]
		}
		if i < len(v.With.lines) {
			row.With = &v.With.lines[i]
		}
		some := cmp.Or(row.Without, row.With)
		row.Same = row.Without != nil && row.With != nil && (v.Without.decisive == 0 || some.Last < v.Without.decisive)
		row.Differs = some.First <= v.Without.decisive && v.Without.decisive <= some.Last
		rows = append(rows, row)
	}
	return rows
}

// numbers are those of the steps.
func (r compareRow) numbers() string { return cmp.Or(r.Without, r.With).numbers() }

// newCompareView takes a run without a safeguard, and with it as much of the run as can be taken. A
// run that has ended without the safeguard goes on to its end with it.
func (l *Lab) newCompareView(c modelcheck.Case, schedule lab.Schedule) (compareView, error) {
	v := compareView{Own: len(schedule) > 0, Code: codeOf(*c.Safeguard)}
	complete, err := l.find(c.Safeguard.Of)
	if err != nil {
		return v, err
	}
	if !v.Own {
		schedule, _ = c.Parse(l.recordOf(c.Name).Schedule) // TestKnown reads all
	}
	without, err := c.Follow(schedule, false)
	if err != nil {
		return v, refuseChoice(&c.Scenario, "That run is not possible", err)
	}
	end := without[len(without)-1]
	same, _ := complete.Parse(c.Format(schedule))                              // complete has all its actors
	with, _ := complete.Follow(same, end.Quiescent() || end.Violated() != nil) // it may end sooner
	v.Without, v.With = l.sideOf(c, without), l.sideOf(complete, with)
	v.Without.decisive, v.Without.refused = differing(without, with)
	v.With.decisive, v.Without.made = v.Without.decisive, v.Without.cause()
	parts := v.Without.weigh().with(v.With.weigh()).parts(mostCompared)
	v.Without.lines, v.With.lines = v.Without.drawn(parts).Lines, v.With.drawn(parts).Lines
	return v, nil
}

func (l *Lab) sideOf(c modelcheck.Case, run []lab.Moment) compareSide {
	q := request{Case: c, at: len(run) - 1}
	for _, m := range run[1:] {
		q.schedule = append(q.schedule, m.Step.Choice)
	}
	return compareSide{scene: l.sceneOf(q, run)}
}

// differing is the number of the first step that goes another way, or is not made there. refused is
// the same if it is the same call, with another answer. They are 0 if no step is.
func differing(without, with []lab.Moment) (n, refused int) {
	for n := 1; n < len(without); n++ {
		if n == len(with) {
			return n, 0
		}
		a, b := without[n].Step, with[n].Step
		switch {
		case alike(*a, *b):
		case a.Call != nil && b.Call != nil && a.Call.Method == b.Call.Method && a.Call.Target == b.Call.Target:
			return n, n
		default:
			return n, 0
		}
	}
	return 0, 0
}

// decide notes where a run goes another way with the safeguard, and the call that is made there instead: see differing.
func (l *Lab) decide(v *scene) error {
	complete, err := l.find(v.Safeguard.Of)
	if err != nil {
		return err
	}
	complete.Preemptions = v.Preemptions // it may bound them more, and be stuck before that step
	same, _ := complete.Parse(v.Format(v.schedule))
	with, _ := complete.Follow(same, false)
	if v.decisive, v.refused = differing(v.moments, with); v.decisive > 0 && v.decisive < len(with) {
		v.instead = with[v.decisive].Step.Call
	}
	return nil
}

// alike reports whether two steps ask the same and are answered alike.
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
	case len(s.broken()) > 0:
		invariant, _ := s.worst()
		return "bad", "✗ An invariant is violated: " + invariant.Title
	case s.now().Quiescent():
		return "good", "✓ All invariants hold, and the system is idle"
	}
	return "open", "○ No invariant is violated so far"
}
