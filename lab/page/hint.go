package page

import (
	"context"
	"net/http"
	"slices"
	"sort"
	"time"

	"microblogging/lab"
	"microblogging/templates"
)

// A hint is what a search from the present state has found.
type hint struct {
	// Choice is the first of a shortest continuation that breaks the law, and Steps how
	// many it has.
	Choice *lab.Choice
	Steps  int
	// Back is how many steps to go back to, if from here nothing can be broken any more.
	Back *int
	// States is how many states were entered.
	States int
	// Bound tells that the search ended at its bound, so nothing is known. Fork is then how
	// many steps the run has in common with the shortest way known, if there is one.
	Bound bool
	Fork  *int
	// Broken tells that the law is broken here, so there is nothing to look for.
	Broken bool
}

// hinted shows the page of a scenario with a hint. What a search finds within its time
// depends on the machine: an answer at a bound is not kept here, and none by a client.
func (l *Lab) hinted(w http.ResponseWriter, r *http.Request, page templates.Page, q request) error {
	a, err := l.searches.answer(r.Context(), page.Origin+page.Path, func() (answer, error) {
		told, err := inTurn(context.Background(), l.replays, func() (*story, error) { return l.tell(q) })
		if err != nil {
			return answer{}, err
		}
		found, err := findHint(told, lab.BoundsOfPages())
		if err != nil {
			return answer{}, err
		}
		told.hint = &found
		a, err := l.rendered(scenarioPage(page, told))
		a.fleeting = found.Bound
		return a, err
	})
	if err != nil {
		return err
	}
	return a.sendOnce(w, r)
}

// findHint looks for the next choice of a shortest way to break the law of the level.
func findHint(s *story, bounds lab.Bounds) (hint, error) {
	here := s.schedule[:s.at]
	bounds.Law = s.record.Law
	if s.isWon() {
		return hint{Broken: true}, nil
	}
	// The rest of a shortest way is a shortest way.
	way, err := parseSchedule(&s.Scenario, s.record.Schedule)
	if err != nil {
		return hint{}, err
	}
	if s.at < len(way) && slices.Equal(here, way[:s.at]) {
		return hint{Choice: &way[s.at], Steps: len(way) - s.at}, nil
	}
	x := lab.NewExplorer(s.Scenario)
	defer x.Close()
	search := limited{x: x, bounds: bounds, ends: time.Now().Add(bounds.Time)}
	found, err := search.from(here)
	switch {
	case err != nil:
		return hint{}, err
	case found.Finding != nil && len(found.Finding.Schedule) > 0:
		return hint{Choice: &found.Finding.Schedule[0], Steps: len(found.Finding.Schedule), States: search.states}, nil
	case !found.Exhausted():
		return hint{States: search.states, Bound: true, Fork: fork(here, way)}, nil
	}
	back, known, err := search.back(here)
	if !known {
		return hint{States: search.states, Bound: true, Fork: fork(here, way)}, err
	}
	return hint{Back: back, States: search.states}, err
}

// fork is the number of steps that a run has in common with a way. It is nil if there is
// no way.
func fork(run, way lab.Schedule) *int {
	if way == nil {
		return nil
	}
	n := 0
	for n < min(len(run), len(way)) && run[n] == way[n] {
		n++
	}
	return &n
}

// limited are searches that share their bounds.
type limited struct {
	x      *lab.Explorer
	bounds lab.Bounds
	ends   time.Time
	states int
}

// from searches from the end of a schedule, within what is left of the bounds.
func (l *limited) from(schedule lab.Schedule) (lab.SearchResult, error) {
	left := l.bounds
	left.Time = max(time.Until(l.ends), time.Nanosecond)
	left.States = max(l.bounds.States-l.states, 1)
	found, err := l.x.Search(schedule, left)
	l.states += found.States
	return found, err
}

// back is the longest part of the schedule from which the law can still be broken, nil if
// there is none. It is not known if the bounds are reached before. What can be broken after
// some steps can be broken after fewer, so that half of the parts are ruled out at a time.
func (l *limited) back(schedule lab.Schedule) (back *int, known bool, err error) {
	known = true
	lost := sort.Search(len(schedule), func(n int) bool {
		if err != nil || !known {
			return true
		}
		var found lab.SearchResult
		found, err = l.from(schedule[:n])
		known = found.Finding != nil || found.Exhausted()
		return found.Finding == nil
	})
	if err != nil || !known || lost == 0 {
		return nil, known, err
	}
	lost--
	return &lost, true, nil
}
