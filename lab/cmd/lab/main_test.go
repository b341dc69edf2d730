package main

import (
	"errors"
	"testing"
	"time"

	"microblogging/lab"
	"microblogging/lab/prove"
)

func TestShortfall(t *testing.T) {
	enough := lab.Counts{States: floorStates, Steps: floorSteps}
	for name, test := range map[string]struct {
		summary prove.Summary
		fails   bool
	}{
		"all as expected passes":     {prove.Summary{Counts: enough}, false},
		"an unexpected result fails": {prove.Summary{Counts: enough, Shortfalls: []prove.Result{{}}}, true},
		"too few states fails":       {prove.Summary{Counts: lab.Counts{States: floorStates - 1, Steps: floorSteps}}, true},
		"too few steps fails":        {prove.Summary{Counts: lab.Counts{States: floorStates, Steps: floorSteps - 1}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := shortfall(test.summary); errors.Is(err, errShortfall) != test.fails {
				t.Errorf("shortfall is %v", err)
			}
		})
	}
}

func TestSlow(t *testing.T) {
	for name, test := range map[string]struct {
		steps int
		took  time.Duration
		slow  bool
	}{
		"as expected is not slow":        {expectedSpeed * 60, time.Minute, false},
		"fewer steps a second is slow":   {expectedSpeed*60 - 1, time.Minute, true},
		"longer than expected is slow":   {expectedSpeed * 1000, expectedTime + time.Second, true},
		"just within the limits is fine": {expectedSpeed * 240, expectedTime, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := slow(test.steps, test.took); got != test.slow {
				t.Errorf("slow is %t", got)
			}
		})
	}
}
