package load

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	// longest is the longest latency that is told from a longer one.
	longest = time.Hour
	// digits is how many decimal digits of a latency are kept.
	digits = 3
	// points is about how many points a timeline has at most, and fewPoints at least.
	points    = 60
	fewPoints = 10
	// shortestInterval is the shortest time that one of more than fewPoints stands for.
	shortestInterval = 500 * time.Millisecond
)

// A histogram keeps latencies to the microsecond.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, longest.Microseconds(), digits)
}

func add(h *hdrhistogram.Histogram, latency time.Duration) {
	// A value out of its range would be an error, and lost.
	_ = h.RecordValue(min(max(latency, time.Microsecond), longest).Microseconds())
}

func quantile(h *hdrhistogram.Histogram, percent float64) time.Duration {
	return time.Duration(h.ValueAtQuantile(percent)) * time.Microsecond
}

// A Point is what happened in one interval of a run.
type Point struct {
	// At is when the interval ended, since the load began.
	At time.Duration
	// Requests is how many have ended, for a second.
	Requests float64
	// P50 and P99 are latencies of the requests that ended. They are 0 if none did.
	P50, P99 time.Duration
}

// A recorder takes the end of each operation. It is safe for concurrent use.
type recorder struct {
	began    time.Time
	duration time.Duration
	interval time.Duration
	costs    [operations]cost

	mu       sync.Mutex
	records  [operations]record
	failure  error // the first
	timeline []Point
	// current is the interval that has not ended.
	current *hdrhistogram.Histogram
	last    time.Time
}

type record struct {
	latencies *hdrhistogram.Histogram
	requests  int64
	failed    int64
}

// newRecorder returns the recorder of a load that begins now.
func newRecorder(duration time.Duration) *recorder {
	r := &recorder{
		began:    time.Now(),
		duration: duration,
		interval: max(duration/points, min(shortestInterval, duration/fewPoints)),
		current:  newHistogram(),
	}
	r.last = r.began
	for i := range r.records {
		r.records[i].latencies = newHistogram()
	}
	return r
}

// record notes that an operation has ended, whose latency counts from this time.
func (r *recorder) record(o Operation, from time.Time, err error) {
	now := time.Now() // before the lock, whose time is not the store's
	latency := now.Sub(from)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closeIntervals(now)
	if now.After(r.last) {
		r.last = now
	}
	add(r.current, latency)
	record := &r.records[o]
	add(record.latencies, latency)
	record.requests++
	if err != nil {
		record.failed++
		if r.failure == nil {
			r.failure = err
		}
	}
}

// closeIntervals adds the intervals that have ended to the timeline. Those in which nothing
// ended are points too: a store that stands still is to be seen. What ends after the
// duration, when nothing is begun any more, is in no interval.
func (r *recorder) closeIntervals(now time.Time) {
	elapsed := min(now.Sub(r.began), r.duration)
	for end := time.Duration(len(r.timeline)+1) * r.interval; end <= elapsed; end += r.interval {
		r.closeInterval(end)
	}
}

func (r *recorder) closeInterval(end time.Duration) {
	r.timeline = append(r.timeline, Point{
		At:       end,
		Requests: float64(r.current.TotalCount()) / r.interval.Seconds(),
		P50:      quantile(r.current, 50),
		P99:      quantile(r.current, 99),
	})
	r.current.Reset()
}

// requests returns how many operations have ended.
func (r *recorder) requests() (sum int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, record := range r.records {
		sum += record.requests
	}
	return sum
}
