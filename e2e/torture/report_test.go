package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReport(t *testing.T) {
	t.Run("accuses a run in which a fault that is on happened too rarely", reportAccusesIdleness)
}

func reportAccusesIdleness(t *testing.T) {
	busy := func() Report {
		return Report{
			Kills: 100, Stops: 100, Cuts: 100, Outages: 100, Shortened: 100, Throttled: 100,
			Deletions: 100, Posts: 1000, Ratings: 100, Subscriptions: 100, Faults: allKinds,
		}
	}
	for name, c := range map[string]struct {
		// fault is the kind of fault without which the rest does not matter.
		fault string
		idle  func(r *Report)
	}{
		"kills":             {"kill", func(r *Report) { r.Kills = 1 }},
		"stops":             {"stop", func(r *Report) { r.Stops = 1 }},
		"cuts":              {"cut", func(r *Report) { r.Cuts = 1 }},
		"outages":           {"outage", func(r *Report) { r.Outages = 0 }},
		"replies cut short": {"shorten", func(r *Report) { r.Shortened = 1 }},
		"clients throttled": {"", func(r *Report) { r.Throttled = 1 }},
		"posts":             {"", func(r *Report) { r.Posts = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			r := busy()
			c.idle(&r)
			if short := r.shortfall(2 * time.Minute); !strings.Contains(short, name) {
				t.Errorf("reported %q", short)
			}
			if c.fault == "" {
				return
			}
			r.Faults = slices.DeleteFunc(slices.Clone(allKinds), func(kind string) bool { return kind == c.fault })
			if short := r.shortfall(2 * time.Minute); short != "" {
				t.Errorf("without the fault, reported %q", short)
			}
		})
	}
	if r := busy(); r.shortfall(2*time.Minute) != "" {
		t.Errorf("a busy run is short of %s", r.shortfall(2*time.Minute))
	}
}
