package page

import (
	"context"
	"net/http"
	"sync"
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

// reaches are what is known of each scenario. A search that came to no end is nil.
type reaches struct {
	sync.Mutex
	known map[string]*lab.Reach
}

// reach says from which states the invariant of a level can be violated, if so many states tell. It is nil if that
// is not known.
func (r *reaches) reach(ctx context.Context, c modelcheck.Case, invariant string, most int) *lab.Reach {
	r.Lock()
	found, tried := r.known[c.Name]
	r.Unlock()
	if invariant == "" || c.Part == modelcheck.Own || found != nil || tried && most == fewStates {
		return found
	}
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	found = x.Reach(ctx, invariant, most)
	r.Lock()
	defer r.Unlock()
	r.known[c.Name] = found
	return found
}

// askReach enters many states if the request asks whether it can still be won.
func (l *Lab) askReach(r *http.Request, q request) error {
	if !q.reach {
		return nil
	}
	_, err := inTurn(r.Context(), l.searches, func() (*lab.Reach, error) {
		ctx, cancel := context.WithTimeout(r.Context(), reachTime)
		defer cancel()
		return l.reaches.reach(ctx, q.Case, l.recordOf(q.Name).Invariant, manyStates), nil
	})
	return err
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

// askReachURL asks whether this can still be won.
func (v *scene) askReachURL() string {
	q := v.here()
	q.reach = true
	return q.address()
}
