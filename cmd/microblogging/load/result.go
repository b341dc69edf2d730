package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// An OperationResult is what was measured of one operation, or of all.
type OperationResult struct {
	Name string
	// Requests is how many operations have ended, those that failed included.
	Requests, Failed int64
	// Entities is how many rows were read, and how many were written or were a condition of
	// a write.
	Entities int64
	// Throttled is how many tries the service answered that it is too busy, and Retried how
	// many tries were made after one that failed. An operation can have many of both, and
	// succeed.
	Throttled, Retried int64
	// The latencies include those of operations that failed.
	P50, P95, P99, Max time.Duration
}

// A Result is what one run has measured.
type Result struct {
	Plan
	// Elapsed is from the beginning of the load until the last operation ended.
	Elapsed    time.Duration
	Operations []OperationResult
	All        OperationResult
	// Busiest is how many entities the busiest partition had.
	Busiest int64
	// Unsent is how many operations were due, in an open loop, and never begun.
	Unsent int64
	// Interrupted tells that the run was ended before its time.
	Interrupted bool
	Timeline    []Point
	// Failure is the first error of an operation that failed.
	Failure error
}

// PerSecond returns the rate of a count of the run.
func (r Result) PerSecond(count int64) float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(count) / r.Elapsed.Seconds()
}

// result sums up.
func (d *driving) result(m *meter) Result {
	r := d.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closeIntervals(r.began.Add(d.stopped))
	result := Result{
		Plan: d.Plan, Elapsed: max(r.last.Sub(r.began), d.stopped), Busiest: m.busiest(), Unsent: d.unsent(),
		Interrupted: d.interrupted, Timeline: r.timeline, Failure: r.failure,
	}
	all, latencies := OperationResult{Name: "all"}, newHistogram()
	for _, o := range d.Mix.made() {
		measured := r.measured(o)
		result.Operations = append(result.Operations, measured)
		latencies.Merge(r.records[o].latencies)
		all.Requests += measured.Requests
		all.Failed += measured.Failed
		all.Entities += measured.Entities
		all.Throttled += measured.Throttled
		all.Retried += measured.Retried
	}
	result.All = all.withLatencies(latencies)
	return result
}

func (r *recorder) measured(o Operation) OperationResult {
	return OperationResult{
		Name:      o.String(),
		Requests:  r.records[o].requests,
		Failed:    r.records[o].failed,
		Entities:  r.costs[o].entities.Load(),
		Throttled: r.costs[o].throttled.Load(),
		Retried:   r.costs[o].retried.Load(),
	}.withLatencies(r.records[o].latencies)
}

func (o OperationResult) withLatencies(h *hdrhistogram.Histogram) OperationResult {
	o.P50, o.P95, o.P99 = quantile(h, 50), quantile(h, 95), quantile(h, 99)
	o.Max = time.Duration(h.Max()) * time.Microsecond
	return o
}
