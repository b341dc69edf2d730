package page

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

const (
	// searchTime is how long a search may take.
	searchTime = 8 * time.Second
	// showTime is what a search leaves of the time of its request, to make the page.
	showTime = time.Second
)

// searching is the context of a search of at most this time.
func searching(r *http.Request, most time.Duration) (context.Context, context.CancelFunc) {
	until := time.Now().Add(most)
	if end, limited := r.Context().Deadline(); limited && end.Add(-showTime).Before(until) {
		until = end.Add(-showTime) // its turn came late
	}
	return context.WithDeadline(r.Context(), until)
}

// A searchView is what a search has found.
type searchView struct {
	// Words say it. They are empty if nothing was searched.
	Words string
	// URL is the run that breaks an invariant. It is empty if none was found.
	URL string
}

// searched searches the scenario if the request asks for that. One search goes on at a time.
func (l *Lab) searched(r *http.Request, q request) (v searchView, err error) {
	if q.ask != askSearch {
		return v, nil
	}
	return inTurn(r.Context(), l.searchTurns(q), func() (searchView, error) {
		ctx, cancel := searching(r, searchTime)
		defer cancel()
		result, whole, err := q.Try(ctx)
		if err != nil {
			panic(err) // see inOwn
		}
		found, states := result.Finding, lab.Count(result.States, "state")
		switch {
		case found != nil:
			return searchView{"An invariant is violated after " + lab.Count(len(found.Schedule), "step") + ". " + states + " were searched.",
				q.ending(found.Schedule).address()}, nil
		case whole:
			return searchView{Words: cmp.Or(q.Warning(), result.Holds())}, nil
		}
		return searchView{Words: "No invariant is violated in " + states + ". There was no time for the others."}, nil
	})
}

// claim is what is known of a scenario in which nothing was found.
func (v *scene) claim() string {
	switch {
	case v.record.States == 0:
		return "Nothing was searched to its end."
	case v.stale:
		return claimOf(v.record) + ", in an earlier version of this code."
	}
	return claimOf(v.record) + "."
}

func claimOf(record modelcheck.Record) string {
	return lab.Count(record.States, "state") + " were searched in vain"
}
