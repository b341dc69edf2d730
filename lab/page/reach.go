package page

import (
	"net/http"
	"time"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

// How many states a page may enter to find out whether the invariant of its level can still be violated, and how
// many for how long if a reader asks for it.
const (
	fewStates  = 500
	manyStates = 150_000
	reachTime  = 6 * time.Second
)

// reach says from which states the invariant of a level can be violated. It is nil if the level has none, or if no search
// has ended. The result of one that has is kept.
func (l *Lab) reach(r *http.Request, q request) (*lab.Reach, error) {
	invariant := l.recordOf(q.Name).Invariant
	known, tried := l.reaches.Load(q.Name)
	found, _ := known.(*lab.Reach)
	if found != nil || tried && q.ask != askReach || invariant == "" || q.Part == modelcheck.Own {
		return found, nil
	}
	most, turns := fewStates, l.replays
	if q.ask == askReach {
		most, turns = manyStates, l.searches
	}
	return inTurn(r.Context(), turns, func() (*lab.Reach, error) {
		ctx, cancel := searching(r, reachTime)
		defer cancel()
		x := lab.NewExplorer(q.Scenario)
		defer x.Close()
		found := x.Reach(ctx, invariant, most)
		if found != nil {
			l.reaches.Store(q.Name, found)
			l.changes.Add(1)
		} else if known, _ := l.reaches.LoadOrStore(q.Name, found); known != nil { // by a search that ended meanwhile
			found, _ = known.(*lab.Reach)
		}
		return found, nil
	})
}

// lostSince is the step since which the invariant of the level cannot be violated any more. It is 0 if it can, or
// if that is not known: what is out of reach stays so.
func (v *scene) lostSince() int {
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
