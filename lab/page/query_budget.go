package page

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

const (
	// queryRowsMinute is how many rows all questions together may cost in a minute, on average:
	// one page that costs the most.
	queryRowsMinute = maxQueryRows
	// rowsOfRequest is how many rows a request costs, besides those that it reads. Azure
	// bills requests, and its limits count rows.
	rowsOfRequest = 20
)

// A queryBudget bounds what the questions of all readers cost the store of the site: anybody
// may ask, and somebody pays for the store. It is safe for concurrent use.
type queryBudget struct{ bucket *rate.Limiter }

func newQueryBudget() queryBudget {
	return queryBudget{rate.NewLimiter(rate.Limit(queryRowsMinute)/60, queryRowsMinute)}
}

// wait is how long it takes until the store may be asked again. It is 0 if it may be asked now.
func (b queryBudget) wait(now time.Time) time.Duration {
	missing := 1 - b.bucket.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(missing/float64(b.bucket.Limit()))) * time.Second
}

// spend notes what a question has cost. That is known only afterwards, so it may be more than
// was left: then the next question waits for it.
func (b queryBudget) spend(now time.Time, cost int) {
	b.bucket.ReserveN(now, min(cost, b.bucket.Burst()))
}
