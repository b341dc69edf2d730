package lab

import (
	"testing"
	"time"
)

func TestTry(t *testing.T) {
	for _, s := range Scenarios() {
		began := time.Now()
		s.Limit = 3000000; if s.Name != "again" { continue }; s.Faults = 1; s.Preemptions=3
		x := NewExplorer(s)
		f := x.Explore()
		d := time.Since(began)
		t.Logf("%s: %+v in %s, %.0f steps/s", s.Name, x.Counts(), d, float64(x.Counts().Steps)/d.Seconds())
		if f != nil {
			t.Errorf("%s: %v\n%s", s.Name, f.Breaches, s.Format(f.Schedule))
		}
		for _, p := range x.programs { n := 0; depth := 0; var walk func(q *point); walk = func(q *point) { n++; depth = max(depth, q.depth); for _, r := range q.next { walk(r) } }; walk(p.root); t.Log(p.actor.Name, "points", n, "depth", depth) }
		x.Close()
	}
}
