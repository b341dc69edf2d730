package web

import (
	"testing"
	"time"
)

func TestDaySum(t *testing.T) {
	for sentence, c := range map[string]struct {
		left time.Duration
		over bool
	}{
		"a window that has ended is over":                               {0, true},
		"one that was just begun is not":                                {24 * time.Hour, false},
		"one by a clock that is an hour ahead is not":                   {25 * time.Hour, false},
		"one that was begun before the clock went back by days is over": {72 * time.Hour, true},
	} {
		if got := (&daySum{end: time.Now().Add(c.left)}).over(); got != c.over {
			t.Errorf("%s: over is %t", sentence, got)
		}
	}
}
