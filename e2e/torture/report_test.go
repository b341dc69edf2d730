package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A run is accused in which a fault that is on happened too rarely.
func TestReport(t *testing.T) {
	busy := func() Report {
		r := Report{Faults: allKinds, Counts: map[string]int64{}}
		for _, e := range events() {
			r.Counts[e.name] = 1000
		}
		return r
	}
	if r := busy(); r.shortfall(2*time.Minute) != "" {
		t.Errorf("a busy run is short of %s", r.shortfall(2*time.Minute))
	}
	for _, e := range events() {
		r := busy()
		r.Counts[e.name] = 0
		if short := r.shortfall(2 * time.Minute); strings.Contains(short, e.name) != (e.floor > 0) {
			t.Errorf("without %s, reported %q", e.name, short)
		}
		r.Faults = slices.DeleteFunc(slices.Clone(allKinds), func(kind string) bool { return kind == e.fault })
		if short := r.shortfall(2 * time.Minute); e.fault != "" && short != "" {
			t.Errorf("without the fault, reported %q", short)
		}
	}
}
