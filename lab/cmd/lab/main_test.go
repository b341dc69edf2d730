package main

import (
	"errors"
	"testing"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

func TestShortfall(t *testing.T) {
	enough := lab.Counts{States: floorStates, Steps: floorSteps}
	for name, test := range map[string]struct {
		summary modelcheck.Summary
		fails   bool
	}{
		"all as expected passes":     {modelcheck.Summary{Counts: enough}, false},
		"an unexpected result fails": {modelcheck.Summary{Counts: enough, Shortfalls: []modelcheck.Result{{}}}, true},
		"too few states fails":       {modelcheck.Summary{Counts: lab.Counts{States: floorStates - 1, Steps: floorSteps}}, true},
		"too few steps fails":        {modelcheck.Summary{Counts: lab.Counts{States: floorStates, Steps: floorSteps - 1}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := shortfall(test.summary); errors.Is(err, errShortfall) != test.fails {
				t.Errorf("shortfall is %v", err)
			}
		})
	}
}
