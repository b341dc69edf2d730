package main

import (
	"fmt"
	"time"
)

// A Report is what a run came to.
type Report struct {
	Seed uint64
	// Kills, Stops and Cuts count faults: processes killed, workers that slept for
	// longer than a lease and woke up, and cuts of connections that were there.
	Kills, Stops, Cuts int64
	// Naps are web roles that slept as long, and Stalls requests that were held
	// back as long.
	Naps, Stalls int64
	// Checks are those of a store in use. Ratings and Subscriptions are what was
	// held in the end against what users were told.
	Checks, Ratings, Subscriptions int64
	// Redeliveries are deliveries of messages that had been delivered before.
	Redeliveries int64
	// Deletions are those of channels that were accepted and, in the end, done.
	// Posts are those that were acknowledged.
	Deletions, Posts int64
	Violations       []string
}

func (r Report) String() string {
	return fmt.Sprintf("seed=%d kills=%d stops=%d cuts=%d redeliveries=%d deletions=%d posts=%d violations=%d",
		r.Seed, r.Kills, r.Stops, r.Cuts, r.Redeliveries, r.Deletions, r.Posts, len(r.Violations))
}

// also is what the last line has no room for.
func (r Report) also() string {
	return fmt.Sprintf("also: web roles asleep %d times, networks stalled %d times, %d checks of a store in use; judged in the end: %d ratings, %d subscriptions",
		r.Naps, r.Stalls, r.Checks, r.Ratings, r.Subscriptions)
}

// shortfall tells what there was too little of for a run of that length; empty
// if of nothing. A run in which little happened shows nothing. Of a run of less
// than a minute only one of each is due: a busy machine is slow to start what was
// killed.
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
			return fmt.Sprintf("%d %s in %s, and at least %d are due", f.was, f.what, length, floor)
		}
	}
	return ""
}

// report is what there was so far, but for redeliveries.
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
