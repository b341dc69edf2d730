package main

import (
	"fmt"
	"slices"
	"time"
)

// A Report counts what happened in a run.
type Report struct {
	Seed uint64
	// Faults are the kinds of faults that were to happen.
	Faults []string
	// Kills counts processes that were killed. Stops counts workers that slept for
	// longer than a lease and woke up. Cuts counts cuts that ended a connection.
	Kills, Stops, Cuts int64
	// Naps counts web roles that slept as long, and Stalls the times that a
	// process's requests were held back as long.
	Naps, Stalls int64
	// Outages counts the times that a partition refused requests, and Shortened the
	// replies to batches that were cut short.
	Outages, Shortened int64
	// Throttled counts clients that guessed passwords and were refused.
	Throttled int64
	// Checks counts checks of a store in use. Ratings and Subscriptions count what
	// was compared in the end with what users were told.
	Checks, Ratings, Subscriptions int64
	// Redeliveries counts deliveries of messages that had been delivered before.
	Redeliveries int64
	// Deletions counts accepted deletions, and Posts acknowledged posts.
	Deletions, Posts int64
	Violations       []string
}

func (r Report) String() string {
	return fmt.Sprintf("seed=%d kills=%d stops=%d cuts=%d outages=%d shortened=%d throttled=%d redeliveries=%d deletions=%d posts=%d violations=%d",
		r.Seed, r.Kills, r.Stops, r.Cuts, r.Outages, r.Shortened, r.Throttled, r.Redeliveries, r.Deletions, r.Posts, len(r.Violations))
}

// also lists what the last line has no room for.
func (r Report) also() string {
	return fmt.Sprintf("also: web roles asleep %d times, networks stalled %d times, %d checks of a store in use; judged in the end: %d ratings, %d subscriptions",
		r.Naps, r.Stalls, r.Checks, r.Ratings, r.Subscriptions)
}

// shortfall says what happened too rarely in a run of that length; empty if
// nothing did. A run in which little happened shows nothing. In less than a minute,
// once is enough: a busy machine is slow to replace a process that was killed.
func (r Report) shortfall(length time.Duration) string {
	floors := []struct {
		what      string
		was       int64
		perMinute float64
		// fault is the kind of fault that does it; empty if it needs none.
		fault string
	}{
		{"kills", r.Kills, 10, "kill"}, {"stops", r.Stops, 3, "stop"}, {"cuts", r.Cuts, 3, "cut"},
		{"outages", r.Outages, 0.3, "outage"}, {"replies cut short", r.Shortened, 10, "shorten"},
		{"deletions", r.Deletions, 10, ""}, {"posts", r.Posts, 100, ""}, {"clients throttled", r.Throttled, 2, ""},
		{"ratings judged", r.Ratings, 1, ""}, {"subscriptions judged", r.Subscriptions, 1, ""},
	}
	for _, f := range floors {
		if f.fault != "" && !slices.Contains(r.Faults, f.fault) {
			continue
		}
		floor := int64(1)
		if length >= time.Minute {
			floor = max(floor, int64(f.perMinute*length.Minutes()))
		}
		if f.was < floor {
			return fmt.Sprintf("%d %s in %s, want at least %d", f.was, f.what, length, floor)
		}
	}
	return ""
}

// report counts what has happened so far, except redeliveries.
func (f *faults) report() Report {
	r := Report{
		Seed: f.seed, Faults: f.kinds, Kills: f.kills.Load(), Stops: f.stops.Load(), Cuts: f.cuts.Load(),
		Naps: f.naps.Load(), Stalls: f.stalls.Load(), Outages: f.outages.Load(), Shortened: f.shortened.Load(),
	}
	for _, s := range f.sites {
		deletions, posts := s.ledger.counts()
		r.Deletions += int64(deletions)
		r.Posts += int64(posts)
		r.Throttled += s.throttled.Load()
		r.Checks += s.checks.Load()
		r.Ratings += s.judged.ratings.Load()
		r.Subscriptions += s.judged.subscriptions.Load()
		r.Violations = append(r.Violations, s.ledger.found()...)
	}
	return r
}
