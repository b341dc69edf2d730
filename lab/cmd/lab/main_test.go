package main

import (
	"errors"
	"testing"

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
