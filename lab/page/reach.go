package page

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

// How many states a page may enter to find out whether the invariant of its level can still be violated, and how
// many for how long if a reader asks for it.
const (
	fewStates  = 500
	someStates = 3_000
	manyStates = 150_000
	reachTime  = 6 * time.Second
)

// reach says from which states the invariant of a level can be violated. It is nil if the level has none, or if no search
// has ended. The result of one that has is kept.
func (l *Lab) reach(r *http.Request, q request) (*lab.Reach, error) {
	invariant := l.recordOf(q.Name).Invariant
	known, tried := l.reaches.Load(q.Name)
	found, _ := known.(*lab.Reach)
	if found != nil || tried && q.ask != askReach || invariant == "" {
		return found, nil
	}
	most, within, turns := fewStates, reachTime, l.replays
	switch {
	case q.ask == askReach:
		most, turns = manyStates, l.searchTurns(q)
	case q.Part == modelcheck.Own:
		turns, within = l.ownReplays, twinTime
	}
	return search(l, r, turns, "reach "+q.Name+" "+strconv.Itoa(most), within, func(ctx context.Context) *lab.Reach {
		found := reachOf(ctx, q, invariant, most)
		if found != nil {
			l.reaches.Store(q.Name, found)
			l.changes.Add(1)
		} else if known, _ := l.reaches.LoadOrStore(q.Name, found); known != nil { // by a search that ended meanwhile
			found, _ = known.(*lab.Reach)
		}
		return found
	})
}

// reachOf is nil also if the code of a reader's own protocol fails in a state that no page has shown.
func reachOf(ctx context.Context, q request, invariant string, most int) (found *lab.Reach) {
	if q.Part == modelcheck.Own {
		q.Until = ctx
		defer func() {
			if recover() != nil {
				found = nil
			}
		}()
	}
	x := lab.NewExplorer(q.Scenario)
	defer x.Close()
	return x.Reach(ctx, invariant, most)
}

// An onward is what a search of the states that can follow the shown one has found, where there are too many to search all.
type onward struct {
	// Can reports whether the invariant can be violated.
	Can bool
	// States is how many they are, if all were searched and none violates it. Last is the last step after which a run was
	// found that does: 0 if one is known from the start only.
	States, Last int
}

// onward searches these states. A search of few comes first: a run that wins may be near, and others wait for this search.
func (l *Lab) onward(r *http.Request, v *scene) (found onward, err error) {
	if v.record.Invariant == "" || v.Part == modelcheck.Own {
		return found, nil
	}
	return search(l, r, l.searches, "onward "+v.Name+" "+v.text(), reachTime, func(ctx context.Context) (found onward) {
		x := lab.NewExplorer(v.Scenario)
		defer x.Close()
		from := func(n, most int) (can bool, states int) {
			reach, whole := x.ReachFrom(ctx, v.schedule[:n], v.record.Invariant, most)
			if whole {
				states = reach.States
			}
			return reach.From(v.moments[n]), states
		}
		for _, most := range [...]int{someStates, manyStates} {
			if found.Can, found.States = from(v.at, most); found.Can || found.States > 0 {
				break
			}
		}
		if found.Can || found.States == 0 {
			return found
		}
		for found.Last = v.at - 1; found.Last > 0; found.Last-- {
			if can, _ := from(found.Last, someStates); can {
				break
			}
		}
		return found
	})
}

// onRecord reports whether the run so far is the beginning of the recorded one, which violates the invariant of the level.
func (v *scene) onRecord() bool {
	record, _ := v.Parse(v.record.Schedule) // that of this code can be read
	return !v.stale && len(record) > v.at && slices.Equal(record[:v.at], v.schedule[:v.at])
}

// lostSince is the step since which the invariant of the level cannot be violated any more, or since which no run was
// found that does. It is 0 if it can, or if that is not known: what is out of reach stays so.
func (v *scene) lostSince() int {
	if v.onward.States > 0 && !v.onward.Can {
		return v.onward.Last + 1
	}
	for n, m := range v.moments[:v.at+1] {
		if v.reachable == nil || v.won() {
			return 0
		}
		if !v.reachable.From(m) {
			return n
		}
	}
	return 0
}

// lostWords say since when the invariant cannot be violated, and what was searched to know it.
func (v *scene) lostWords() (since, searched string) {
	if v.reachable != nil {
		return "No run wins since step " + strconv.Itoa(v.lost) + ".", "All " + lab.Count(v.reachable.States, "state") + " of this level were searched."
	}
	searched = "All " + lab.Count(v.onward.States, "state") + " that can follow were searched. "
	if v.onward.Last == 0 {
		return "No run wins from here.", searched + "A run that wins was found from the start only."
	}
	return "No run wins from here.", searched + "Step " + strconv.Itoa(v.onward.Last) + " is the last after which a run was found that wins."
}
