//go:build unix

package page_test

import (
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestPictureTime measures the time of processors, because others use the machine too.
func TestPictureTime(t *testing.T) {
	t.Run("a state after 40 steps is drawn in 20 ms of a processor", drawnInTime)
}

func drawnInTime(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"crowd", "stale-form"} {
		schedule := ""
		for range 40 {
			at := s.state(name, schedule)
			schedule = s.state(name, and(at.Schedule, at.Choices[0].Choice)).Schedule
		}
		best := time.Hour
		for i := range 20 {
			began := processorTime(t)
			s.get("/lab/" + name + "?s=" + schedule + "&i=" + strconv.Itoa(i)).want(200)
			best = min(best, processorTime(t)-began)
		}
		if best > 20*time.Millisecond {
			t.Errorf("%s after 40 steps took %v", name, best)
		}
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	ok(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
