package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Report says what happened in a run, and how often.
type Report struct {
	Seed uint64
	// Faults are the kinds of faults that were to happen.
	Faults     []string
	Counts     map[string]int64
	Violations []string
}

// A tally counts what happens in a run, by its name in events.
type tally struct {
	mu sync.Mutex
	n  map[string]int64
}

func (t *tally) add(what string, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n[what] += n
}

// An event is what a run counts.
type event struct {
	name string
	// floor is how often it happens in a minute, at least: a run in which little happened shows
	// nothing.
	floor float64
	// fault is the kind of fault that does it; empty if it needs none.
	fault string
}

// events are in the order of the report. A stop is a worker that slept for longer than a lease
// and woke up, a stall a process whose requests were held back as long. A check is one of a store
// in use. A redelivery is one of a message that had been delivered before. Ratings were compared
// in the end with what users were told. A reply is judged each time that a list shows it.
func events() []event {
	return []event{
		{"kills", 10, "kill"}, {"stops", 3, "stop"}, {"clocks", 10, "clock"}, {"leaps", 0.5, "clock"}, {"hangs", 1, "hang"}, {"restarts", 1, "restart"}, {"stalls", 0, "stall"}, {"cuts", 3, "cut"},
		{"outages", 0.3, "outage"}, {"shortened", 10, "shorten"},
		{"deletions", 10, ""}, {"undone", 1, ""}, {"rules", 1, ""}, {"left", 1, ""}, {"kept", 0, ""}, {"posts", 100, ""}, {"replies", 10, ""}, {"redeliveries", 0, ""}, {"checks", 0, ""},
		{"ratings", 1, ""}, {"judged", 1, ""},
	}
}

func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed=%d", r.Seed)
	for _, e := range events() {
		fmt.Fprintf(&b, " %s=%d", e.name, r.Counts[e.name])
	}
	fmt.Fprintf(&b, " violations=%d", len(r.Violations))
	return b.String()
}

// shortfall says what happened too rarely in a run of that length; empty if nothing did. In
// less than a minute, once is enough: a busy machine is slow to replace a process that was
// killed.
func (r Report) shortfall(length time.Duration) string {
	for _, e := range events() {
		if e.floor == 0 || e.fault != "" && !slices.Contains(r.Faults, e.fault) {
			continue
		}
		floor := int64(1)
		if length >= time.Minute {
			floor = max(floor, int64(e.floor*length.Minutes()))
		}
		if n := r.Counts[e.name]; n < floor {
			return fmt.Sprintf("%d %s in %s, want at least %d", n, e.name, length, floor)
		}
	}
	return ""
}

// report says what has happened so far.
func (f *faults) report() Report {
	f.tally.mu.Lock()
	r := Report{Seed: f.seed, Faults: f.kinds, Counts: maps.Clone(f.tally.n)}
	f.tally.mu.Unlock()
	for _, s := range f.sites {
		deletions, posts, replies := s.history.counts()
		r.Counts["deletions"] += int64(deletions)
		r.Counts["posts"] += int64(posts)
		r.Counts["replies"] += int64(replies)
		r.Violations = append(r.Violations, s.history.found()...)
	}
	return r
}
