package lab_test

import (
	"errors"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/prove"
)

func TestSearch(t *testing.T) {
	t.Run("its finding is the shortest continuation", searchFindsTheShortest)
	t.Run("it knows when no continuation breaks a law", searchExhausts)
	t.Run("it says which bound ended it", searchNamesItsBound)
	t.Run("a schedule that cannot be taken is refused", searchRefuses)
}

func search(t *testing.T, name, schedule string, bounds lab.Bounds) (lab.SearchResult, prove.Case) {
	t.Helper()
	c, err := prove.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	choices, err := c.Parse(schedule)
	if err != nil {
		t.Fatal(err)
	}
	found, err := explorer(t, c.Scenario).Search(choices, bounds)
	if err != nil {
		t.Fatal(err)
	}
	return found, c
}

func searchFindsTheShortest(t *testing.T) {
	for before, want := range map[string]string{"": "ann,olga*2,w1*3,ann,w1*2", "olga,ann": "", "ann,olga*2,w1*3": "ann,w1*2"} {
		found, c := search(t, "A1", before, lab.BoundsOfPages())
		switch {
		case want == "" && !found.Exhausted():
			t.Errorf("after %q: %+v", before, found)
		case want != "" && (found.Finding == nil || c.Format(found.Finding.Schedule) != want):
			t.Errorf("after %q: %+v, want %s", before, found.Finding, want)
		}
	}
}

func searchExhausts(t *testing.T) {
	found, _ := search(t, "A3", "olga*2", lab.BoundsOfPages())
	if !found.Exhausted() || found.States != 1 {
		t.Errorf("when all has ended: %+v", found)
	}
	found, _ = search(t, "A2", "", lab.Bounds{Law: "A1"})
	if f := found.Finding; f == nil || !slices.ContainsFunc(f.Breaches, func(b domain.Breach) bool { return b.Invariant == "A1" }) {
		t.Errorf("another law ended the search: %+v", f)
	}
}

func searchNamesItsBound(t *testing.T) {
	if found, _ := search(t, "post", "", lab.Bounds{States: 100}); found.Exhausted() || found.Bound != lab.StatesBound || found.States < 100 {
		t.Errorf("100 states: %+v", found)
	}
	if found, _ := search(t, "post", "", lab.Bounds{Time: time.Nanosecond}); found.Exhausted() || found.Bound != lab.TimeBound {
		t.Errorf("a nanosecond: %+v", found)
	}
}

func searchRefuses(t *testing.T) {
	c, err := prove.Find("A1")
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := c.Parse("w1")
	if err != nil {
		t.Fatal(err)
	}
	var stuck *lab.StuckError
	if _, err := explorer(t, c.Scenario).Search(schedule, lab.BoundsOfPages()); !errors.As(err, &stuck) {
		t.Errorf("error %v", err)
	}
}

// The schedule of 41 steps.
const long = "olga*19,w1*15,olga*7"

// BenchmarkFollow is what a page with a run of 41 steps costs.
func BenchmarkFollow(b *testing.B) {
	c, choices := benchmarked(b, "made", long)
	b.ReportAllocs()
	peak := heap(b)
	for b.Loop() {
		x := lab.NewExplorer(c.Scenario)
		if _, err := x.Follow(choices); err != nil {
			b.Fatal(err)
		}
		x.Close()
	}
	b.ReportMetric(peak(), "MB-at-most")
}

// BenchmarkSearch is what a hint costs that finds nothing, however long it takes.
func BenchmarkSearch(b *testing.B) {
	c, _ := benchmarked(b, "stragglers", "")
	states := 0
	peak := heap(b)
	for b.Loop() {
		x := lab.NewExplorer(c.Scenario)
		found, err := x.Search(nil, lab.Bounds{States: lab.BoundsOfPages().States})
		if err != nil {
			b.Fatal(err)
		}
		states = found.States
		x.Close()
	}
	b.ReportMetric(float64(states), "states")
	b.ReportMetric(peak(), "MB-at-most")
}

func benchmarked(b *testing.B, name, schedule string) (prove.Case, lab.Schedule) {
	c, err := prove.Find(name)
	if err != nil {
		b.Fatal(err)
	}
	choices, err := c.Parse(schedule)
	if err != nil {
		b.Fatal(err)
	}
	return c, choices
}

// heap samples the memory that is in use, garbage included, and returns the most.
func heap(b *testing.B) func() float64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	most, stop, stopped := uint64(0), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64()+sample[1].Value.Uint64())
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() float64 {
		close(stop)
		<-stopped
		return float64(most) / (1 << 20)
	}
}
