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

// search searches what the key names when its turn has come, for at most this time, once for all who ask for it in one moment.
// It goes on for the others if the client that asked first has gone.
func search[T any](l *Lab, r *http.Request, turns turn, key string, most time.Duration, work func(context.Context) T) (T, error) {
	return together(&l.asked, key, func() (T, error) {
		ctx := context.WithoutCancel(r.Context())
		return inTurn(ctx, turns, func() (T, error) {
			until := time.Now().Add(most)
			if end, limited := r.Context().Deadline(); limited && end.Add(-showTime).Before(until) {
				until = end.Add(-showTime) // its turn came late
			}
			ctx, cancel := context.WithDeadline(ctx, until)
			defer cancel()
			return work(ctx), nil
		})
	})
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
	done, err := search(l, r, l.searchTurns(q), "search "+q.Name, searchTime, func(ctx context.Context) (s searchResult) {
		s.Result, s.whole, s.failure = q.Try(ctx)
		return s
	})
	if err != nil {
		return v, err
	}
	if done.failure != nil {
		panic(done.failure) // see inOwn
	}
	found, states := done.Finding, lab.Count(done.States, "state")
	switch {
	case found != nil:
		return searchView{"An invariant is violated after " + lab.Count(len(found.Schedule), "step") + ". " + states + " were searched.",
			q.ending(found.Schedule).address()}, nil
	case done.whole:
		return searchView{Words: cmp.Or(q.Warning(), done.Holds())}, nil
	}
	return searchView{Words: "No invariant is violated in " + states + ". There was no time for the others."}, nil
}

// A searchResult is what a search of a whole scenario came to. failure says that its code fails.
type searchResult struct {
	modelcheck.Result
	whole   bool
	failure error
}

// claim is what is known of a scenario in which nothing was found.
func (v *scene) claim() string {
	switch {
	case v.record.States == 0:
		return "Nothing was searched to its end."
	case v.stale:
		return capital(claimOf(v.record)) + ", in an earlier version of this code."
	}
	return capital(claimOf(v.record)) + "."
}

func claimOf(record modelcheck.Record) string {
	return "no violation was found in " + lab.Count(record.States, "state")
}
