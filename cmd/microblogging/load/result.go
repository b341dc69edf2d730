package load

import (
	"encoding/json"
	"math"
	"time"
)

// A Result is what one run has measured. As JSON it is what load --json prints.
type Result struct {
	Plan     Plan `json:"-"`
	Channels int  `json:"channels"`
	// Elapsed is from the beginning of the load until the last operation ended.
	Elapsed    Time       `json:"duration"`
	Operations []Measured `json:"operations"`
	All        Measured   `json:"-"`
	Targets    Targets    `json:"targets"`
	// Failure is the first error of an operation that failed.
	Failure error `json:"-"`
}

// Measured is what was measured of one operation, or of all.
type Measured struct {
	Name string `json:"name"`
	// Requests is how many operations have ended, those that failed included.
	Requests int64 `json:"requests"`
	// Entities is how many rows were read, and how many were written or were a condition of
	// a write.
	Entities int64 `json:"entities"`
	// Throttled is how many tries the service answered that it is too busy. An operation can
	// have many of them, and succeed.
	Throttled int64 `json:"throttled"`
	Failed    int64 `json:"failed"`
	// The latencies include those of operations that failed.
	P50 Time `json:"p50"`
	P95 Time `json:"p95"`
	P99 Time `json:"p99"`
	Max Time `json:"max"`
}

// Targets are the scalability targets that Azure publishes, in entities a second.
type Targets struct {
	// Partition is of today's documentation ("Scalability and performance targets for Table
	// storage"), for entities of 1 KiB. Partition2011 is of the older text ("Windows Azure
	// Storage Abstractions and their Scalability Targets"). Account is of the whole account.
	Partition     int `json:"partition"`
	Partition2011 int `json:"partition2011"`
	Account       int `json:"account"`
}

func azureTargets() Targets { return Targets{Partition: 2_000, Partition2011: 500, Account: 20_000} }

// PerSecond is the rate of a count of the run.
func (r Result) PerSecond(count int64) float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(count) / time.Duration(r.Elapsed).Seconds()
}

// Rows are what was measured of each operation, and at the end of all.
func (r Result) Rows() []Measured {
	return append(r.Operations[:len(r.Operations):len(r.Operations)], r.All)
}

// A Time is as people read it, and as JSON in seconds to the microsecond.
type Time time.Duration

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(time.Duration(t).Microseconds()) / 1e6)
}

func (t Time) String() string { return time.Duration(t).Round(10 * time.Microsecond).String() }

// A histogram counts latencies by their logarithm: each to 1 percent, from a microsecond to
// more than an hour.
type histogram struct {
	counts [2250]int64
	n      int64
	max    time.Duration
}

const histogramStep = 1.01

func (h *histogram) add(d time.Duration) {
	at := math.Log(float64(max(d.Microseconds(), 1))) / math.Log(histogramStep)
	h.counts[min(int(at), len(h.counts)-1)]++
	h.n++
	h.max = max(h.max, d)
}

// within is a time within which this part of all has ended.
func (h *histogram) within(part float64) Time {
	rest := int64(math.Ceil(part * float64(h.n)))
	for i, count := range h.counts {
		if rest -= count; rest <= 0 && h.n > 0 {
			upper := time.Duration(math.Pow(histogramStep, float64(i+1))) * time.Microsecond
			return Time(min(upper, h.max))
		}
	}
	return 0
}
