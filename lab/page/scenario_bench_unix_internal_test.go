//go:build unix

package page

import (
	"bytes"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"microblogging/lab"
	"microblogging/templates"
)

// long is a schedule of that many choices, each of them the first that can be taken.
func long(b *testing.B, l *Lab, name string, choices int) request {
	b.Helper()
	c, err := l.find(name)
	if err != nil {
		b.Fatal(err)
	}
	q := request{Case: c}
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	for len(q.schedule) < choices {
		moments, err := x.Follow(q.schedule)
		if err != nil {
			b.Fatal(err)
		}
		next := (&story{request: q}).choicesJSON(moments[len(moments)-1])
		if len(next) == 0 {
			b.Fatalf("%s ends after %d choices", name, len(q.schedule))
		}
		schedule, err := c.Parse(next[0].Choice)
		if err != nil {
			b.Fatal(err)
		}
		q.schedule = append(q.schedule, schedule...)
	}
	q.at = len(q.schedule)
	return q
}

// shell is what a page needs of package web.
func shell() templates.Page {
	return templates.Page{Public: true, Lab: true, Asset: func(name string) string { return "/static/" + name }}
}

// BenchmarkScenario makes the state after 40 choices, which nobody has asked for before.
func BenchmarkScenario(b *testing.B) {
	l := New(Options{})
	for _, name := range []string{"create-once", "stale-form", "crowd"} {
		q := long(b, l, name, 40)
		b.Run(name+"/page", func(b *testing.B) {
			benchmarkAnswer(b, l, q, func(s *story) (answer, error) { return l.rendered(scenarioPage(shell(), s)) })
		})
		b.Run(name+"/json", func(b *testing.B) {
			benchmarkAnswer(b, l, q, func(s *story) (answer, error) { return l.encoded(s.json()) })
		})
	}
}

func benchmarkAnswer(b *testing.B, l *Lab, q request, make func(*story) (answer, error)) {
	b.ReportAllocs()
	size, before := 0, processorTime(b)
	for b.Loop() {
		told, err := l.tell(q)
		if err != nil {
			b.Fatal(err)
		}
		a, err := make(told)
		if err != nil {
			b.Fatal(err)
		}
		size = len(a.body)
	}
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N)/float64(time.Millisecond), "cpu-ms/op")
	b.ReportMetric(float64(size), "body-B")
}

// processorTime is what the process has used of all processors, so that other processes
// make no difference.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkLabMemory holds what the lab holds at most: two replays of the largest
// scenario, all the answers that are kept, and one search for a hint, which is garbage
// afterwards.
func BenchmarkLabMemory(b *testing.B) {
	for b.Loop() {
		l := New(Options{})
		q := long(b, l, "crowd", 60)
		before := inUse()
		var explorers [maxReplays]*lab.Explorer
		var moments [maxReplays][]lab.Moment
		for i := range explorers {
			explorers[i] = lab.NewExplorer(q.Scenario)
			var err error
			if moments[i], err = explorers[i].Follow(q.schedule); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(inUse()-before, "MB-replays")
		for _, x := range explorers {
			x.Close()
		}
		runtime.KeepAlive(moments)
		moments = [maxReplays][]lab.Moment{}

		before = inUse()
		body, err := l.rendered(scenarioPage(shell(), &story{request: q, moments: mustFollow(b, q)}))
		if err != nil {
			b.Fatal(err)
		}
		for i := range 2 * maxKept / len(body.body) {
			l.replays.kept.add(strconv.Itoa(i), answer{body: bytes.Clone(body.body)})
		}
		b.ReportMetric(inUse()-before, "MB-kept")
		b.ReportMetric(mostInUse(func() {
			x := lab.NewExplorer(q.Scenario)
			defer x.Close()
			if _, err := x.Search(nil, lab.BoundsOfPages()); err != nil {
				b.Fatal(err)
			}
		})-inUse(), "MB-search")
		runtime.KeepAlive(l)
	}
	b.ReportMetric(0, "ns/op")
}

func mustFollow(b *testing.B, q request) []lab.Moment {
	b.Helper()
	s, err := follow(q)
	if err != nil {
		b.Fatal(err)
	}
	return s.moments
}

// inUse is the memory in use, with the stacks of goroutines.
func inUse() (megabytes float64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse+m.StackInuse) / (1 << 20)
}

// mostInUse is the most memory in use while f runs, garbage included.
func mostInUse(f func()) (megabytes float64) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f()
	}()
	for {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		megabytes = max(megabytes, float64(m.HeapInuse+m.StackInuse)/(1<<20))
		select {
		case <-ended:
			return megabytes
		case <-time.After(10 * time.Millisecond):
		}
	}
}
