package main

import (
	"fmt"
	"time"
)

// A Report counts what happened in a run.
type Report struct {
	Seed uint64
	// Kills counts processes that were killed. Stops counts workers that slept for
	// longer than a lease and woke up. Cuts counts cuts that ended a connection.
	Kills, Stops, Cuts int64
	// Naps counts web roles that slept as long, and Stalls the times that a
	// process's requests were held back as long.
	Naps, Stalls int64
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
	return fmt.Sprintf("seed=%d kills=%d stops=%d cuts=%d redeliveries=%d deletions=%d posts=%d violations=%d",
		r.Seed, r.Kills, r.Stops, r.Cuts, r.Redeliveries, r.Deletions, r.Posts, len(r.Violations))
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
		what           string
		was, perMinute int64
	}{
		{"kills", r.Kills, 10}, {"stops", r.Stops, 3}, {"cuts", r.Cuts, 3}, {"deletions", r.Deletions, 10}, {"posts", r.Posts, 100},
		{"ratings judged", r.Ratings, 1}, {"subscriptions judged", r.Subscriptions, 1},
	}
	for _, f := range floors {
		floor := int64(1)
		if length >= time.Minute {
			floor = int64(float64(f.perMinute) * length.Minutes())
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
		Seed: f.seed, Kills: f.kills.Load(), Stops: f.stops.Load(), Cuts: f.cuts.Load(),
		Naps: f.naps.Load(), Stalls: f.stalls.Load(),
	}
	for _, s := range f.sites {
		deletions, posts := s.ledger.counts()
		r.Deletions += int64(deletions)
		r.Posts += int64(posts)
		r.Checks += s.checks.Load()
		r.Ratings += s.judged.ratings.Load()
		r.Subscriptions += s.judged.subscriptions.Load()
		r.Violations = append(r.Violations, s.ledger.found()...)
	}
	return r
}
