package lab

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestTry(t *testing.T) {
	only := os.Getenv("ONLY")
	for _, s := range Scenarios() {
		if only != "" && !strings.Contains(","+only+",", ","+s.Name+",") {
			continue
		}
		s.Limit = 1500000
		began := time.Now()
		x := NewExplorer(s)
		var f *Finding
		if s.Walks > 0 {
			f = x.Walk(s.Walks/10, 1)
		} else {
			f = x.Explore()
		}
		d := time.Since(began)
		t.Logf("%s: %+v in %s, %.0f steps/s", s.Name, x.Counts(), d, float64(x.Counts().Steps)/d.Seconds())
		if f != nil {
			t.Errorf("%s: %v\n%s", s.Name, f.Breaches, s.Format(f.Schedule))
			run, err := x.Replay(f.Schedule, false)
			if err != nil {
				t.Error(err)
			}
			s.WriteTable(os.Stdout, run)
		}
		x.Close()
	}
}
